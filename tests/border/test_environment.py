"""A spec that asks its environment is made again in another one: E138 where that is another spec, by whichever way."""

from __future__ import annotations

import importlib
import math
import os
import re
import subprocess
import sys
from contextlib import closing
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from everystate.checker.border import examine
from everystate.checker.border.environment import Asked, bare, other
from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError, Where
from everystate.checker.ir import reproducibility
from everystate.checker.ir.model import traced
from everystate.checker.ir.portable import portable
from everystate.checker.ir.sameness import differing
from tests.agreement.readers import load

pytestmark = pytest.mark.usefixtures("other_environments")

SPEC = """
import os, sys, threading
from everystate.checker import *

{module}


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < {most})
        self.n += 1

    @invariant
    def fine(self):
        return self.n != 7
"""
ASK = "(9 if os.environ.get('MOST') else 3)"
WAYS = {
    "a decorator": (f"def deco(cls):\n    cls.most = {ASK}\n    return cls\n@deco\nclass K: pass", "K.most"),
    "a generator": (f"def given():\n    yield {ASK}\nM = next(given())", "M"),
    "a descriptor": (
        f"class D:\n    def __set_name__(self, own, name): own.most = {ASK}\nclass K:\n    d = D()",
        "K.most",
    ),
    "a module by its name": (f"sys.modules[__name__].M = {ASK}", "M"),
    "a thread": (
        f"KEPT = []\nput = threading.Thread(target=lambda: KEPT.append({ASK}))\nput.start(); put.join()",
        "KEPT[0]",
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_where_something_is_asked(way: str, tmp_path: Path) -> None:
    """PROVED without the variable, and VIOLATED with it: nobody saw who takes the answer"""
    module, most = WAYS[way]
    asked = examine(load(SPEC.format(module=module, most=most), tmp_path), symbols=True).asked
    assert asked is not None
    assert "MOST" in asked.names and asked.names.isdisjoint(("PATH", "PYTHONHASHSEED"))
    assert asked.place.line == 5 + module[: module.index("os.environ")].count("\n")


THROUGH_OTHERS = [
    # what names do not say that it is asked, or a library asks
    "M = 9 if os.path.expanduser('~') == '/zz' else 3",
    "import pathlib\nM = 9 if str(pathlib.Path.home()) == '/zz' else 3",
    "M = 9 if os.getcwd().endswith('zz') else 3",
    "import tempfile\nM = 9 if tempfile.gettempdir() == '/var' else 3",
    "import shutil\nM = 9 if shutil.which('more') else 3",
    "import locale\nM = 9 if locale.setlocale(locale.LC_ALL, '') == 'C' else 3",
    "import datetime\nM = 9 if datetime.datetime.fromtimestamp(0).hour else 3",
    "from urllib.request import getproxies_environment as given\nM = 9 if given() else 3",
    "M = 9 if sys.flags.dev_mode else 3",
    "M = 9 if 'pytest' in sys.modules else 3",
    "M = 9 if 'MOST' in getattr(os, 'environ') else 3",
    "M = 9 if 'MOST' in vars(os)['environ'] else 3",
    "import operator\nM = 9 if 'MOST' in operator.attrgetter('environ')(os) else 3",
    "import importlib\nM = 9 if 'MOST' in vars(importlib.import_module('os'))['environ'] else 3",
    "import ctypes\nM = 9 if ctypes.CDLL(None).getenv(b'MOST') else 3",
    "with open(os.devnull) as more: exec(more.read() or 'M = 3')",
    "import click\nM = 3",  # an installed library
    # what is called by whoever has an object
    f"class Held:\n    @property\n    def most(self): return {ASK}\nM = Held().most",
    f"class Own(threading.Thread):\n    def run(self): sys.intern(str({ASK}))\nM = 3",
    f"import ast\nclass Seen(ast.NodeVisitor):\n    def visit_Module(self, node): self.most = {ASK}\nM = 3",
]
NEIGHBOURS = {
    "an object in the place of a module": (
        {"neighbour.py": f"import os, sys\nclass Held:\n    most = {ASK}\nsys.modules[__name__] = Held()"},
        "import neighbour",
    ),
    "a function of a neighbour": (
        {"neighbour.py": f"import os\ndef ask(kept): kept.append({ASK})"},
        "import neighbour\nput = threading.Thread(target=neighbour.ask, args=([],))\nput.start(); put.join()",
    ),
    "where a package lies": (
        {
            "neighbour/__init__.py": f"import os\n__path__ = [os.path.join(__path__[0], str({ASK}))]",
            "neighbour/3/sizes.py": "MOST = 3",
        },
        "import neighbour.sizes",
    ),
}


@pytest.mark.parametrize("module", THROUGH_OTHERS)
def test_where_somebody_may_be_asked(module: str, tmp_path: Path) -> None:
    """PROVED, and VIOLATED with another HOME, TMPDIR, TZ or folder: nobody knew that anything was asked"""
    assert examine(load(SPEC.format(module=module, most="M"), tmp_path), symbols=True).asked is not None


@pytest.mark.parametrize("name", NEIGHBOURS)
def test_where_a_neighbour_may_be_asked(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PROVED without the variable, and VIOLATED with it"""
    there, module = NEIGHBOURS[name]
    monkeypatch.syspath_prepend(tmp_path)
    for of_test in ("neighbour", "neighbour.sizes"):
        monkeypatch.setitem(sys.modules, of_test, sys)  # so that it is gone afterwards
        monkeypatch.delitem(sys.modules, of_test)
    for file, text in there.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    assert examine(load(SPEC.format(module=module, most=5), tmp_path), symbols=True).asked is not None


def test_what_python_imports_when_it_starts_may_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`math.MOST`, which sitecustomize had asked the environment for, was PROVED, and VIOLATED with the variable"""
    path = tmp_path / "sitecustomize.py"
    path.write_text(f"import math, os\nmath.MOST = {ASK}\n")
    found = spec_from_file_location("sitecustomize", path)
    assert found is not None and found.loader is not None
    module = module_from_spec(found)
    monkeypatch.setattr(math, "MOST", None, raising=False)
    monkeypatch.setitem(sys.modules, "sitecustomize", module)
    found.loader.exec_module(module)
    asked = examine(load(SPEC.format(module="import math", most="math.MOST"), tmp_path), symbols=True).asked
    assert asked is not None and (asked.place.line, "MOST" in asked.names) == (2, True)


@pytest.mark.parametrize("by", ["most.pth", "sitecustomize.py"])
@pytest.mark.parametrize("text", [f"import math, os\nmath.MOST = {ASK}\n", "import math, networkx\nmath.MOST = 3\n"])
def test_so_may_what_that_imports(by: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of the author's that no name leads to: PROVED without a word, and VIOLATED with the variable"""
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / by).write_text("import set_up\n")
    (tmp_path / "first" / "set_up.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path / "first")
    monkeypatch.setattr(math, "MOST", None, raising=False)
    for name in ("set_up", "sitecustomize"):
        monkeypatch.setitem(sys.modules, name, sys)  # so that it is gone afterwards
        monkeypatch.delitem(sys.modules, name)
    importlib.import_module("sitecustomize" if by == "sitecustomize.py" else "set_up")
    asked = examine(load(SPEC.format(module="import math", most="math.MOST"), tmp_path), symbols=True).asked
    assert asked is not None and Path(asked.place.path).name == "set_up.py"


def test_so_may_a_file_of_the_author_s_that_is_called_as_one_that_many_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "usual.pth").write_text("import _virtualenv\n")
    (tmp_path / "first" / "_virtualenv.py").write_text(f"import math, os\nmath.MOST = {ASK}\n")
    monkeypatch.syspath_prepend(tmp_path / "first")
    monkeypatch.setattr(math, "MOST", None, raising=False)
    monkeypatch.setitem(sys.modules, "_virtualenv", sys)
    monkeypatch.delitem(sys.modules, "_virtualenv")
    importlib.import_module("_virtualenv")
    asked = examine(load(SPEC.format(module="import math", most="math.MOST"), tmp_path), symbols=True).asked
    assert asked is not None and Path(asked.place.path).name == "_virtualenv.py"


SHIM = "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; {enabled}enabled and __import__('_distutils_hack').add_shim();"


@pytest.mark.parametrize(
    "line",
    [
        f"import math, os; math.MOST = {ASK}",
        "import math; exec('math.MOST = 3')",
        f"import coverage; coverage.process_startup(); import math, os; math.MOST = {ASK}",
        f"import math, os; math.MOST = {ASK}; import coverage; coverage.process_startup()",
        SHIM.format(enabled=f"import math; math.MOST = {ASK}; enabled = False; "),
        f"import __editable___a_finder; __editable___a_finder.install(); import math, os; math.MOST = {ASK}",
        f"import _virtualenv; import math, os; math.MOST = {ASK}",
    ],
)
def test_a_number_that_a_line_of_a_pth_file_has_put_somewhere(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python executes it when it starts: `math.MOST` was PROVED, and VIOLATED with the variable, without a word; so it
    was where a line that many have stands beside it"""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "most.pth").write_text(f"# a comment\n{line}\n")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.setattr(math, "MOST", 3, raising=False)
    asked = examine(load(SPEC.format(module="import math", most="math.MOST"), tmp_path), symbols=True).asked
    assert asked is not None and (asked.place.path, asked.place.line) == (str(tmp_path / "packages" / "most.pth"), 2)


COVERAGE = (
    r"""import os\n\nif os.getenv("COVERAGE_PROCESS_START") or os.getenv("COVERAGE_PROCESS_CONFIG"):\n try:\n"""
    r"""  import coverage\n except:\n  pass\n else:\n  coverage.process_startup(slug="pth")"""
)
NEW_LINE = r"\n"
BLANK = 6 * NEW_LINE


def test_what_every_environment_executes_tells_no_spec_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [
        SHIM.format(enabled="enabled = os.environ.get(var, 'local') == 'local'; ") + " ",
        SHIM.format(enabled="enabled = os.environ.get(var, 'stdlib') == 'local'; "),
        "import __editable___a_b_1_0_finder; __editable___a_b_1_0_finder.install()",
        "import _virtualenv",
        "import coverage; coverage.process_startup()",
        f"import sys; exec('{COVERAGE}')",
        f"import sys; exec('{BLANK}{COVERAGE}{NEW_LINE}')",
        "/some/folder",
    ]
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "usual.pth").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(tmp_path / "packages")
    assert examine(load(SPEC.format(module="import math", most="3"), tmp_path), symbols=True).asked is None


@pytest.mark.parametrize(
    "module",
    [
        "M = 9 if os.system('test -n \"$MOST\"') == 0 else 3",
        "M = 9 if os.umask(0o22) else 3",
        "M = 9 if os.getuid() else 3",
        "M = 9 if sys.getrefcount(None) % 2 else 3",
        "import time\nM = 9 if time.timezone else 3",
        "from time import timezone\nM = 9 if timezone else 3",
        "import time\nM = 9 if time.clock_gettime_ns(0) % 2 else 3",
        "import resource\nM = 9 if resource.getrlimit(7)[0] else 3",
        "import random\nM = 9 if random.Random(None).random() < 0.5 else 3",
        "import _random\nM = 9 if _random.Random().random() < 0.5 else 3",
    ],
)
def test_what_names_tell_that_it_is_asked(module: str, tmp_path: Path) -> None:
    """PROVED, and VIOLATED with the next start or in another process"""
    with pytest.raises(EverystateError, match="E138"):
        examine(load(SPEC.format(module=module, most="M"), tmp_path), symbols=True)


def checked(folder: Path, module: str, most: object) -> int:
    path = folder / "asking.py"
    path.write_text(SPEC.format(module=module, most=most))
    return main(["check", str(path)])


def test_another_environment_makes_another_spec(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(tmp_path, *WAYS["a decorator"]) == 150
    told = capsys.readouterr().err
    assert (
        "error E138: the spec is another one each time it is made: the action up() is another one where other "
        "variables of the environment are set, or with the next start\n  where: "
    ) in told
    assert "asking.py:6, in deco\n" in told


def test_two_variables_that_are_set_together_are_no_other_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROVED with neither, and VIOLATED with one: with both turned round, that was the same spec"""
    module = WAYS["a thread"][0].replace("os.environ.get('MOST')", "('MOST' in os.environ) != ('MORE' in os.environ)")
    monkeypatch.setenv("MORE", "1")
    assert checked(tmp_path, module, "KEPT[0]") == 150
    assert "error E138" in capsys.readouterr().err


def test_what_an_author_finds_where_nothing_is_set(tmp_path: Path) -> None:
    """dict(os.environ) failed, bytes were answered with a text, and what the module had set itself otherwise"""
    asking = """
import os, pickle, sys
from everystate.checker.border.nondeterminism import answer_otherwise
answer_otherwise({"HOME"}, sys.argv[1] or None)
os.environ["OWN"] = "own"
found = [dict(os.environ), os.environ.get("HOME"), os.environ.get("MADE" + "UP"), os.environb.get(b"MADEUP")]
found += [os.environ["OWN"], len(os.environ), os.environ.pop("OWN"), "OWN" in os.environ, os.path.expanduser("~")]
print(found)
"""
    script = tmp_path / "asking.py"
    script.write_text(asking)

    def found(default: str) -> str:
        variables = {"HOME": "/h", "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"}
        command = [sys.executable, "-B", str(script), default]
        return subprocess.run(command, env=variables, capture_output=True, text=True, check=True).stdout

    kept = {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "OWN": "own"}
    assert found("") == f"{[kept, None, None, None, 'own', 4, 'own', False, '/h']}\n"
    assert found("1") == f"{[kept, None, '1', b'1', 'own', 4, 'own', False, '/h']}\n"


def test_where_libraries_lie_is_found_out_before_anybody_is_answered_otherwise(tmp_path: Path) -> None:
    """From Python 3.13 on os.environ is asked for that: each question led to another, so no other environment could
    make a spec, and what was PROVED here was VIOLATED there."""
    asking = """
import os, sysconfig
from everystate.checker.border import bytecode, nondeterminism
bytecode._libraries.cache_clear()
bytecode._installed.cache_clear()
plain = sysconfig.get_paths
sysconfig.get_paths = lambda *given, **more: (os.environ.get("PLACE"), plain(*given, **more))[1]
nondeterminism.answer_otherwise(set(), "1")
print(os.environ.get("MADEUP"))
"""
    script = tmp_path / "asking.py"
    script.write_text(asking)
    done = subprocess.run([sys.executable, "-B", str(script)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_name_that_is_made_up_is_answered_otherwise(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """PROVED, and VIOLATED with APP_MOST set: no text has that name"""
    module, most = WAYS["a thread"]
    assert checked(tmp_path, "P = 'APP_'\n" + module.replace("'MOST'", "P + 'MOST'"), most) == 150
    assert "error E138" in capsys.readouterr().err


def test_what_no_spec_takes_costs_no_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """what reads standard input in another process waited there for the one that asked"""
    module = "if 'PYTEST_CURRENT_TEST' not in os.environ: sys.stdin.read()\nimport logging\n"
    module += "logging.getLogger('asking').setLevel(os.environ.get('LEVEL', 'INFO') and 'INFO')"
    assert checked(tmp_path, module, 5) == 0
    assert "assumes" not in "".join(capsys.readouterr())


def test_where_no_other_environment_can_be_had_that_is_assumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = "import logging\nlogging.getLogger('asking').setLevel({'low': 10}[os.environ.get('LEVEL', 'low')])"
    assert checked(tmp_path, module, 5) == 0
    assert re.search(
        r"assumes that it does not matter what is answered \(.*asking\.py:6, in <module>\): "
        r"another process could not make it: KeyError: '1'",
        "".join(capsys.readouterr()),
    )


def test_what_cannot_be_traced_cannot_be_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--engine python: PROVED without a word, and VIOLATED with the variable set"""
    others = reproducibility.Others(load(SPEC.format(module="", most=5), tmp_path))
    others._asked = Asked(Where("a.py", 1, "b", "c"), frozenset())
    others._elsewhere = [subprocess.Popen([sys.executable, "-c", ""])] * 3
    monkeypatch.setattr(reproducibility, "_heard", lambda process: reproducibility.Answer(refused="E215: a shift"))
    with closing(others):
        assert [*others._in_other_environments(None)] == [
            "assumes that it does not matter what is answered (a.py:1, in b): it cannot be traced (E215: a shift)"
        ]


def test_a_constant_that_is_another_one_by_default(tmp_path: Path) -> None:
    """`Constant(library.limit)` was PROVED, and VIOLATED with a variable set: the others were told its value"""
    text = SPEC.format(module="", most="self.most").replace("may_terminate", "most = Constant({by})\n    may_terminate")
    three, nine = (type(load(text.replace("{by}", by), tmp_path)) for by in "39")
    made = [portable(traced(spec)) for spec in (three(), nine(most=3), three(most=5), nine(most=5))]
    assert differing(made[:2]) == ["what constants are by default"]
    assert differing(made[2:]) == []


def test_what_libraries_tell_nothing(tmp_path: Path) -> None:
    module = "import json, numpy, pytest\nfrom collections.abc import Mapping\nM = numpy.int64(3)"
    assert examine(load(SPEC.format(module=module, most=5), tmp_path), symbols=True).asked is None


def test_what_only_runs_as_a_program_asks_nothing(tmp_path: Path) -> None:
    module = """
def main():
    print(os.environ.get('MOST'))
if __name__ == "__main__":
    main()
    MOST = sys.argv[0]
"""
    assert examine(load(SPEC.format(module=module, most=5), tmp_path), symbols=True).asked is None
    for ending in ("main()", "MOST = sys.argv[0]"):
        found = examine(load(SPEC.format(module=f"{module}{ending}", most=5), tmp_path), symbols=True).asked
        assert found is not None and found.names == {"Generated", "MOST", "__main__"}


def test_the_other_environments() -> None:
    asked = Asked(Where("a.py", 1, "b", "c"), frozenset({"A", "B"}))
    here = {"A": "x", "HOME": "/h", "PATH": "/bin", "PYTHONPATH": "/p", "PYTHONWARNINGS": "error"}
    flipped = other(asked, here)
    assert flipped.variables == {n: value for n, value in here.items() if n != "A"} | {"B": "1"}
    assert (flipped.unset, flipped.default, flipped.folder) == ({*here, "PYTHONHASHSEED"}, "1", None)
    nothing = bare(here)
    assert nothing.variables == {"PATH": "/bin", "PYTHONPATH": "/p"}
    assert (nothing.unset, nothing.default) == ({"PATH", "PYTHONPATH", "PYTHONHASHSEED"}, None)


def test_a_folder_that_another_process_has_not_hides_no_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that is found from the current folder was not found by the process in `/`; what the other one made of it
    was compared with nothing: PROVED, with a warning, and VIOLATED with the variable."""
    monkeypatch.chdir(tmp_path)
    Path("sizes.py").write_text('import os\nM = int(os.environ.get("MOST", "3"))\n')
    assert checked(tmp_path, "import runpy\nM = runpy.run_path('sizes.py')['M']", "M") == 150
    told = "error E138: the spec is another one each time it is made: the action up() is another one where other "
    assert told in capsys.readouterr().err
