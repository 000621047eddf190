"""Many runs on Spark: each is followed by itself, on the executor that it comes to; the answers are the same.

A Python worker traces and compiles the spec once. Embedded executors read the logs themselves; to those of a cluster
the events are sent.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..frontend.model import build
from ..spark.session import cores, embedded
from ..spark.shipping import Courier, Packed, courier, pack
from .answer import Follower, RunAnswer, one_of_many
from .answer_store import AnswerStore, Parts
from .candidates import UnseenActions
from .events import Event
from .logs import events_of
from .sources import Order
from .vocabulary import Vocabulary

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = 20
"""Rounds of a series whose answers are kept, at most."""
SHARE = 8
"""Tasks for each processor: a run may take longer than others."""
Words = Callable[[str | None], Vocabulary]


@dataclass(frozen=True)
class FollowSettings:
    """What an executor needs to follow runs of a spec; `path` is the file that translates the log."""

    target: str
    constants: dict[str, Any]
    unseen: UnseenActions
    order: Order
    limit: int
    path: str | None
    first: bool = False


Run = tuple[int, str, Sequence[str | Sequence[Event]]]
"""The number of a run, its name, and its logs: paths, or events that have been read."""


@dataclass(frozen=True)
class FollowTask:
    """Follows runs on an executor."""

    courier: Courier
    words: Words
    packed: Packed

    def __call__(self, runs: Iterable[Run]) -> Iterator[tuple[int, RunAnswer]]:
        """The answer to each run, by number."""
        for number, name, parts in runs:
            with self._folder():
                follower, words = _follower(self)
                logs = [events_of(part, words) if isinstance(part, str) else part for part in parts]
                yield number, one_of_many(follower, name, logs)

    def _folder(self) -> contextlib.AbstractContextManager[None]:
        found = self.courier.folder
        return contextlib.chdir(found if isinstance(found, str) else found.unpacked())

    def made(self) -> tuple[Follower, Vocabulary]:
        """The follower, and the words of the log."""
        wanted: FollowSettings = self.courier.unpacked(self.packed)
        model = build(self.courier.loaded(wanted.target, wanted.constants))
        words = self.words(wanted.path)
        asked = wanted.unseen, wanted.order, wanted.limit, words.observes, wanted.first
        return Follower(model, wanted.target, *asked), words

    def __hash__(self) -> int:
        return hash(self.packed)


@functools.lru_cache(maxsize=1)
def _follower(errand: FollowTask) -> tuple[Follower, Vocabulary]:
    return errand.made()


def follow(
    spark: SparkSession,
    wanted: FollowSettings,
    load: Callable[[str, dict[str, Any]], Any],
    words: Words,
    runs: Sequence[tuple[str, Parts]],
    kept: AnswerStore | None = None,
) -> Iterator[RunAnswer]:
    """The answers to some runs, in their order; `load` and `words` are functions of modules: they travel.

    Where answers are kept, runs go to the executors in rounds, and after each its answers are.
    """
    here, vocabulary = embedded(spark), words(wanted.path)
    files = {wanted.target, *([wanted.path] if wanted.path else [])}
    errand = FollowTask(courier(load, files, here), words, pack(wanted.target, wanted))
    share = SHARE * cores(spark)
    keys = [kept.key(*run) if kept else None for run in runs]
    known = {number: old for number, key in enumerate(keys) if kept and (old := kept[key])}
    missing = [number for number in range(len(runs)) if number not in known]
    size = max(1, len(missing) if kept is None else max(share, -(-len(missing) // ROUNDS)))
    rounds = [missing[at : at + size] for at in range(0, len(missing), size)]
    following = 0
    for numbers in [*rounds, []]:
        sent: list[Run] = []
        for number in numbers:
            name, parts = runs[number]
            there = [list(events_of(p, vocabulary)) if isinstance(p, str) else p for p in parts] if not here else parts
            sent.append((number, name, there))
        if sent:
            slices = min(len(sent), share)
            found = dict(spark.sparkContext.parallelize(sent, slices).mapPartitions(errand).collect())
            if kept is not None:
                kept.add((keys[number], found[number]) for number in numbers)
            known.update(found)
        while following in known:
            yield known.pop(following)
            following += 1
