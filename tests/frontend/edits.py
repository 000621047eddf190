"""Ordinary edits, each of which makes a spec that was proved fail: a count that stayed at three goes on."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

SPEC = """
from everystate.checker import *
{top}

class S(Spec):
    may_terminate = True
    {inside}

    def variables(self):
        self.n = Int(0, 9)
        {declared}

    @action
    def up(self):
        {first}
        require(self.n < {limit})
        self.n += 1

    @invariant
    def low(self):
        return self.n <= 3
"""


@dataclass(frozen=True)
class Edit:
    """An edit: the parts of the spec, files beside it, and what changes in each: old text and new text.

    `limit` is an expression for the count. `change` does what is no edit of a text. `refused`: the content is not known
    in full, so nothing is stored.
    """

    name: str
    limit: str = "MOST"
    top: str = ""
    inside: str = ""
    declared: str = ""
    first: str = ""
    files: dict[str, str] = field(default_factory=dict)
    old: str = "3"
    new: str = "5"
    where: str = "other.py"
    change: Callable[[Path], None] | None = None
    refused: bool = False

    def write(self, folder: Path) -> None:
        """The files before the edit."""
        parts = {name: textwrap.dedent(text).strip() for name, text in vars(self).items() if name in PARTS}
        parts = {name: text.replace("\n", "\n" + PARTS[name] * " ") for name, text in parts.items()}
        (folder / "spec.py").write_text(_filled(SPEC.format(**parts)))
        for name, text in self.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(_filled(text))

    def apply(self, folder: Path) -> None:
        """The edit itself."""
        if self.change is not None:
            self.change(folder)
        elif self.where != "environment":
            path = folder / self.where
            text = path.read_text()
            assert self.old in text
            path.write_text(text.replace(self.old, self.new))


def _filled(text: str) -> str:
    """The text of a file: <q> and <json> are what the files q and q.json have."""
    read = "pathlib.Path(__file__).with_name({!r}).read_text()"
    text = text.replace("<json>", f"json.loads({read.format('q.json')})")
    return text.replace("<q>", f"int({read.format('q')})")


PARTS = {"top": 0, "inside": 4, "declared": 8, "first": 8, "limit": 0}
"""The parts of the spec, with their indentation."""


def _same_size_and_time(folder: Path) -> None:
    path = folder / "other.py"
    stat = path.stat()
    path.write_text(path.read_text().replace("3", "5"))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


def _symlink(folder: Path) -> None:
    (folder / "elsewhere.txt").write_text("MOST = 5\n")
    (folder / "other.py").unlink()
    (folder / "other.py").symlink_to(folder / "elsewhere.txt")


def _package(folder: Path) -> None:
    """A newer version of an installed package."""
    path = folder / "site-packages" / "quota" / "__init__.py"
    path.write_text(path.read_text().replace("3", "5 + 0"))
    (folder / "site-packages" / "quota-1.dist-info").rename(folder / "site-packages" / "quota-2.dist-info")


def _variables_file(name: str, read: str, text: str) -> Edit:
    """A number that `variables()` reads from a file."""
    top = "import csv, json, os, pathlib, tomllib\nHERE = pathlib.Path(__file__).parent"
    files = {name: text}
    return Edit(f"{name} in variables()", "self.most", top, declared=f"self.most = {read}", files=files, where=name)


CONSTANT = {"other.py": "MOST = 3\n"}
IMPORT = "from other import MOST"
EDITS = [
    Edit("a constant in another module", top=IMPORT, files=CONSTANT),
    Edit("an attribute of another module", "other.MOST", "import other", files=CONSTANT),
    Edit(
        "a module of a package",
        "rules.other.MOST",
        "import rules.other",
        files={"rules/other.py": "MOST = 3\n"},
        where="rules/other.py",
    ),
    Edit(
        "a name that another module imports",
        top=IMPORT,
        files={"other.py": "from third import *\n", "third.py": "MOST = 3\n"},
        where="third.py",
    ),
    Edit("a module imported in an action", "other.MOST", first="import other", files=CONSTANT, refused=True),
    Edit("a name imported in an action", first="from other import MOST", files=CONSTANT, refused=True),
    Edit(
        "a module imported in a helper",
        "most()",
        "def most():\n    import other\n    return other.MOST",
        files=CONSTANT,
        refused=True,
    ),
    Edit("an attribute found by name", 'getattr(other, "MO" + "ST")', "import other", files=CONSTANT),
    Edit(
        "JSON at the top",
        top="import json, pathlib\nMOST = <json>['most']",
        files={"q.json": '{"most": 3}'},
        where="q.json",
    ),
    Edit(
        "JSON kept as it is",
        'SETTINGS["quota"]["most"]',
        "import json, pathlib\nSETTINGS = <json>",
        files={"q.json": '{"quota": {"most": 3}}'},
        where="q.json",
    ),
    _variables_file("q.json", "json.loads((HERE / 'q.json').read_text())['most']", '{"most": 3}'),
    _variables_file("q.toml", "tomllib.loads((HERE / 'q.toml').read_text())['most']", "most = 3\n"),
    _variables_file("q.csv", "int(next(csv.reader(open(HERE / 'q.csv')))[1])", "most,3\n"),
    Edit(
        "a bound of a domain from a file",
        "self.cap",
        "import pathlib",
        declared="self.cap = <q>\nself.m = Int(0, self.cap)",
        files={"q": "3"},
        where="q",
    ),
    Edit(
        "an initial value from a file",
        "self.m",
        "import pathlib",
        declared="self.m = Int(0, 9, init=<q>)",
        files={"q": "3"},
        where="q",
    ),
    Edit("the environment at the top", top="import os\nMOST = int(os.environ['QUOTA'])", where="environment"),
    Edit(
        "the environment in variables()",
        "self.most",
        "import os",
        declared="self.most = int(os.environ['QUOTA'])",
        where="environment",
    ),
    Edit("the environment in an action", "int(os.environ['QUOTA'])", "import os", where="environment", refused=True),
    Edit(
        "getenv in a helper",
        "most()",
        "import os\ndef most():\n    return int(os.getenv('QUOTA'))",
        where="environment",
        refused=True,
    ),
    Edit(
        "an attribute of an object",
        "quota.most",
        "from other import quota",
        files={"other.py": "class Quota: ...\nquota = Quota()\nquota.most = 3\n"},
    ),
    Edit(
        "a slot of an object",
        "quota.most",
        "from other import quota",
        files={"other.py": "class Quota:\n    __slots__ = ('most',)\nquota = Quota()\nquota.most = 3\n"},
    ),
    Edit(
        "an object in an object",
        "quota.inner['a'].most",
        "from other import quota",
        files={
            "other.py": ("class Quota: ...\nquota = Quota()\nquota.inner = {'a': Quota()}\nquota.inner['a'].most = 3\n")
        },
    ),
    Edit(
        "an object from a file",
        "quota.most",
        "from other import quota",
        files={
            "other.py": "import json, pathlib, types\nquota = types.SimpleNamespace(**<json>)\n",
            "q.json": '{"most": 3}',
        },
        where="q.json",
    ),
    Edit(
        "an argument of a partial",
        "most()",
        "from other import most",
        files={
            "other.py": ("import functools, pathlib\ndef same(n): return n\nmost = functools.partial(same, <q>)\n"),
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a keyword of a partial",
        "most()",
        "from other import most",
        files={"other.py": "import functools\ndef same(*, n): return n\nmost = functools.partial(same, n=3)\n"},
    ),
    Edit(
        "a range",
        "len(SPAN)",
        "from other import SPAN",
        files={
            "other.py": "import os, pathlib\nSPAN = range(<q>)\n",
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a default of a dataclass",
        "Quota().most",
        "from other import Quota",
        files={
            "other.py": (
                "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass Quota:\n    most: int = 3\n"
            )
        },
    ),
    Edit(
        "a field of a dataclass",
        "QUOTA.most",
        "from other import QUOTA",
        files={
            "other.py": (
                "from dataclasses import dataclass\nimport pathlib\n@dataclass(frozen=True)\nclass Quota:\n"
                "    most: int\nQUOTA = Quota(<q>)\n"
            ),
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a named tuple",
        "QUOTA.most",
        "from other import QUOTA",
        files={
            "other.py": ("from typing import NamedTuple\nclass Quota(NamedTuple):\n    most: int\nQUOTA = Quota(3)\n")
        },
    ),
    Edit(
        "an attribute of a class",
        "Quota.most",
        "from other import Quota",
        files={"other.py": "class Quota:\n    most = 3\n"},
    ),
    Edit(
        "an attribute set later",
        "Quota.most",
        "from other import Quota",
        files={
            "other.py": "import pathlib\nclass Quota: ...\nQuota.most = <q>\n",
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "an argument of a decorator",
        "most()",
        "from other import limited\n@limited(3)\ndef most(n): return n",
        files={
            "other.py": (
                "def limited(n):\n    def decorate(f):\n        return lambda: f(n + 0)\n    return decorate\n"
            )
        },
        old="n + 0",
        new="n + 2",
    ),
    Edit(
        "a member of an enum",
        "Quota.MOST.value",
        "from other import Quota",
        files={
            "other.py": "import enum, pathlib\nclass Quota(enum.Enum):\n    MOST = <q>\n",
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a member of an integer enum",
        "Quota.MOST",
        "from other import Quota",
        files={"other.py": "import enum\nclass Quota(enum.IntEnum):\n    MOST = 3\n"},
    ),
    Edit(
        "a base in another file",
        "self.most()",
        "from other import Base\nSpec = Base",
        files={"other.py": "from everystate.checker import Spec\nclass Base(Spec):\n    def most(self): return 3\n"},
    ),
    Edit(
        "a mixin",
        "self.most()",
        "from other import Mixin\nclass Spec(Mixin, Spec): ...",
        files={"other.py": "class Mixin:\n    def most(self): return 3\n"},
    ),
    Edit(
        "a property",
        "self.most",
        "from other import Mixin\nclass Spec(Mixin, Spec): ...",
        files={"other.py": "class Mixin:\n    @property\n    def most(self): return 3\n"},
    ),
    Edit(
        "a static method",
        "Quota.most()",
        "from other import Quota",
        files={"other.py": "class Quota:\n    @staticmethod\n    def most(): return 3\n"},
    ),
    Edit(
        "a class method",
        "Quota.most()",
        "from other import Quota",
        files={"other.py": "class Quota:\n    n = 3\n    @classmethod\n    def most(cls): return cls.n\n"},
    ),
    Edit(
        "a bound method",
        "most()",
        "from other import most",
        files={
            "other.py": (
                "class Quota:\n    def __init__(self, n): self.n = n\n    def most(self): return self.n\n"
                "most = Quota(3).most\n"
            )
        },
    ),
    Edit(
        "a cached helper",
        "most()",
        "from other import most",
        files={"other.py": "import functools\n@functools.lru_cache\ndef most(): return 3\n"},
    ),
    Edit(
        "a generator",
        "sum(ones())",
        "from other import ones",
        files={"other.py": "def ones():\n    yield 1\n    yield 2\n"},
        old="yield 2",
        new="yield 4",
    ),
    Edit(
        "a default argument",
        "most()",
        "from other import most",
        files={
            "other.py": "import pathlib\ndef most(n=<q>): return n\n",
            "q": "3",
        },
        where="q",
    ),
    Edit("a default keyword", "most()", "from other import most", files={"other.py": "def most(*, n=3): return n\n"}),
    Edit(
        "a lambda in a dictionary",
        "RULES['most']()",
        "from other import RULES",
        files={"other.py": "RULES = {'most': lambda: 3}\n"},
    ),
    Edit(
        "a closure in a closure",
        "most()",
        "from other import most",
        files={
            "other.py": (
                "import pathlib\ndef outer(n):\n    def middle():\n        def inner(): return n\n"
                "        return inner\n    return middle()\nmost = outer(<q>)\n"
            ),
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a type alias",
        "len(get_args(Quota))",
        "from typing import get_args\nfrom other import Quota",
        files={"other.py": "from typing import Literal\nQuota = Literal[1, 2, 4]\n"},
        old="4",
        new="4, 5, 6",
    ),
    Edit(
        "__init_subclass__",
        "Mine.most",
        "from other import Quota\nclass Mine(Quota): ...",
        files={"other.py": "class Quota:\n    def __init_subclass__(cls):\n        cls.most = 3\n"},
    ),
    Edit(
        "a metaclass",
        "Quota.most",
        "from other import Quota",
        files={"other.py": "class Meta(type):\n    most = 3\nclass Quota(metaclass=Meta): ...\n"},
    ),
    Edit(
        "a class decorator",
        "Quota.most",
        "from other import limited\n@limited\nclass Quota: ...",
        files={
            "other.py": "import pathlib\ndef limited(cls):\n    cls.most = <q>\n    return cls\n",
            "q": "3",
        },
        where="q",
    ),
    Edit(
        "a constant of the spec", "self.most", "from other import MOST", inside="most = Constant(MOST)", files=CONSTANT
    ),
    Edit(
        "a class attribute of the spec",
        "self.most",
        "import pathlib",
        inside="most = <q>",
        files={"q": "3"},
        where="q",
    ),
    Edit(
        "values of a parameter",
        "3",
        "from other import STEPS",
        inside="@action(k=lambda self: STEPS)\ndef jump(self, k):\n    require(self.n == 0)\n    self.n = k",
        files={"other.py": "STEPS = [1, 3]\n"},
    ),
    Edit("a sequence", "max(STEPS)", "from other import STEPS", files={"other.py": "STEPS = (1, [2, 3][1])\n"}),
    Edit("a set", "max(STEPS)", "from other import STEPS", files={"other.py": "STEPS = frozenset({1, 3})\n"}),
    Edit(
        "a set of tuples",
        "sum(n for _, n in STEPS)",
        "from other import STEPS",
        files={"other.py": "STEPS = frozenset({('a', 1), ('b', 2)})\n"},
        old="2",
        new="4",
    ),
    Edit(
        "a record",
        "BOX.most",
        "from other import BOX",
        files={
            "other.py": (
                "from everystate.checker import *\nclass Box(Record):\n    most = Int(0, 9)\nBOX = Box(most=3)\n"
            )
        },
    ),
    Edit(
        "a method of a record",
        "self.box.most()",
        "from other import Box",
        declared="self.box = Box.of()",
        files={
            "other.py": (
                "from everystate.checker import *\nclass Box(Record):\n    n = Int(0, 9)\n"
                "    def most(self): return 3\n"
            )
        },
    ),
    Edit(
        "another module that patches one",
        "other.MOST",
        "import other, patch",
        files={**CONSTANT, "patch.py": "import other\nother.MOST = 3\n"},
        where="patch.py",
    ),
    Edit(
        "an installed package",
        "quota.MOST",
        ("import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent / 'site-packages'))\nimport quota"),
        files={
            "site-packages/quota/__init__.py": "MOST = 3\n",
            "site-packages/quota-1.dist-info/METADATA": "Name: quota\n",
        },
        change=_package,
    ),
    Edit(
        "a function of an installed package",
        "quota.most()",
        ("import sys, pathlib\nsys.path.insert(0, str(pathlib.Path(__file__).parent / 'site-packages'))\nimport quota"),
        files={
            "site-packages/quota/__init__.py": "from quota.inner import most\n",
            "site-packages/quota/inner.py": "def most():\n    return 3\n",
        },
        where="site-packages/quota/inner.py",
        new="5 + 0",
    ),
    Edit("same size, same time", top=IMPORT, files=CONSTANT, change=_same_size_and_time),
    Edit("a file becomes a link", top=IMPORT, files=CONSTANT, change=_symlink),
    Edit("the spec itself", "3", where="spec.py", old="n < 3", new="n < 5"),
    Edit("its invariant", "3", where="spec.py", old="n <= 3", new="n <= 2"),
]
