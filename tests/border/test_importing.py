"""What a method imports itself is loaded before it is traced, under the name that Python would give it, and once."""

from __future__ import annotations

import importlib
import py_compile
import sys
import types
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import everystate.checker
from everystate.checker.border import bytecode, examine, ownership
from everystate.checker.cli.main import main
from everystate.checker.cli.sweeps import load as load_target
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from everystate.checker.regression.runners.job import Job, run
from tests.agreement.readers import load

LOADED_ONCE = """
open(__file__ + ".loaded", "x").close()
CAP = 3
seen = []


def tell(n):
    seen.append(n)
    return len(seen) < 5 or n < 3
"""
SPEC = """
from everystate.checker import *


class Importing(Spec):
    may_terminate = True

    def variables(self):
        {variables}
        self.n = Int(0, 3)

    @action
    def up(self):
        {action}
        require(self.n < CAP)
        self.n += 1

    @invariant
    def fine(self):
        {fine}
        return self.n <= CAP
"""
FORMS = {
    "from a file": "from {name} import CAP",
    "a file": "import {name}; CAP = {name}.CAP",
    "a file, by another name": "import {name} as sizes; CAP = sizes.CAP",
    "from a file, relatively": "from .{name} import CAP",
    "a file, relatively": "from . import {name}; CAP = {name}.CAP",
    "from a package": "from {name}_all.{name} import CAP",
    "a module of a package": "from {name}_all import {name}; CAP = {name}.CAP",
    "a package, relatively": "from .{name}_all import {name}; CAP = {name}.CAP",
    "a module by its full name": "import {name}_all.{name}; CAP = {name}_all.{name}.CAP",
}
PLACES = ["variables", "action", "fine"]


def importing(folder: Path, name: str, place: str, line: str) -> Path:
    (folder / f"{name}_all").mkdir()
    for path in (folder / f"{name}.py", folder / f"{name}_all" / f"{name}.py"):
        path.write_text(LOADED_ONCE)
    (folder / f"{name}_all" / "__init__.py").write_text("")
    lines = {**dict.fromkeys(PLACES, "CAP = 3"), place: line.format(name=name)}
    path = folder / f"importing_{name}.py"
    path.write_text(SPEC.format(**lines))
    return path


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_a_file_that_a_method_imports_is_loaded_once(form: str, place: str, tmp_path: Path) -> None:
    name = f"limits_{PLACES.index(place)}{list(FORMS).index(form)}"
    result = exhaustive.check(build(resolve(str(importing(tmp_path, name, place, FORMS[form]))).spec()))
    assert (str(result.verdict), result.distinct) == ("PROVED", 4)


@pytest.mark.parametrize("form", FORMS)
def test_what_such_a_file_keeps_is_seen(form: str, tmp_path: Path) -> None:
    name = f"kept_{list(FORMS).index(form)}"
    line = FORMS[form].replace("import CAP", "import tell").partition("; ")[0]
    called = line.replace("import ", "").split()[-1].format(name=name)
    told = "tell" if called == "tell" else f"{called}.tell"
    path = importing(tmp_path, name, "fine", f"{line}; CAP = 3; assert {told}(self.n)")
    with pytest.raises(EverystateError) as found:
        exhaustive.check(build(resolve(str(path)).spec()))
    assert found.value.code in ("E231", "E232")


@pytest.mark.parametrize("file", ["all.zip/everystate/checker/__init__.py", "everystate/checker/__init__.pyc"])
def test_an_everystate_without_its_sources_says_so(file: str) -> None:
    """everything is told from a spec's by files and their texts: Int was `malformed`, or every spec a patch"""
    text = Path(everystate.checker.__file__).read_text("utf-8")
    with pytest.raises(EverystateError, match=f"E515 Everystate is not there as files: {file} is in an archive"):
        exec(compile(text, file, "exec"), {"__file__": file, "__package__": "everystate.checker"})


