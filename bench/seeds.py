"""How often some fixed seeds of Python put a small set into the same order: the orders that a comparison misses.

    python bench/seeds.py [SETS]

For each number of seeds, the share of random sets of 2, 3 and 4 short texts (enum members hash as their names do) that
one more start, with a random seed, and the first K of `again.SEEDS` and `again.MORE` all list in the same order.
"""

from __future__ import annotations

import json
import os
import random
import string
import subprocess
import sys

from everystate.checker.ir.reproducibility import MORE, SEEDS

LISTED = "import json, sys; print(json.dumps([list(set(one)) for one in json.load(sys.stdin)]))"


def main(number: int) -> None:
    """Print the table."""
    dice = random.Random(1)
    letters = string.ascii_lowercase
    sets = {
        size: [["".join(dice.choices(letters, k=dice.randint(1, 8))) for _ in range(size)] for _ in range(number)]
        for size in (2, 3, 4)
    }
    for size, texts in sets.items():
        own, *listed = (_listed(texts, seed) for seed in (None, *SEEDS, *MORE))
        missed = [
            sum(all(orders[n] == own[n] for orders in listed[:k]) for n in range(number)) / number
            for k in range(1, len(listed) + 1)
        ]
        print(f"{size} texts:", *(f"{k}: {share:.2%}" for k, share in enumerate(missed, 1)))


def _listed(texts: list[list[str]], seed: int | None) -> list[list[str]]:
    environment = {**os.environ, "PYTHONHASHSEED": "random" if seed is None else str(seed)}
    run = subprocess.run(
        [sys.executable, "-c", LISTED],
        input=json.dumps(texts),
        env=environment,
        capture_output=True,
        check=True,
        text=True,
    )
    found: list[list[str]] = json.loads(run.stdout)
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
