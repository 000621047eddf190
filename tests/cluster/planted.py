"""Mistakes planted in the driver and in its judge: python -m tests.cluster.planted [NAME ...], some ten minutes.

Each is made in the process of a replay on real brokers, which otherwise reproduces its scenario. None may end as
REPRODUCED or AGREED (exit code 1); `noticed` says by what each is found.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from everystate.checker.cli.sweeps import load
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.model import KafkaProducer
from everystate.model.cluster import brokers, replay, replicas, waiting
from everystate.model.cluster.admin import Admin
from everystate.model.cluster.disk import Replica
from everystate.model.cluster.gate import EVERYTHING, Gate
from everystate.model.cluster.node import Node
from everystate.model.cluster.outcome import Outcome
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.replicas import Replicas
from everystate.model.cluster.report import verdict
from everystate.model.cluster.walk import walk
from everystate.model.conformance import compare
from everystate.model.conformance.behaviour import Behaviour, of_trace
from everystate.model.conformance.compare import SideBySide
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import Line, run

CRASH, CLEAN = "current/crash-restart", "current/clean-restart"
ELECTIONS, PARTITIONS = "current/two-clean-leader-changes", "current/two-partitions-one-bump"


@dataclass(frozen=True)
class Mistake:
    """A mistake: what it is, the scenario in which it is made, what makes it, and by what it is noticed."""

    what: str
    target: str
    plant: Callable[[], None]
    noticed: str


def instead(owner: Any, name: str, other: Callable[[Any], Any]) -> None:
    """Put something in place of a function, made of what was there."""
    setattr(owner, name, other(getattr(owner, name)))


def shifted(places: Any) -> list[Any]:
    return [(at + 1, *rest) for at, *rest in places]


# -- offsets ---------------------------------------------------------------------------------------------------


def answers_one_too_high() -> None:
    def later(usual: Any) -> Any:
        def received(frame: Any, data: bytes) -> Any:
            found = usual(frame, data)
            object.__setattr__(found, "offset", found.offset + (found.offset >= 0))
            return found

        return received

    instead(brokers, "received", later)
    instead(replicas, "received", later)


def disk_one_too_high() -> None:
    instead(Replica, "batches", lambda usual: lambda self: shifted(usual(self)))


def consumer_one_too_high() -> None:
    instead(Admin, "consume", lambda usual: lambda self, partition, end: shifted(usual(self, partition, end)))


def model_one_too_high() -> None:
    instead(replay, "predicted", lambda usual: lambda view: [shifted(places) for places in usual(view)])


# -- places ----------------------------------------------------------------------------------------------------


def consumer_of_another_partition() -> None:
    instead(Admin, "consume", lambda usual: lambda self, partition, end: usual(self, 1 - partition, end))


def disk_of_another_partition() -> None:
    instead(Replica, "__init__", lambda usual: lambda self, data, partition: usual(self, data, 1 - partition))


def disk_of_another_broker() -> None:
    instead(Replicas, "_log", lambda usual: lambda self, node, partition: usual(self, 1 - node, partition))


# -- what is old -----------------------------------------------------------------------------------------------


def disk_as_it_was() -> None:
    """Each look at a replica gets what the one before should have got."""
    seen: dict[Path, Any] = {}

    def late(usual: Any) -> Any:
        def batches(self: Replica) -> Any:
            now = usual(self)
            before = seen.get(self.folder, now)
            seen[self.folder] = now
            return before

        return batches

    instead(Replica, "batches", late)


def batch_that_is_not_seen() -> None:
    """Something writes a record behind the driver's back when the last step is taken."""
    instead(Replica, "batches", lambda usual: lambda self: usual(self)[:4])

    def behind(usual: Any) -> Any:
        def look(self: Any, sides: SideBySide) -> None:
            brokers = self._brokers(sides)
            [newest] = brokers.logs[brokers.leader][0].replica.segments[-1:]
            size = newest.stat().st_size
            brokers.admin.produce_foreign(0, b"1", lambda: newest.stat().st_size > size)
            usual(self, sides)

        return look

    instead(replay._Replay, "_look", behind)


def consumer_that_ends_early() -> None:
    instead(Admin, "consume", lambda usual: lambda self, partition, end: usual(self, partition, end)[:-1])


# -- a judge that sees nothing, of a cluster that did something else ---------------------------------------------


def _no_restart() -> None:
    instead(Replicas, "restart", lambda usual: lambda self, broker, clean: self.lose(broker))


def no_restart() -> None:
    _no_restart()


def no_restart_and_no_comparison() -> None:
    _no_restart()
    instead(compare, "differences", lambda usual: lambda model, kafka: {})


def no_restart_and_the_model_in_place_of_kafka() -> None:
    _no_restart()
    instead(SideBySide, "_observed", lambda usual: lambda self: self.model.observe(self.kafka.seen))


def stop_that_is_a_kill() -> None:
    instead(Node, "stop", lambda usual: Node.kill)


def kill_that_is_a_stop() -> None:
    def in_order(usual: Any) -> Any:
        def kill(self: Node) -> None:
            if self.process is not None and "Shutdown completed" not in self.words() and self.running:
                self.stop()
            usual(self)

        return kill

    instead(Node, "kill", in_order)


