"""Random specs over one open constant, and what exploration says of their first sizes."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from pathlib import Path

from everystate.checker.cli.targets import resolve
from everystate.checker.engines import unbounded
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.engines.limits import Limits
from everystate.checker.engines.symbolic.search import Question
from everystate.checker.errors import EverystateError
from everystate.checker.frontend import model
from everystate.checker.results.verdict import Verdict

HEAD = """\
from everystate.checker import *


class Random(Spec):
    n = Constant(3)
    may_terminate = True

    def variables(self):
        self.a = Array(self.n, Bool())
        self.b = Array(self.n, Bool())
        self.f = Bool()
        self.s = Array(self.n, Enum("x", "y", "z"))
        self.h = Option(Int(0, self.n - 1))
        self.m = Map([(i, j) for i in range(self.n) for j in range(self.n)], Bool())
"""
GLOBAL = """\
self.f
not self.f
not any(self.a)
all(self.b)
sum(self.a) <= 1
sum(self.b) < 2
self.h is None
'z' in self.s
2 * sum(self.a) > self.n
sum(self.a) >= 3
sum(self.b) == 2
""".splitlines()
LOCAL = """\
self.a[P]
not self.a[P]
self.b[P]
not self.b[P]
self.s[P] == 'y'
self.h == P
self.h != P
self.m[P, Q]
not self.m[P, Q]
P == 0
P < Q
P != Q
not any(self.a[r] for r in range(P))
all(self.m[P, r] for r in range(self.n))
not any(self.m[r, P] for r in range(self.n) if r != P)
""".splitlines()
UPDATES = """\
self.f = True
self.f = self.a[P]
self.h = None
self.h = P
self.a[P] = True
self.a[P] = False
self.b[P] = self.a[Q]
self.b[P] = True
self.s[P] = 'y'
self.s[P] = 'z'
self.m[P, Q] = True
self.m[P, Q] = self.m[Q, P]
for r in range(self.n): self.a[r] = self.b[r]
for r in range(self.n): self.m[P, r] = r == Q
""".splitlines()
INVARIANTS = """\
sum(self.a) <= 1
sum(self.a) <= 2
sum(self.b) <= 3
not (self.f and any(self.a))
'z' not in self.s
sum(x == 'y' for x in self.s) <= 2
not any(self.h == p and self.b[p] for p in range(self.n))
not any(self.a[p] and self.b[q] for p in range(self.n) for q in range(self.n))
not any(self.m[p, q] and self.m[q, p] and p != q for p in range(self.n) for q in range(self.n))
sum(self.m[p, q] for p in range(self.n) for q in range(self.n)) <= 3
not (sum(self.a) >= 3 and self.f)
""".splitlines()
QUESTION = Question(0, seconds=60, cross_check=0, deadlock=False)
SIZES, STATES = (1, 4, 5), 30_000


def source(seed: int) -> str:
    """The source text of a random spec."""
    dice = random.Random(seed)

    def put(text: str) -> str:
        return text.replace("P", dice.choice("pq")).replace("Q", dice.choice("pq"))

    lines = [HEAD]
    for number in range(dice.randint(2, 4)):
        guards = [put(dice.choice(LOCAL if dice.random() < 0.7 else GLOBAL)) for _ in range(dice.randint(1, 3))]
        lines += ['    @action(p="n", q="n")', f"    def act{number}(self, p, q):"]
        lines += [f"        require({' and '.join(guards)})"]
        lines += [f"        {put(dice.choice(UPDATES))}" for _ in range(dice.randint(1, 3))] + [""]
    return "\n".join(
        [*lines, "    @invariant", "    def right(self):", f"        return {dice.choice(INVARIANTS)}", ""]
    )


def outcome(seed: int, folder: Path) -> str:
    """What `--any-size` says of a random spec; AssertionError where exploration finds a violation of what is proved."""
    file = folder / f"random_{seed}.py"
    file.write_text(source(seed), "utf-8")
    target = resolve(str(file))
    try:
        found = unbounded.decide(lambda sizes: target.spec(sizes), ["n"], QUESTION).result
    except EverystateError as error:
        return error.code
    assert "differs from the compiled spec" not in found.said, f"seed {seed}: {found.said}"
    for size in SIZES if found.verdict is Verdict.PROVED else ():
        limits = Limits(max_states=STATES, cross_check=0, deadlock=False)
        explored = exhaustive.check(model.build(target.spec({"n": size})), limits)
        assert explored.verdict is not Verdict.VIOLATED, f"seed {seed} is wrong with {size}"
    return str(found.verdict)


def outcomes(seeds: range) -> Counter[str]:
    """How often each verdict was given; AssertionError where a proof is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        return Counter(outcome(seed, Path(folder)) for seed in seeds)
