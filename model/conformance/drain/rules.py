"""The rules of the drain that a step exercised, derived from what Kafka did in it (docs/reference/rules-drain.md).

A rule counts where its effect was seen. For the others ARGUED gives the reason.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...drain.records import EXPIRED, NONE
from ..driver import Move, Observation
from ..facts import StepFacts, shown
from .client import Setup


class Facts(StepFacts):
    """One step of the drain."""

    @property
    def node(self) -> int:
        """The node of the step."""
        return self.move.arguments["node"]

    @property
    def parts(self) -> range:
        """All partitions."""
        return range(len(self.setup.leaders))

    @property
    def mine(self) -> list[int]:
        """The partitions that the client assigns to the node, in its order."""
        return [p for p in self.parts if self.before[f"known leader of partition {p}"] == self.node]

    @property
    def slot(self) -> int:
        """Which drain index counts for the node."""
        return 0 if self.setup.shared_index else self.node

    @property
    def taken(self) -> list[int]:
        """The partitions of the request that a drain has made."""
        name = f"requests to node {self.node}"
        new = self.after[name][len(self.before[name]) :]
        return [item[0] for request in new for item in request]

    def round(self) -> list[int]:
        """The partitions of the node from the drain index on."""
        start = self.before["drain index"][self.slot] % len(self.mine)
        return self.mine[start:] + self.mine[:start]

    def passed(self) -> list[int]:
        """The partitions that gave nothing, in front of one that did."""
        at = [place for place, p in enumerate(self.round()) if p in self.taken]
        return [p for p in self.round()[: max(at, default=0)] if p not in self.taken]

    def ended_by(self) -> int | None:
        """The partition that ended the loop before its round was over: the first that is neither taken nor passed."""
        rest = [p for p in self.round() if p not in self.taken and p not in self.passed()]
        return next((p for p in rest if not self.is_skipped(p)), None)

    def is_skipped(self, p: int) -> bool:
        """P1.3, P1.4"""
        return not self.queue(p) or self.is_so(p, "is muted") or self.is_so(p, "is in backoff")

    def queue(self, p: int) -> Any:
        """The queue of a partition before the step."""
        return self.before[f"queue of partition {p}"]

    def is_so(self, p: int, what: str) -> bool:
        """A property of a partition before the step."""
        return bool(self.before[f"partition {p} {what}"])

    def changed(self, name: str) -> list[int]:
        """The partitions in which a value has changed after the step."""
        return [p for p in self.parts if self.before[f"{name} {p}"] != self.after[f"{name} {p}"]]

    def answered(self) -> dict[int, tuple[int, str]]:
        """The answer that is read: batch and result by partition."""
        return {p: (b, result) for p, b, result in self.before[f"requests to node {self.node}"][0]}

    def late_errors(self) -> list[int]:
        """The partitions for whose expired batch an error arrives."""
        if self.action == "read":
            found = [(p, b) for p, (b, result) in self.answered().items() if result != NONE]
        else:
            requests = self.before[f"requests to node {self.node}"]
            found = [(p, b) for request in requests for p, b, *_ in request]
        return [p for p, b in found if self.before[f"results of partition {p}"][b] == EXPIRED]


def _drained(test: Callable[[Facts], Any]) -> Callable[[Facts], bool]:
    return lambda f: f.action == "drain" and bool(test(f))


def _lost(test: Callable[[Facts], Any]) -> Callable[[Facts], bool]:
    return lambda f: f.action in ("lose", "time_out") and bool(test(f))


def _read(test: Callable[[Facts], Any]) -> Callable[[Facts], bool]:
    return lambda f: f.action == "read" and bool(test(f))


def _room_is_used_up(f: Facts) -> bool:
    return f.ended_by() is not None and len(f.taken) == f.setup.room


def _must_wait(f: Facts) -> bool:
    found = f.ended_by()
    return found is not None and len(f.taken) < f.setup.room and f.is_so(found, "must wait")


def _kept_its_epoch(f: Facts) -> bool:
    """Whether a batch goes out, or is passed, in an older epoch than that of the producer."""
    epoch = f.before["epoch of the producer"]
    found = f.ended_by()
    return found is not None and f.is_so(found, "must wait") and f.before[f"epoch of partition {found}"] < epoch


RULES: dict[str, Callable[[Facts], bool]] = {
    "P1.1": _drained(lambda f: len(f.taken) > 1),
    "P1.2": _drained(lambda f: f.taken and f.round() != f.mine),
    "P1.3": _drained(lambda f: any(not f.queue(p) or f.is_so(p, "is muted") for p in f.passed())),
    "P1.4": _drained(lambda f: any(f.is_so(p, "is in backoff") for p in f.passed())),
    "P1.5": _drained(lambda f: any(f.is_so(p, "is in backoff") and f.is_so(p, "must wait") for p in f.passed())),
    "P1.6": _drained(_room_is_used_up),
    "P1.7": _drained(_must_wait),
    "P2.1": _drained(lambda f: f.before["drain index"] != f.after["drain index"] and len(f.mine) < len(f.parts)),
    "P2.2": _drained(lambda f: f.ended_by() is not None),
    "P3.1": _drained(lambda f: not f.taken),
    "P3.3": _drained(lambda f: not f.taken and not f.after["the pass ends with a poll that waits"]),
    "P4.1": lambda f: any(f.after[f"partition {p} is muted"] for p in f.changed("queue of partition")),
    "P4.2": _lost(lambda f: sum(map(len, f.before[f"requests to node {f.node}"])) > 1),
    "P5.2": _read(lambda f: len({result for _, result in f.answered().values()}) > 1),
    "P5.4": lambda f: f.action in ("read", "lose", "time_out") and bool(f.late_errors()),
    "P6.1": lambda f: f.action == "settle" and f.before["epoch of the producer"] < f.after["epoch of the producer"],
    "P6.2": _drained(_kept_its_epoch),
}
"""When a rule counts."""

ARGUED = {
    "P3.2": "compared after each step, and in the pass that ends a walk",
    "P5.1": "what each log answers is compared after each step, from 4.1 on",
    "P5.3": "followers are the model's, and none is behind in a walk",
}
"""Why a rule has no count."""


def exercised(setup: Setup, move: Move, before: Observation, after: Observation) -> list[str]:
    """The rules whose effect was seen in a step."""
    return shown(RULES, Facts(setup, move, before, after))