def no_election() -> None:
    instead(Admin, "elect", lambda usual: lambda self, broker, others, partition=0: None)


def gate_that_is_open() -> None:
    instead(Gate, "allow", lambda usual: lambda self, data, known: usual(self, EVERYTHING, EVERYTHING))


MISTAKES = {
    each.plant.__name__: each
    for each in (
        Mistake(
            "an answer's offset is one too high",
            CRASH,
            answers_one_too_high,
            "DIFFERENT, step 3: the answer is that to another batch",
        ),
        Mistake(
            "offsets on the disk are one too high",
            CRASH,
            disk_one_too_high,
            "DIFFERENT, step 3: the answer is that to another batch",
        ),
        Mistake(
            "offsets of the consumer are one too high", CRASH, consumer_one_too_high, "NOT JUDGED: consumer and disk"
        ),
        Mistake("offsets of the model are one too high", CRASH, model_one_too_high, "NOT JUDGED: model and disk"),
        Mistake(
            "the consumer reads another partition",
            PARTITIONS,
            consumer_of_another_partition,
            "NOT JUDGED: the consumer does not get to the end",
        ),
        Mistake(
            "the disk of another partition is read",
            PARTITIONS,
            disk_of_another_partition,
            "DIFFERENT, step 11: the answer is that to another batch",
        ),
        Mistake(
            "the disk of the other broker is read",
            ELECTIONS,
            disk_of_another_broker,
            "NOT JUDGED, step 2: nothing is appended there",
        ),
        Mistake(
            "the disk is seen as it was a look before",
            CRASH,
            disk_as_it_was,
            "DIFFERENT, step 4: the answer is that to another batch",
        ),
        Mistake(
            "a record that others write in the end is not seen on the disk",
            CRASH,
            batch_that_is_not_seen,
            "NOT JUDGED: the log ends elsewhere for its broker",
        ),
        Mistake("the consumer ends one record early", CRASH, consumer_that_ends_early, "NOT JUDGED: consumer and disk"),
        Mistake("the broker is not restarted", CLEAN, no_restart, "DIFFERENT, step 7: the retry is known"),
        Mistake(
            "the same, and nothing is compared",
            CLEAN,
            no_restart_and_no_comparison,
            "NOT JUDGED: model and disk; NoDuplicate is not broken",
        ),
        Mistake(
            "the same, and the model is held against itself",
            CLEAN,
            no_restart_and_the_model_in_place_of_kafka,
            "NOT JUDGED: model and disk; NoDuplicate is not broken",
        ),
        Mistake("a clean stop is a kill", CLEAN, stop_that_is_a_kill, "NOT JUDGED, step 5: no mark of a clean end"),
        Mistake("a kill is a clean stop", CRASH, kill_that_is_a_stop, "NOT JUDGED, step 5: the mark of a clean end"),
        Mistake("nobody is elected", ELECTIONS, no_election, "NOT JUDGED, step 4: no answer becomes an error"),
        Mistake(
            "nothing is held back between the brokers",
            ELECTIONS,
            gate_that_is_open,
            "DIFFERENT, step 4: an answer had left",
        ),
    )
}


# -- the run -----------------------------------------------------------------------------------------------------


def behaviour(target: str) -> tuple[KafkaProducer, Behaviour]:
    """The counterexample to NoDuplicate of a scenario; of one that is proved a walk."""
    spec = load(target, {})
    assert isinstance(spec, KafkaProducer)
    found = exhaustive.check(model.build(spec), target=target).violations
    for violation in found:
        if violation.property == "NoDuplicate":
            return spec, of_trace(spec, violation.property, violation.trace)
    return spec, walk(spec, 0, 0)


def planted(line: Line, job: replay.Job, name: str) -> Outcome:
    """A replay with a mistake, in its own process; what will never come is not waited for too long."""
    waiting.CROWDED = 2.0
    MISTAKES[name].plant()
    return replay.replay(line, job)


def told(name: str) -> str:
    """What comes of a mistake, in a line."""
    mistake = MISTAKES[name]
    kafka, paths = provide(pinned=BROKERS)
    spec, turns = behaviour(mistake.target)
    with tempfile.TemporaryDirectory(prefix="planted-") as place:
        job = replay.Job(mistake.target, mistake.target, spec.constants, turns, load, tuple(paths), Path(place))
        try:
            outcome: Outcome = run(kafka, paths, planted, job, name)
        except EverystateError as problem:
            return f"{problem.code}: {problem.what}: {problem.facts.get('error', '')}"
    first = next(iter(outcome.difference.values.items()), ("", "")) if outcome.difference else ""
    return f"{verdict(outcome, kafka.version)} {first}"


def rows(names: list[str]) -> Iterator[str]:
    """Each mistake with what came of it."""
    for name in names:
        yield f"{MISTAKES[name].what} | {MISTAKES[name].target} | {told(name)}"


if __name__ == "__main__":
    from tests.cluster.planted import rows as rows_of  # the process of a replay knows this module by its name

    lines = []
    for row in rows_of(sys.argv[1:] or list(MISTAKES)):
        print(row, flush=True)
        lines.append(row)
    sys.exit(any(verdict in row for row in lines for verdict in ("| REPRODUCED", "| AGREED")))
