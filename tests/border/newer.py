"""Hostile Python that only newer versions have: its text is no Python, or another one, before 3.14."""

from __future__ import annotations

from .hostile import Hostile

_BUMP = "def bump():\n    LOG.append(1)\n    return len(LOG) > 9\n"
_LAZY = f"{_BUMP}class C:\n    x: bump()\n"
_IS = "def ask():\n    return lambda v: v is SEVEN\n"
_DISPATCH = """
class Asks:
    @functools.singledispatchmethod
    def what(self, v):
        return "other"

    @what.register
    def _(self, v: int):
        return {}

ASKS = Asks()
"""

NEWER = [
    # texts that are templates
    Hostile("t'{self.n}'.values[0] == 7"),
    Hostile("t'{self.n}'.values[0] is SEVEN", "E230"),
    Hostile("f'{t\"{self.n}\".values[0]}' == '7'"),
    Hostile(
        "told(t'a{self.n}b') == 'a7b'",
        "same",
        "def told(t):\n    return ''.join(p if isinstance(p, str) else str(p.value) for p in t)\n",
    ),
    Hostile("t'{self.n:{self.n}}'.interpolations[0].format_spec == '7'"),
    Hostile("T.values[0].append(1)\nreturn len(T.values[0]) > 12", "E232", "T = t'{[]}'\n"),
    # annotations are made when they are asked for
    Hostile("C.__annotations__['x']", "E230", _LAZY),
    Hostile("getattr(C, '__annot' + 'ations__')['x']", "E230", _LAZY),
    Hostile("C.__annotate__(1)['x']", "E230", _LAZY),
    Hostile("typing.get_type_hints(C)['x']", "E230", f"import typing\n{_LAZY}"),
    Hostile("annotationlib.get_annotations(C)['x']", "E232", f"import annotationlib\n{_LAZY}", everywhere=True),
    Hostile("GIVE(1)['x']", "E232", f"{_LAZY}GIVE = C.__annotate__\n"),
    Hostile("GIVE(1)['x'](self.n)", "E230", f"{_IS}class C:\n    x: ask()\nGIVE = C.__annotate__\n"),
    Hostile("@dataclass\nclass G:\n    x: LOG.append(1) = 3\nreturn len(LOG) > 9", "E230"),
    Hostile("def g(x: (LOG.append(1) or 1)): pass\nreturn len(LOG) > 9 or self.n == 7"),
    Hostile("C.T.evaluate_value(1)", "E232", f"{_BUMP}class C:\n    type T = bump()\n"),
    Hostile("C.T.evaluate_value(1)(self.n)", "E230", f"{_IS}class C:\n    type T = ask()\n"),
    Hostile("P.evaluate_bound(1)(self.n)", "E230", f"{_IS}def g[T: ask()](x): pass\nP = g.__type_params__[0]\n"),
    Hostile("K[int]().f(self.n)", "E230", "class K[T]:\n    def f[U](self, v: U) -> T: return v is SEVEN\n"),
    Hostile(
        "Helper().ask(self.n)",
        "same",
        "class Helper:\n    when: nowhere.x\n    def ask(self, v: not_there.x) -> nothing: return v == 7\n",
    ),
    Hostile(
        "D(x=self.n) == D(x=7)",
        "same",
        "import dataclasses as d\n@d.dataclass(frozen=True)\nclass D:\n    x: nowhere.x = d.field(doc='an x')\n",
    ),
    Hostile(
        "Helper().x == 1 and self.n == 7",
        "same",
        "import pathlib\nclass Helper:\n    what: type | pathlib.Path\n    x = 1\n",
    ),
    # handlers, and functions that Python has since then
    Hostile("try:\n    return 1 // (self.n - 7) > 99\nexcept ZeroDivisionError, ValueError:\n    return True", "E230"),
    Hostile("functools.partial(operator.eq, functools.Placeholder, 7)(self.n)"),
    Hostile("F(self.n)", "E230", "F = functools.partial(operator.is_, functools.Placeholder, SEVEN)\n"),
    Hostile("operator.is_none(self.maybe) and self.n == 8"),
    Hostile("operator.is_not_none(self.maybe)"),
    Hostile("list(map(operator.add, [self.n], [1], strict=True)) == [8]"),
    Hostile("h = [3, self.n]\nheapq.heapify_max(h)\nreturn h[0] == 7", "same", "import heapq\n"),
    Hostile("heapq.heappush_max(HEAP, 1)\nreturn len(HEAP) > 10", "E232", "import heapq\nHEAP = []\n"),
    Hostile("Fraction.from_number(self.n) == 7"),
    Hostile("self.n in Level and self.n == 7"),
    Hostile("interpreters.create() and self.n == 7", "E232", "from concurrent import interpreters\n", everywhere=True),
    Hostile("P.info.exists() or self.n == 7", "E232", "import pathlib\nP = pathlib.Path('/nowhere')\n"),
    Hostile("ASKS.what(self.n) == 'number' and self.n == 7", "same", _DISPATCH.format("'number'")),
    Hostile("ASKS.what(self.n)", "E230", _DISPATCH.format("v is SEVEN")),
    # what Python asks itself since then
    Hostile("all(v is SEVEN for v in [self.n])", "E230"),
    Hostile("tuple(v for v in [self.n])[0] == 7 and any(v == 7 for v in [self.n])"),
]
