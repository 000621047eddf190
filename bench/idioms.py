"""Everyday Python in random bodies until so many successors were compared, by machine code, plain Python and CPython.

    python bench/idioms.py [SUCCESSORS] [SEED] [--states N] [--known] [--refused] [--out FOLDER]

A body is executed in some thousand states, drawn from all values of its variables; `--states 300` tries ten times as
many bodies in the same time. Each body on which they differ is made as small as it still shows it, and printed as a
spec to run. `--known` also writes what `tests/idioms/known.py` leaves out, `--refused` also prints what is not
compiled, `--out` keeps it in files.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.idioms import known, running
from tests.idioms.running import Finding, Tally

PATIENCE = 60
"""Seconds of the processor for one body; one that takes longer counts as not compiled."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("successors", type=int, nargs="?", default=1_000_000)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--states", type=int, default=3000, help="of each body")
    parser.add_argument("--known", action="store_true")
    parser.add_argument("--refused", action="store_true")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    if given.known:
        known.NOT_YET.clear()
    total, start, kinds = Tally(), time.process_time(), set[tuple[str, ...]]()
    with tempfile.TemporaryDirectory() as folder:
        for seed in itertools.count(given.seed):
            for found in running.run(seed, Path(folder), given.states, PATIENCE):
                total.count(found.verdict)
                if found.verdict.kind == "differs" or (found.verdict.kind == "refused" and given.refused):
                    small = found.smallest(Path(folder))
                    if small.kind not in kinds:
                        kinds.add(small.kind)
                        show(small, seed, Path(folder), given.out)
            print(f"seed {seed}: {total}; {time.process_time() - start:,.0f} s of the processor", flush=True)
            if total.successors >= given.successors:
                return 1 if total.differ else 0
    return 0


def show(found: Finding, seed: int, folder: Path, out: Path | None) -> None:
    """Print a finding, and keep it."""
    text = found.spec(folder)
    print(f"--- {found.verdict.by} (seed {seed})\n{text[text.index('class Generated') :]}", flush=True)
    print(f"expected: {found.verdict.expected}\nactual:   {found.verdict.actual}\n", flush=True)
    if out:
        out.mkdir(parents=True, exist_ok=True)
        (out / f"{found.verdict.by.replace(' ', '_').replace(':', '')}_{seed}_{abs(hash(text)) % 10000}.py").write_text(
            text
        )


if __name__ == "__main__":
    raise SystemExit(main())
