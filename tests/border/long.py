"""Many random hostile specs, by hand: python -m tests.border.long SPECS [FIRST SEED]."""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from everystate.checker.engines.explicit import report

from .generator import spec
from .verdicts import outcome


@dataclass
class Tally:
    """How many specs meant the same on both engines, and what became of the others."""

    same: int = 0
    invalid: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)

    def add(self, found: str) -> None:
        """Count one answer of `compare`."""
        if found == "same":
            self.same += 1
        elif found == "invalid":
            self.invalid += 1
        elif found.startswith("refused "):
            self.refused[found.removeprefix("refused ")] += 1
        else:
            self.different.append(found)


def without_doublecheck(put: Callable[..., Any]) -> None:
    """Leave the compiled spec alone with its verdict."""
    put(report, "after_search", lambda *_, **__: None)


def compare(source: str, folder: Path) -> str:
    """`same`, `refused CODE`, `invalid` where it is no Python, or what differs; E217 is a difference, too."""
    try:
        compile(source, "spec", "exec")
    except SyntaxError:
        return "invalid"
    compiled = outcome(source, "native", folder)
    if compiled[0] == "refused" and compiled[1] != "E217":
        return f"refused {compiled[1]}"
    plain = outcome(source, "python", folder)
    line = next(line for line in source.splitlines() if line.startswith("        return ") and "self." in line)
    return "same" if compiled == plain else f"compiled: {compiled}, plain: {plain}: {line.strip()}"


def main(specs: int, first: int = 0) -> None:
    warnings.simplefilter("ignore", SyntaxWarning)
    without_doublecheck(setattr)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + specs):
            tally.add(compare(spec(seed), Path(folder)))
    for text in tally.different:
        print(text)
    refused = ", ".join(f"{code} {number}" for code, number in sorted(tally.refused.items()))
    print(
        f"{tally.same} the same, refused: {refused or 'none'}, {tally.invalid} no Python, {len(tally.different)} differ"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