def imported(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A module that is gone again behind the test."""
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    return importlib.import_module(name)


def test_a_library_in_an_archive_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As spark-submit imports py4j, which collects garbage at any time: once that was refused, and said where."""
    archive = tmp_path / "library.zip"
    with zipfile.ZipFile(archive, "w") as written:
        written.writestr("in_archive.py", "def collect():\n    return 1 if collect else 2\n")
    monkeypatch.syspath_prepend(str(archive))
    monkeypatch.setattr(bytecode, "_installed", lambda path: path.startswith(str(archive)))
    module = imported("in_archive", monkeypatch)
    assert ownership.beside(module.collect.__code__, vars(module))
    other = compile("def collect():\n    return 1 if collect else 3\n", module.__file__, "exec").co_consts[0]
    assert not ownership.beside(other, vars(module))


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("archived", [False, True])
@pytest.mark.parametrize("taken", ["", "from everystate_sizes import CAP"])
def test_what_a_spec_asks_whose_source_lies_in_no_file_is_refused(
    archived: bool, compiled: bool, taken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its module was not read, so a spec was PROVED, and VIOLATED with a variable set."""
    asks = "import os\nCAP = int(os.environ.get('CAP', '3'))\n"
    spec = SPEC.format(variables="pass", action=taken or "pass", fine=taken or "pass")
    texts = {"everystate_sizes": asks, "everystate_spec": spec if taken else asks + spec}
    suffix, place = ".pyc" if compiled else ".py", tmp_path / "specs.zip" if archived else tmp_path
    for name, text in texts.items():
        source = tmp_path / f"{name}.py"
        source.write_text(text)
        if compiled:
            py_compile.compile(str(source), str(source.with_suffix(".pyc")))
            source.unlink()
    if archived:
        with zipfile.ZipFile(place, "w") as written:
            for name in texts:
                written.write(tmp_path / f"{name}{suffix}", f"{name}{suffix}")
                (tmp_path / f"{name}{suffix}").unlink()
    monkeypatch.syspath_prepend(str(place))
    loaded = {name: imported(name, monkeypatch) for name in texts}
    with pytest.raises(EverystateError, match="E138"):
        build(loaded["everystate_spec"].Importing())


class Raising:
    """Has no attribute, and says so in its own way but to Python, which asks whether it is being loaded."""

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name) if name == "__spec__" else RuntimeError(name)


def nameless() -> ModuleType:
    found = ModuleType("odd")
    del found.__name__
    return found


@pytest.mark.parametrize(
    "odd",
    [
        types.SimpleNamespace(),
        types.SimpleNamespace(__file__=["odd.py"], __name__=3),
        types.SimpleNamespace(__file__=Path("odd.py")),
        Raising(),
        nameless(),
        None,
    ],
    ids=[
        "an object",
        "a list for a file",
        "a path for a file",
        "one that raises",
        "a module without a name",
        "nothing",
    ],
)
def test_whatever_stands_among_the_modules(odd: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """it ended with E503, also where a program had put None there so that nobody imports a library"""
    monkeypatch.setitem(sys.modules, "odd", odd)
    examine(load(IMPORTING_ODD, tmp_path), symbols=True)


def put(value: str) -> str:
    """A file that begins so, with a spec."""
    return f"import os, sys\n{value}\n{IMPORTING_ODD}"


@pytest.mark.parametrize("key", ["5", "None", "('a', 1)"])
def test_a_module_may_stand_under_a_key_that_is_no_text(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """it ended with E503"""
    monkeypatch.setattr(sys, "modules", sys.modules)
    (tmp_path / "keys.py").write_text(put(f"sys.modules[{key}] = sys"))
    try:
        assert main(["check", str(tmp_path / "keys.py")]) == 0
    finally:
        sys.modules.pop(eval(key))


def test_other_modules_in_the_place_of_all_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """it ended with E503, where a library was loaded next"""
    monkeypatch.setattr(sys, "modules", before := sys.modules)
    (tmp_path / "others.py").write_text(put("sys.modules = dict(sys.modules)"))
    assert main(["check", str(tmp_path / "others.py")]) == 150
    assert sys.modules is before
    assert capsys.readouterr().err.startswith("error E232: sys.modules lies outside of the state: everybody in this")


@pytest.mark.parametrize("odd", ["sys.path.insert(0, object())", "sys.path.insert(0, None)"])
def test_what_stands_on_the_path_is_passed_over_where_it_is_no_text(
    odd: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """it ended with E503"""
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "paths.py").write_text(put(odd))
    assert main(["check", str(tmp_path / "paths.py")]) == 0


@pytest.mark.parametrize("whole", ["{folder}/gone.py", "gone:Generated"])
def test_a_folder_that_is_no_longer_there(whole: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """it ended with E503"""
    (tmp_path / "gone.py").write_text(put("KEPT = os.environ.get('NO_SUCH_NAME') if getattr(os, 'sep') == 0 else 1"))
    (tmp_path / "left").mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path / "left")
    (tmp_path / "left").rmdir()
    assert main(["check", whole.format(folder=tmp_path)]) == 0


def test_data_is_as_deep_as_it_is(tmp_path: Path) -> None:
    """a chain of lists ended with E503, after as many of our own calls"""
    text = "DEEP = []\nfor _ in range(5000):\n    DEEP = [DEEP]\nprint(DEEP is None)"
    (tmp_path / "deep.py").write_text(put(f"{text}\nSET = os.environ.get('NO_SUCH_NAME')"))
    assert main(["check", str(tmp_path / "deep.py")]) == 0


def test_less_room_than_python_gives_is_who_took_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """it ended with E503"""
    before = sys.getrecursionlimit()
    monkeypatch.setattr("everystate.checker.cli.commands.check.resolve", deeper)
    try:
        assert main(["check", str(tmp_path / "room.py")]) == 150
    finally:
        sys.setrecursionlimit(before)
    assert capsys.readouterr().err.startswith("error E146: RecursionError was raised where ")


COMPARED = """
class Kinds(type):
    def __eq__(cls, other):
        raise ValueError("kinds are not compared")

    __hash__ = type.__hash__


class Kind(metaclass=Kinds):
    pass
"""


def test_what_an_author_raises_where_he_is_asked_refuses_a_variant(tmp_path: Path) -> None:
    """the process of a matrix, and of `everystate watch`, ended with a traceback of ours"""
    (tmp_path / "compared.py").write_text(put(COMPARED))
    assert run(Job("compared", str(tmp_path / "compared.py")), load_target).overall().reason.startswith("error E146: ")


def deeper(_: str) -> None:
    sys.setrecursionlimit(sys.getrecursionlimit() - 100)
    raise RecursionError


IMPORTING_ODD = """
from everystate.checker import *

try:
    import odd
except ImportError:
    odd = None


class Generated(Spec):
    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        self.n = (self.n + 1) % 9
"""


ASKING = """
import os
from everystate.checker import *

LEAST = int(os.environ.get("LEAST", "3"))


class Asking(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < LEAST)
        self.n += 1
"""


def test_a_spec_whose_module_is_not_loaded_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What its module asks was not looked for: PROVED, and another spec with LEAST set."""
    for folder in ("one", "other"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}.py").write_text(ASKING)
    monkeypatch.chdir(tmp_path)
    one = resolve("one/one.py").spec()
    with pytest.raises(EverystateError, match="E138"):
        build(one)
    other = resolve("other/other.py").spec()  # forgets what lies beside the one
    told = "E147 Asking was written in one/one.py, whose module is not what Python has loaded as everystate_target_one"
    with pytest.raises(EverystateError, match=f"^{told}"):
        build(one)
    monkeypatch.setitem(sys.modules, one.__module__, ModuleType("another of that name"))
    with pytest.raises(EverystateError, match=f"^{told}"):
        build(one)
    with pytest.raises(EverystateError, match="E138"):
        build(other)
