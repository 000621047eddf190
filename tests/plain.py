"""What plain Python reaches: for tests that hold engines against it, and planted mistakes of what is counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from everystate.checker import Spec
from everystate.checker.engines.explicit.findings import Findings
from everystate.checker.language.concrete import Step
from everystate.checker.language.state import State


def space(spec: Spec) -> dict[State, list[Step]]:
    """All states that are reached, each with its steps."""
    seen: dict[State, list[Step]] = {}
    todo = list(spec.initial_states())
    while todo:
        state = todo.pop()
        if state not in seen:
            seen[state] = list(spec.successors(state))
            todo += [step.state for step in seen[state]]
    return seen


def miscount(counter: Callable[[Any], int], patch: pytest.MonkeyPatch) -> None:
    """After every level one counter is too high by one."""
    plain = Findings.level_done

    def miscounted(self: Any, *args: Any, **more: Any) -> None:
        plain(self, *args, **more)
        self.totals[counter(self.program.counters)] += np.uint64(1)

    patch.setattr(Findings, "level_done", miscounted)
