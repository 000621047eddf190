"""The long comparison: `python -m tests.agreement.long --specs 5000 --seed 1`."""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from pathlib import Path

from everystate.checker.errors import EverystateError
from everystate.checker.frontend import explorer, model

from .dice import seeded
from .readers import Tally, agree, load
from .source import write

MAX_PATHS = 1500
"""A random spec that forks into more paths costs too much; it is counted as not traced."""


def compare(source: str, folder: Path, level: int) -> Tally:
    """The comparison of one random spec; an error of the language counts as not traced."""
    spec = load(source, folder)
    try:
        return agree(spec, level)
    except EverystateError as error:
        return Tally(untraced={error.code: 1})


def compare_z3(source: str, folder: Path, states: int) -> Tally:
    """The successors of some states of a random spec, as z3 and as the interpreter find them."""
    from tests.smt import successors

    try:
        return Tally(specs=1, successors=successors.compare(model.build(load(source, folder)), states))
    except EverystateError as error:
        return Tally(untraced={error.code: 1})


def main() -> int:
    """Compare many random specs; every mismatch is printed, with its spec left in a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--specs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0, help="the first seed; each spec has its own")
    parser.add_argument("--wide", action="store_true", help="numbers reach the edges of a machine word")
    parser.add_argument("--z3", type=int, default=0, metavar="STATES", help="compare z3 on so many states of each")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long")
    parser.add_argument("--out", type=Path, help="where failing specs are kept")
    given = parser.parse_args()
    explorer.MAX_PATHS = MAX_PATHS
    out = given.out or Path(tempfile.mkdtemp(prefix="everystate-"))
    out.mkdir(parents=True, exist_ok=True)
    total, failed, start = Tally(), 0, time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for seed in itertools.islice(itertools.count(given.seed), given.specs):
            if given.seconds and time.monotonic() - start > given.seconds:
                break
            source = write(seeded(seed), given.wide)
            try:
                level = 2 if seed % 4 == 0 else 0
                folder = Path(scratch)
                total.add(compare_z3(source, folder, given.z3) if given.z3 else compare(source, folder, level))
            except Exception as error:
                failed += 1
                (out / f"seed_{seed}.py").write_text(source)
                print(f"seed {seed}: {type(error).__name__}: {error}", flush=True)
            if seed % 500 == 499:
                print(f"{total}; {failed} mismatches; {time.monotonic() - start:.0f} s", flush=True)
    print(f"{total}; {failed} mismatches{f', kept in {out}' if failed else ''}; {time.monotonic() - start:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
