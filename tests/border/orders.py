"""Specs that hang on the order of a plain set, and specs with sets that do not, for several starts of Python."""

from __future__ import annotations

import importlib.util
import os
import pickle
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from everystate.checker import Spec
from everystate.checker.errors import EverystateError
from everystate.checker.ir.chosen_orders import Orders
from everystate.checker.ir.model import traced
from everystate.checker.ir.portable import portable
from tests.agreement.readers import load

SPEC = """
from everystate.checker import *
import enum, functools

{module}


class Generated(Spec):
    may_terminate = True
    {members}

    def variables(self):
        {variables}
        self.n = Int(0, 3)
        self.who = Enum("ann", "bob", "cid", "dan", init="ann")
        self.held = Map(Enum("ann", "bob", "cid", "dan"), Bool())
        self.some = Set(Enum("ann", "bob", "cid", "dan"))

    @action
    def up(self):
        require(self.n < 3)
        {action}
        self.n += 1

    {helper}

    @invariant
    def fine(self):
        return self.n != 3 or {prop}
"""
NAMES = 'NAMES = {"ann", "bob", "cid"}'
ASTRAY: dict[str, dict[str, str]] = {
    "next iter": {"action": 'self.who = next(iter({"ann","bob","cid"}))'},
    "next iter global": {"module": NAMES, "action": "self.who = next(iter(NAMES))"},
    "loop": {"module": NAMES, "action": "for w in NAMES: self.who = w"},
    "list": {"module": NAMES, "action": "self.who = list(NAMES)[0]"},
    "tuple": {"action": 'self.who = tuple({"ann","bob"})[0]'},
    "pop": {"action": 'self.who = {"ann","bob"}.pop()'},
    "unpack": {"action": 'a, *_ = {"ann","bob","cid"}; self.who = a'},
    "star": {"action": 'self.who = [*{"ann","bob","cid"}][0]'},
    "join": {"module": NAMES, "action": 'self.who = "".join(NAMES)[:3]'},
    "fromkeys": {"module": NAMES, "action": "self.who = list(dict.fromkeys(NAMES))[0]"},
    "comp": {"module": NAMES, "action": "self.who = [n for n in NAMES][0]"},
    "setcomp": {"action": 's = {n for n in ("ann","bob","cid")}; self.who = list(s)[0]'},
    "helper": {
        "helper": "def first(self, names): return next(iter(names))",
        "action": 'self.who = self.first({"ann","bob"})',
    },
    "helper func": {
        "module": "def first(names):\n    return next(iter(names))\n",
        "action": 'self.who = first({"ann","bob"})',
    },
    "returning": {"module": 'def names():\n    return {"ann","bob"}\n', "action": "self.who = list(names())[0]"},
    "class attr": {"members": NAMES, "action": "self.who = list(self.NAMES)[0]"},
    "derived": {"variables": 'self.names = frozenset({"ann","bob"})', "action": "self.who = list(self.names)[0]"},
    "constant": {"members": 'names = Constant(frozenset({"ann","bob"}))', "action": "self.who = list(self.names)[0]"},
    "dict": {"module": 'T={1: {"ann","bob"}}', "action": "self.who = list(T[1])[0]"},
    "keys": {"module": 'T={"ann":1, "bob":2}', "action": 'self.who = list(T.keys() & {"ann","bob"})[0]'},
    "keys2": {"module": 'T={"ann":1, "bob":2}', "action": "self.who = list(T.keys() | T.keys())[0]"},
    "set()": {"action": 's = set(); s.add("ann"); s.add("bob"); self.who = list(s)[0]'},
    "set(list)": {"action": 'self.who = list(set(["ann","bob"]))[0]'},
    "set(some)": {"action": 'self.who = list(set(["ann","bob"])|set(self.some))[0]'},
    "map set": {"action": 'self.who = list(list(map(set, [["ann","bob"]]))[0])[0]'},
    "module body": {"module": 'L = list({"ann","bob"})', "action": "self.who = L[0]"},
    "module loop": {"module": 'L = []\nfor n in {"ann","bob"}: L.append(n)', "action": "self.who = L[0]"},
    "module call": {"module": 'def f():\n    return list({"ann","bob"})\nL = f()', "action": "self.who = L[0]"},
    "class body": {"members": 'L = list({"ann","bob"})', "action": "self.who = self.L[0]"},
    "default": {
        "helper": 'def first(self, names={"ann","bob"}): return next(iter(names))',
        "action": "self.who = self.first()",
    },
    "closure": {
        "module": 'def mk():\n    names={"ann","bob"}\n    def f(): return next(iter(names))\n    return f\nf = mk()',
        "action": "self.who = f()",
    },
    "object": {
        "module": 'class Box:\n    def __init__(self): self.names = {"ann","bob"}\nB=Box()',
        "action": "self.who = list(B.names)[0]",
    },
    "object fresh": {
        "module": 'class Box:\n    def __init__(self): self.names = {"ann","bob"}\n',
        "action": "self.who = list(Box().names)[0]",
    },
    "partial": {"module": 'F=functools.partial(list, {"ann","bob"})', "action": "self.who = F()[0]"},
    "any fails": {"prop": 'any(1 // (len(x) - 3) for x in {"ann","bobo"})'},
    "min key": {"action": 'self.who = min({"ann","bob"}, key=len)'},
    "sorted key": {"action": 'self.who = sorted({"ann","bob"}, key=len)[0]'},
    "enum": {
        "module": 'class K(enum.Enum):\n    A="ann"\n    B="bob"\nS={K.A,K.B}',
        "action": "self.who = list(S)[0].value",
    },
    "enumerate": {"module": NAMES, "action": "for i, w in enumerate(NAMES):\n            if i == 0: self.who = w"},
    "zip": {"module": NAMES, "action": "self.who = dict(zip([1,2,3], NAMES))[1]"},
    "ternary": {"module": NAMES, "action": 's = NAMES if self.n else {"bob","cid"}\n        self.who = list(s)[0]'},
    "match": {"module": NAMES, "action": 's = NAMES - {"cid"}\n        for w in s: self.who = w'},
    "tuple assigned": {"module": NAMES, "action": "a, b = NAMES, 1\n        for w in a: self.who = w"},
    "with dict literal": {"module": NAMES, "action": 'd = {"x": NAMES}\n        for w in d["x"]: self.who = w'},
    "domain": {"variables": 'self.w = Enum(*{"ann","bob"})'},
    "domain init": {"variables": 'self.w = Enum("ann","bob", init=next(iter({"ann","bob"})))'},
    "param": {"module": NAMES, "helper": "@action(w=NAMES)\n    def set_it(self, w): self.who = w"},
    "walrus": {"module": NAMES, "action": 'if (s := {"ann","bob"}): self.who = list(s)[0]'},
    "sum effects": {
        "module": NAMES,
        "helper": "def mark(self, n):\n        self.who = n\n        return 0",
        "action": "sum(self.mark(n) for n in NAMES)",
    },
    "callee alias": {
        "module": "def g(names):\n    return next(iter(names))\nf = g",
        "action": 'self.who = f({"ann","bob"})',
    },
    "method alias": {
        "module": "class B:\n    def f(self, names): return next(iter(names))\nb=B().f",
        "action": 'self.who = b({"ann","bob"})',
    },
    "lambda": {"module": "f = lambda names: next(iter(names))", "action": 'self.who = f({"ann","bob"})'},
    "lambda ret": {"module": 'f = lambda: {"ann","bob"}', "action": "self.who = list(f())[0]"},
    "property": {
        "helper": '@property\n    def names(self): return {"ann","bob"}',
        "action": "self.who = list(self.names)[0]",
    },
    "property pure": {
        "helper": '@property\n    def names(self): return {"ann","bob"}\n    def f(self): return self.names',
        "action": "self.who = list(self.f())[0]",
    },
    "staticm": {
        "helper": "@staticmethod\n    def f(names): return list(names)",
        "action": 'self.who = self.f({"ann","bob"})[0]',
    },
    "kwarg": {
        "helper": "def f(self, names): return list(names)",
        "action": 'self.who = self.f(names={"ann","bob"})[0]',
    },
    "vararg": {"helper": "def f(self, *names): return list(names[0])", "action": 'self.who = self.f({"ann","bob"})[0]'},
    "starcall": {"helper": "def f(self, a, b): return a", "action": 'self.who = self.f(*{"ann","bob"})'},
    "aug": {"action": 's = {"ann"}\n        s |= {"bob"}\n        self.who = list(s)[0]'},
    "update": {"action": 's = {"ann"}\n        s.update(["bob"])\n        self.who = list(s)[0]'},
    "field": {
        "module": "from dataclasses import *\n@dataclass\nclass B:\n    names: set = field(default_factory=set)\n",
        "action": 'b = B(); b.names.add("ann"); b.names.add("bob"); self.who = list(b.names)[0]',
    },
    "field init": {
        "module": "import dataclasses\n@dataclasses.dataclass\nclass B:\n    names: set\n",
        "action": 'b = B({"ann","bob"})\n        self.who = list(b.names)[0]',
    },
    "named tuple": {
        "module": "import typing\nclass B(typing.NamedTuple):\n    names: set\n",
        "action": 'b = B({"ann","bob"})\n        self.who = list(b.names)[0]',
    },
    "global nt": {
        "module": 'import typing\nclass B(typing.NamedTuple):\n    names: set\nG=B({"ann","bob"})',
        "action": "self.who = list(G.names)[0]",
    },
    "method of object": {
        "module": "class B:\n    names = {'a', 'bc'}\n    def one(self): return [*self.names][0]\nG=B()",
        "action": "self.n = len(G.one())",
    },
    "named like a variable": {
        "module": "class B: pass",
        "action": 'b = B(); b.some = {"ann","bob"}; self.who = list(b.some)[0]',
    },
    "a computed name": {"members": NAMES, "action": 'self.who = list(getattr(self, "NA" + "MES"))[0]'},
    "slots": {
        "module": 'class B:\n    __slots__ = ("names",)\n    def __init__(self): self.names = {"ann","bob"}\nG=B()',
        "action": "self.who = list(G.names)[0]",
    },
    "setattr": {
        "module": 'class B: pass\nG=B()\nsetattr(G, "names", {"ann","bob"})',
        "action": "self.who = list(G.names)[0]",
    },
    "getattr": {"members": NAMES, "action": 'self.who = list(getattr(self, "NAMES"))[0]'},
    "import": {
        "module": 'NAMES = {"ann", "bob", "cid"}\nimport sys\nM=sys.modules[__name__]',
        "action": "self.who = list(M.NAMES)[0]",
    },
    "subclass": {"module": 'class S(set): pass\nG=S(["ann","bob"])', "action": "self.who = list(G)[0]"},
    "subclass fresh": {"module": "class S(set): pass\n", "action": 'self.who = list(S(["ann","bob"]))[0]'},
    "fs method": {"action": 'self.who = list(frozenset().union(["ann","bob"]))[0]'},
    "fs from": {"module": "mk = frozenset", "action": 'self.who = list(mk(["ann","bob"]))[0]'},
    "set in tuple": {"module": "mk = (frozenset, set)", "action": 'self.who = list(mk[0](["ann","bob"]))[0]'},
    "reduce": {"action": 'self.who = functools.reduce(lambda a, b: a, {"ann","bob"})'},
    "operator": {
        "module": 'import operator\nT={"ann":1,"bob":2}',
        "action": "self.who = list(operator.or_(T.keys(), T.keys()))[0]",
    },
    "view method": {"module": 'T={"ann":1,"bob":2}', "action": "k = T.keys()\n        self.who = list(k & k)[0]"},
    "view rest": {"module": 'T={"ann":1,"bob":2}\nK=T.keys()', "action": "self.who = list(K & K)[0]"},
    "class call": {
        "module": 'class B:\n    def __call__(self): return {"ann","bob"}\nG=B()',
        "action": "self.who = list(G())[0]",
    },
    "getitem": {
        "module": 'class B:\n    def __getitem__(self, i): return {"ann","bob"}\nG=B()',
        "action": "self.who = list(G[0])[0]",
    },
    "generator": {"module": 'def g():\n    yield {"ann","bob"}\n', "action": "self.who = list(next(g()))[0]"},
    "type()": {"module": "K = type(frozenset())", "action": 'self.who = list(K(["ann","bob"]))[0]'},
    "iter global": {"module": 'I = tuple(iter({"ann","bob"}))', "action": "self.who = I[0]"},
    "dictcomp": {"module": 'I = {n: 1 for n in {"ann","bob"}}', "action": "self.who = list(I)[0]"},
    "reachable loop": {
        "module": 'L = []\ndef fill():\n    for n in {"ann","bob"}: L.append(n)\nfill()',
        "action": "self.who = L[0]",
    },
    "class init": {
        "module": 'class B:\n    def __init__(self): self.names = list({"ann","bob"})\nG=B()',
        "action": "self.who = G.names[0]",
    },
    "nested module name": {"module": 'A = list({"ann","bob"})\nB = A[0]', "action": "self.who = B"},
    "constant order": {"members": 'first = Constant(next(iter({"ann","bob"})))', "action": "self.who = self.first"},
    "param body": {"helper": '@action(w=list({"ann","bob"})[:1])\n    def st(self, w): self.who = w'},
    "param lambda": {"helper": '@action(w=lambda self: list({"ann","bob"})[:1])\n    def st(self, w): self.who = w'},
    "max ties": {"action": "self.who = max(NAMES, key=lambda n: 0)", "module": NAMES},
    "walrus gen": {
        "module": NAMES,
        "action": 'y = "ann"\n        sum((y := n) == "" for n in NAMES)\n        self.who = y',
    },
}
ASTRAY |= {
    "views handed on": {
        "module": 'T={"ann":1, "bob":2}\ndef both(a, b):\n    return a | b\n',
        "action": "self.who = list(both(T.keys(), T.keys()))[0]",
    },
    "hash": {"module": 'H = hash("ann") % 4', "action": "self.n = 0 * self.n + H"},
    "networkx": {
        "module": "import networkx\nG = networkx.Graph([('ann', 'bob'), ('bob', 'cid')])\n"
        "L = [list(part) for part in networkx.connected_components(G)]",
        "action": "self.who = L[0][0]",
    },
    "a property": {"module": NAMES, "prop": "self.who != next(iter(NAMES))"},
    "a branch": {
        "module": NAMES,
        "action": "for w in NAMES:\n            if self.held[w]:\n                self.who = w",
    },
}
ASTRAY |= {
    "another self": {
        "module": "class B: pass",
        "action": 'spec, self = self, B(); self.some = {"ann","bob"}; spec.who = list(self.some)[0]; self = spec',
    },
    "self of a static method": {
        "module": "class B: pass",
        "helper": '@staticmethod\n    def first(self):\n        self.some = {"ann","bob"}\n        return [*self.some]',
        "action": "self.who = self.first(B())[0]",
    },
    "compared by who looks at it": {
        "module": "class B:\n    def __eq__(self, other):\n        self.got = [*other][0]\n        return True\n",
        "action": 'b = B(); b == {"ann","bob"}; self.who = b.got',
    },
    "united by who looks at it": {
        "module": 'B = type("B", (), {"__or__": lambda self, other: [*other][0]})',
        "action": 'self.who = B() | {"ann","bob"}',
    },
    "compared by one of two": {
        "module": "class B:\n    def __eq__(self, other):\n        self.got = [*other][0]\n        return True\n",
        "action": 'b = B(); (b if len("ann") else self.some) == {"ann","bob"}; self.who = b.got',
    },
    "a lambda in a lambda": {
        "module": "class A:\n    def __eq__(self, other): return [*other][0]\nclass B: some = A()\n",
        "helper": 'first = lambda self: (lambda b: b.some == {"ann","bob"})(B())',
        "action": "self.who = self.first()",
    },
    "a sequence that grows by it": {
        "variables": 'self.row = Seq(Enum("ann","bob"), 8)',
        "action": 'self.row += {"ann","bob"}',
    },
    "a map that is united with it": {
        "variables": 'self.m = Map(["x"], Enum("ann","bob"))',
        "action": 'self.m |= {("x","ann"),("x","bob")}',
    },
    "a sequence in an array": {
        "variables": 'self.rows = Array(2, Seq(Enum("ann","bob"), 8))',
        "action": 'self.rows[1] += {"ann","bob"}',
    },
}
BY_ADDRESS = {
    "texts of objects": {
        "module": "class A: pass\nOBJECTS = [A() for _ in range(3)]",
        "action": "self.n = 0 * self.n + int(str(OBJECTS[1])[-4], 16) % 3",
    },
    "sorted by their texts": {
        "module": "class A: pass\nOBJECTS = [A() for _ in range(3)]",
        "action": "self.n = 0 * self.n + sorted(range(3), key=lambda n: f'{OBJECTS[n]}')[0]",
    },
    "told among others": {
        "module": "class A: pass",
        "helper": "def number(self):\n        return int(('%s' % [A()])[-5], 16) % 3",
        "action": "self.n = 0 * self.n + self.number()",
    },
    "of a class of a function": {
        "module": "def made():\n    class A: pass\n    return A()",
        "action": "self.n = 0 * self.n + int('{}'.format(made())[-4], 16) % 3",
    },
    "of object": {"module": "OBJECT = object()", "action": "self.n = 0 * self.n + int(str(OBJECT)[-4], 16) % 3"},
    "of a function": {
        "module": "def called(): pass",
        "action": "self.n = 0 * self.n + int(f'{called}'[-4], 16) % 3",
    },
    "of functions that are sorted": {
        "module": "def one(): pass\ndef two(): pass\nWAYS = [one, two]",
        "prop": "self.n == 0 or sorted(WAYS, key=str)[0] == one",
    },
    "of a method": {
        "module": "class A:\n    def one(self): pass\n    def __repr__(self): return 'A'",
        "prop": "str(A.one)[-4] != '0'",
    },
    "of what a partial holds": {
        "module": "import functools\nCALLED = functools.partial(lambda: 1)",
        "prop": "'%s' % CALLED != ''",
    },
    "of a method of a text": {"prop": "str(''.join) != ''"},
    "of a function that stands there": {"module": "TEXT = str(lambda: 1)", "prop": "TEXT != ''"},
    "of a function by its name": {
        "helper": "def number(self):\n        def called(): pass\n        return int(f'{called}'[-4], 16) % 3",
        "action": "self.n = 0 * self.n + self.number()",
    },
    "set of classes": {
        "module": "class A: name = 'ann'\nclass B: name = 'bob'\nclass C: name = 'cid'\nS = {A, B, C}",
        "action": "self.who = next(iter(S)).name",
    },
}
"""Their order hangs on addresses, which are not always others in another process."""
FINE: dict[str, dict[str, str]] = {
    "choose": {"module": NAMES, "action": "self.who = choose(NAMES)"},
    "in": {"module": NAMES, "prop": "self.who in NAMES"},
    "in const": {"prop": 'self.who in {"ann", "bob"}'},
    "sorted": {"module": NAMES, "action": "for n in sorted(NAMES): self.held[n] = True"},
    "len": {"module": NAMES, "prop": "len(NAMES) == 3"},
    "all": {"module": NAMES, "prop": "all(self.who != n or self.n == 3 for n in NAMES)"},
    "any": {"module": NAMES, "prop": "any(self.who == n for n in NAMES)"},
    "sum": {"module": NAMES, "prop": "sum(self.held[n] for n in NAMES) == 0"},
    "max": {"module": NAMES, "prop": 'max(NAMES) == "cid"'},
    "state": {"action": 'self.some = {"ann","bob"}', "prop": 'self.some == {"ann","bob"}'},
    "state or": {"action": 'self.some |= {"ann","bob"}', "prop": 'self.some == {"ann","bob"}'},
    "state of states": {
        "variables": 'self.two = Array(2, Set(["ann","bob"]))',
        "action": 'self.two[self.n - self.n] = {"ann","bob"}',
        "prop": 'self.two[0] == {"ann","bob"}',
    },
    "issubset": {"module": NAMES, "prop": "self.some.issubset(NAMES)"},
    "helper in": {
        "helper": "def isin(self, x, names): return x in names",
        "prop": 'self.isin(self.who, {"ann","bob"})',
    },
    "local": {"module": NAMES, "action": 's = NAMES | {"dan"}\n        require(self.who in s)'},
    "ints": {"module": "S={1,2,3}", "action": "for i in S: self.n = 0 * i + self.n"},
    "ints lit": {"action": "for i in {1,2,3}: self.n = 0 * i + self.n"},
    "init": {"variables": 'self.t = Set(Enum("ann","bob"), init={"ann","bob"})'},
    "anyof": {"variables": 'self.t = Enum("ann","bob", init=AnyOf({"ann","bob"}))'},
    "returning, harmless": {"module": 'def names():\n    return {"ann","bob"}\n', "prop": "self.who in names()"},
    "setcomp len": {"prop": 'len({n for n in ("ann","bob")}) == 2'},
    "closure, harmless": {"module": NAMES, "prop": 'all(n in NAMES for n in ("ann","bob"))'},
    "ternary, harmless": {"module": NAMES, "action": 'require(self.who in (NAMES if self.n else {"ann"}))'},
    "dom": {
        "helper": "def dom(self): return {k for k in range(3) if self.n}",
        "action": "for k in self.dom(): self.n = self.n + 0 * k",
    },
    "annot": {"module": "def f(x: set[str]) -> set: return x\n", "prop": 'self.who in f({"ann", "bob", "cid", "dan"})'},
    "local closure": {"action": 's = {"ann","bob"}\n        require(all(x in s for x in ("ann",)))'},
    "not executed": {"module": 'def main():\n    for x in {"a","b"}: print(x)\n'},
    "a loop that counts": {
        "module": NAMES,
        "action": "k = 0\n        for w in NAMES:\n            if self.held[w]: k += 1\n        self.n = min(k, 3) - 1",
    },
    "a loop that clears": {"module": NAMES, "action": "for w in NAMES: self.held[w] = False"},
    "a loop that asks": {
        "module": NAMES,
        "action": "for w in NAMES:\n            if self.held[w]: self.held[w] = False",
    },
    "first found": {
        "module": NAMES,
        "action": "for w in NAMES:\n            if self.who == w:\n                self.n = 2\n                break",
    },
    "max of state": {
        "module": NAMES,
        "variables": 'self.m = Map(Enum("ann","bob","cid"), Int(0, 4))',
        "prop": "max(self.m[w] for w in NAMES) < 4",
    },
    "sum of state": {
        "module": NAMES,
        "variables": 'self.m = Map(Enum("ann","bob","cid"), Int(0, 4))',
        "prop": "sum(self.m[w] for w in NAMES) < 4",
    },
    "union": {"module": NAMES, "action": 'self.some = NAMES | {"dan"}'},
    "comprehension": {"module": NAMES, "action": "self.some = {w for w in NAMES if self.held[w]}"},
}


def source(given: dict[str, str]) -> str:
    """The text of a spec with these parts."""
    empty = {"module": "", "members": "", "variables": "", "action": "pass", "helper": "", "prop": "True"}
    return SPEC.format(**{**empty, **given})


def made(spec: Callable[[], Spec]) -> Any:
    """What a form is in this process: the traced spec as plain data, or the code with which it is refused."""
    try:
        return portable(traced(spec()))
    except EverystateError as error:
        return error.code


def imported(name: str, folder: Path) -> Spec:
    """The same spec, as Python imports it."""
    path = folder / f"form{[*FINE].index(name)}.py"
    path.write_text(source(FINE[name]))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Spec = module.Generated()
    return found


def everything(folder: Path) -> dict[str, Any]:
    """All forms as they are in this process, and those that are fine where it chooses the order of plain sets."""
    forms = {**ASTRAY, **FINE}
    found = {name: made(partial(load, source(forms[name]), folder)) for name in forms}
    Orders(int(os.environ["PYTHONHASHSEED"])).install()
    return found | {f"{name}, turned": made(partial(imported, name, folder)) for name in FINE}


if __name__ == "__main__":
    sys.stdout.buffer.write(pickle.dumps(everything(Path(sys.argv[1]))))
