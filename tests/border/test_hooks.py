"""What an author puts where Python calls it unasked is refused: it could tell symbols from values."""

from __future__ import annotations

import builtins
import gc
import heapq
import py_compile
import re
import signal
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import everystate
from everystate.checker import Int, Spec, action, pytest_plugin
from everystate.checker.border import hooks
from everystate.checker.border.hidden_state import examine
from everystate.checker.cli.main import main
from everystate.checker.cli.targets import resolve
from everystate.checker.engines.distributed import meter
from everystate.checker.errors import EverystateError
from everystate.checker.ir import legality, model
from everystate.checker.language import marks, statements
from everystate.checker.language.integrity import OfModule, borrowed, changed, noted, put_back
from everystate.checker.results.result import Result
from everystate.model import tables
from tests.agreement.readers import load

from .verdicts import outcome

SPEC = """
import builtins
import sys

from everystate.checker import *


class Generated(Spec):
    may_terminate = True

    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        require(self.n < 9)
        self.n += 1

    @invariant
    def fine(self):
        shift = 0
        found = self.n != 7 + shift
        return found


def spy(frame, event, _):
    if frame.f_code.co_name == "fine" and "Symbolic" in type(frame.f_locals["self"]._frame).__name__:
        frame.f_locals["shift"] = 100
    return spy


def always(conditions):
    return True
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize("hook", ["sys.settrace(spy)", "sys.setprofile(spy)", "builtins.all = always"])
def test_a_hook_is_refused(hook: str, engine: str, tmp_path: Path) -> None:
    trace, profile, every = sys.gettrace(), sys.getprofile(), builtins.all
    try:
        found = outcome(f"{SPEC}\n\n{hook}\n", engine, tmp_path)
    finally:
        sys.settrace(trace)
        sys.setprofile(profile)
        builtins.all = every
    assert found == ("refused", "E232")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
@pytest.mark.parametrize("event", ["PY_START", "LINE", "BRANCH"])
def test_a_function_that_python_tells_of_events_is_refused(event: str, tmp_path: Path) -> None:
    monitoring: Any = vars(sys)["monitoring"]
    told = f"sys.monitoring.register_callback(4, sys.monitoring.events.{event}, spy)"
    monitoring.use_tool_id(4, "spy")
    try:
        found = outcome(f"{SPEC}\n\n{told}\n", "native", tmp_path)
    finally:
        monitoring.register_callback(4, getattr(monitoring.events, event), None)
        monitoring.free_tool_id(4)
    assert found == ("refused", "E232")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no sys.monitoring")
def test_a_tool_that_watches_goes_on(tmp_path: Path) -> None:
    monitoring: Any = vars(sys)["monitoring"]
    events, begun = monitoring.events, set[str]()
    monitoring.use_tool_id(4, "tool")
    try:
        monitoring.register_callback(4, events.PY_START, lambda code, _: begun.add(code.co_name))
        monitoring.set_events(4, events.PY_START)
        assert outcome(SPEC, "native", tmp_path)[1] == (("fine", 7),)
    finally:
        monitoring.set_events(4, 0)
        monitoring.register_callback(4, events.PY_START, None)
        monitoring.free_tool_id(4)
    assert {"variables", "check_notes", "build"} <= begun


WHEN = ["imported", "made", "beside"]
"""In the body of a file that is loaded by its name, in variables(), and in a file beside it."""


def patched(path: Path, when: str, patch: str) -> Path:
    """A spec that executes one of these statements."""
    text = f"{SPEC}\n\n{patch}\n"
    if when == "made":
        text = SPEC.replace("self.n = Int(0, 9)", f"{patch}\n        self.n = Int(0, 9)")
    if when == "beside":
        (path.parent / "helper.py").write_text(text)
        text = SPEC.replace("import sys", "from . import helper")
    path.write_text(text)
    return path


OURS = {
    "Spec.question = always": (Spec, "question"),
    "Spec.__getattr__ = always": (Spec, "__getattr__"),
    "Int.contains = property(always)": (Int, "contains"),
    "from everystate.checker.ir import model; model.answer = always": (model, "answer"),
    "from everystate.checker.language import statements; statements.require = always": (statements, "require"),
    "from everystate.checker.results.result import Result; Result.held = Generated": (Result, "held"),
}


@pytest.mark.parametrize("patch", OURS)
@pytest.mark.parametrize("when", WHEN)
def test_what_the_checker_is_made_of_stays_as_it_is(
    when: str, patch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name = OURS[patch]
    monkeypatch.setattr(owner, name, getattr(owner, name, None), raising=False)  # put back at the end
    path = patched(tmp_path / f"patched_{when}.py", when, patch)
    with pytest.raises(EverystateError) as found:
        resolve(f"{path}:Generated").spec()
    assert found.value.code == "E232" and "the place of what Everystate itself is made of" in found.value.what


VALUES = {
    "from everystate.checker.language import marks; marks.INVARIANT = 'action'": (marks, "INVARIANT"),
    "from everystate.checker.language import marks; marks.FAIR['weak'] = 'strong'": (marks.FAIR, "weak"),
    "from everystate.checker.language import marks; del marks.FAIR['weak']": (marks.FAIR, "weak"),
    "from everystate.checker.language import marks; vars(marks)['SAFETY'] = ()": (marks, "SAFETY"),
    "Int.size = 2": (Int, "size"),
    "Int.__hash__ = None": (Int, "__hash__"),
    "Spec.may_terminate = True": (Spec, "may_terminate"),
    "import functools; Spec.successors = functools.partial(Spec.successors)": (Spec, "successors"),
    "from everystate.checker.ir import legality; legality.WORD = None": (legality, "WORD"),
    "from everystate.model import tables; tables.Any = None": (tables, "Any"),
}


def value_of(owner: Any, name: str) -> Any:
    return (owner if isinstance(owner, dict) else vars(owner)).get(name)


@pytest.mark.parametrize("patch", VALUES)
@pytest.mark.parametrize("when", WHEN)
def test_plain_values_in_the_place_of_ours_are_refused_and_put_back(when: str, patch: str, tmp_path: Path) -> None:
    owner, name = VALUES[patch]
    before, path = value_of(owner, name), patched(tmp_path / f"plain_{when}.py", when, patch)
    with pytest.raises(EverystateError) as found:
        resolve(f"{path}:Generated").spec()
    assert value_of(owner, name) is before
    assert found.value.code == "E232" and "the place of what Everystate itself is made of" in found.value.what
    where = found.value.where
    assert where is not None and where.source == patch and name in found.value.what


MADE_OF = {
    "from everystate.checker.ir import model; model.build.__code__ = always.__code__": (model.build, "build"),
    "from everystate.checker.ir import model; model.build.__code__ = eval('lambda *_: None').__code__": (
        model.build,
        "build",
    ),
    "Spec.successors.__defaults__ = (None,)": (Spec.successors, "successors"),
    "Spec.initial_states.__kwdefaults__ = {'n': 1}": (Spec.initial_states, "initial_states"),
}


@pytest.mark.parametrize("patch", MADE_OF)
@pytest.mark.parametrize("when", WHEN)
def test_functions_of_ours_that_are_made_of_something_else_are_refused_and_put_back(
    when: str, patch: str, tmp_path: Path
) -> None:
    function, name = MADE_OF[patch]
    before = function.__code__, function.__defaults__, function.__kwdefaults__
    with pytest.raises(EverystateError) as found:
        resolve(f"{patched(tmp_path / f'made_{when}.py', when, patch)}:Generated").spec()
    assert (function.__code__, function.__defaults__, function.__kwdefaults__) == before
    assert found.value.code == "E232" and "the place of what Everystate itself is made of" in found.value.what
    where = found.value.where
    assert where is not None and where.source == patch and name in found.value.what


def test_a_module_that_another_thread_is_loading_is_not_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    """it fills: what it holds a moment later would be a patch"""
    name = "everystate.checker.half"
    half = ModuleType(name)
    half.__spec__ = ModuleSpec(name, None)
    monkeypatch.setitem(sys.modules, name, half)
    assert [note.name for note in each_noted() if note.name == name] == [name]
    half.__spec__._initializing = True  # type: ignore[attr-defined]
    assert [note.name for note in each_noted() if note.name == name] == []


def test_what_a_module_holds_is_taken_down_anew_only_where_that_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "everystate.checker.kept"
    module = ModuleType(name)
    module.__spec__ = ModuleSpec(name, None)
    vars(module).update({"numbers": [1], "names": {"a": 1}, "always": always_one})
    monkeypatch.setattr(always_one, "__module__", name)
    monkeypatch.setitem(sys.modules, name, module)

    def taken() -> OfModule:
        return next(note for note in each_noted() if note.name == name)

    found = taken()
    assert found.rows.unchanged() and taken() is found
    vars(module)["numbers"].append(2)
    assert not found.rows.unchanged() and taken() is not found
    found = taken()
    vars(module)["names"]["a"] = 2
    assert not found.rows.unchanged() and taken() is not found
    found = taken()
    monkeypatch.setattr(always_one, "__code__", (lambda: 2).__code__)
    assert not found.rows.unchanged() and [note.replaced() for note in changed([found])][1] == ["always"]


def each_noted() -> list[OfModule]:
    return [module for package in noted() for module in package.each]


def always_one() -> int:
    return 1


def test_what_the_target_before_has_loaded_is_forgotten_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "before.py"
    path.write_text(SPEC)
    resolve(str(path))
    monkeypatch.setattr(marks, "ASSUMPTION", "another")
    with pytest.raises(EverystateError, match="ASSUMPTION lies outside of the state"):
        hooks.check_loaded()
    resolve("die-hard")
    hooks.check_loaded()


def test_a_command_looks_at_nothing_that_an_earlier_one_has_loaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """nor does it forget that: it may be a part of the other one"""
    path = tmp_path / "earlier.py"
    path.write_text(SPEC)
    resolve(str(path))
    monkeypatch.setattr(marks, "ASSUMPTION", "another")
    assert main(["errors"]) == 0
    assert capsys.readouterr().err == ""
    with pytest.raises(EverystateError, match="ASSUMPTION lies outside of the state"):
        hooks.check_loaded()
    resolve("die-hard")


def test_what_python_adds_to_classes_by_itself_is_no_patch(tmp_path: Path) -> None:
    """the annotations of a class that has none, and how its instances are copied"""
    path = tmp_path / "asking.py"
    asked = (
        "found = [Spec.__annotations__, Int.__annotations__, copy.copy(AnyOf(1)), copy.deepcopy([Int(0, 3), Bool()])]"
    )
    path.write_text(f"{SPEC}\n\nimport copy\n{asked}\n")
    assert list(resolve(f"{path}:Generated").spec().domains) == ["n"]


def test_a_module_of_ours_that_the_spec_loads_first_is_noted_as_it_was(tmp_path: Path) -> None:
    """in a process of its own, in which nobody has loaded that module"""
    path = tmp_path / "first.py"
    path.write_text(f"{SPEC}\n\nfrom everystate.checker.engines.explicit import spill\nspill.Any = None\n")
    text = f"from everystate.checker.cli.targets import resolve; import sys; resolve({str(path)!r})"
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False)
    assert "E232 everystate.checker.engines.explicit.spill.Any lies outside of the state" in found.stderr


IN_PYTHON = {
    "the language": "from everystate.checker.language import marks; marks.SAFETY = ()",
    "a function": "from everystate.checker.ir import model; model.build = always",
    "a number": "from everystate.checker.engines.explicit import exhaustive; exhaustive.CHUNK = 4",
    "a dictionary": "from everystate.checker.border import policy; policy.REFUSED.clear()",
    "a set": "from everystate.checker.border import policy; policy.TRUSTED.add('spec')",
    "of Python's library": "import gc; gc.get_referents = always",
}
EARLY = """
from everystate.checker.border import bytecode, policy
from everystate.checker.engines.explicit import exhaustive
{patch}
import everystate
from everystate.checker import *


class Late(Spec):
    def variables(self) -> None:
        self.n = Int(0, 1)

    @action
    def up(self) -> None:
        self.n = 1


try:
    print(everystate.check(Late).verdict)
except Exception as error:
    print(error)
"""
REFUSED_EARLY = {
    "exhaustive.CHUNK = 4": "E232 everystate.checker.engines.explicit.exhaustive.CHUNK lies outside of the state",
    "import everystate.checker.border.bytecode as b; b._SUSPECT_CODES = frozenset()": "E232 everystate.checker.border.",
    "policy.REFUSED.clear()": "E232 everystate.checker.border.policy.REFUSED lies outside of the state",
    "import gc; gc.get_referents = lambda *_: []": "E232 gc.get_referents lies outside of the state",
    "bytecode._hazards.__code__ = (lambda *_: ()).__code__": "E232 everystate.checker.border.bytecode._hazards lies",
    "bytecode.hazards.__wrapped__.__code__ = eval('lambda *_: ()').__code__": "E232 everystate.checker.border.bytecode",
    "bytecode.hazards = eval('lambda *_: ()')": "E232 everystate.checker.border.bytecode.hazards lies outside",
    "bytecode.hazards = tuple": "E232 everystate.checker.border.bytecode.hazards lies outside of the state",
    "exhaustive.check.__defaults__ = (None, None, '?')": "E232 everystate.checker.engines.explicit.exhaustive.check",
    "from everystate.checker.ir.explorer import Explorer; Explorer.explore.__code__ = (lambda *_: 0).__code__": (
        "E232 everystate.checker.ir.explorer.Explorer.explore lies outside of the state"
    ),
    "pass": "PROVED",
}


@pytest.mark.parametrize("patch", REFUSED_EARLY)
def test_a_program_that_has_changed_ours_before_it_asked_for_check(patch: str, tmp_path: Path) -> None:
    path = tmp_path / "early.py"
    path.write_text(EARLY.format(patch=patch))
    found = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert found.stdout.startswith(REFUSED_EARLY[patch]), found.stdout + found.stderr


PROMPT = """
import sys

sys.last_type = KeyError
from everystate import check

sys.last_type = ValueError
"""


def test_errors_at_the_prompt_of_python_are_no_patch(tmp_path: Path) -> None:
    path = tmp_path / "prompt.py"
    path.write_text(PROMPT + EARLY.format(patch=""))
    found = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert (found.stdout, found.stderr) == ("PROVED\n", "")


RELIED_ON = [
    "import gc; gc.get_referents = always",
    "import operator; operator.is_ = operator.is_not",
    "import sys; sys.setprofile = always",
    "import numpy; numpy.flatnonzero = always",
    "import json; json.dumps = always",
    "import json; json.JSONEncoder.encode = always",
    "from everystate.checker.border import policy; policy.COMPUTING.add('_random')",
]


@pytest.mark.parametrize("patch", RELIED_ON)
def test_a_file_that_changes_what_we_rely_on(patch: str, tmp_path: Path) -> None:
    (tmp_path / "relying.py").write_text(f"{SPEC}\n\n{patch}\n")
    with pytest.raises(EverystateError) as found:
        resolve(f"{tmp_path}/relying.py")
    assert found.value.code == "E232" and found.value.where is not None and found.value.where.source == patch


@pytest.mark.parametrize("patch", IN_PYTHON.values(), ids=IN_PYTHON)
def test_checks_from_python_look_for_patches_too(
    patch: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ours_now: Callable[[], None]
) -> None:
    ours_now()
    notes, name = [*noted(), *borrowed()], re.findall(r"\w+", patch.partition("; ")[2])[1]
    (tmp_path / "everystate_test_patches.py").write_text(f"{SPEC}\n\n{patch}\n")
    monkeypatch.syspath_prepend(tmp_path)
    try:
        spec = import_module("everystate_test_patches").Generated
        for check in (everystate.check, pytest_plugin.check):
            with pytest.raises(EverystateError, match=f"E232.*{name}"):
                check(spec)
    finally:
        put_back(notes)
        del sys.modules["everystate_test_patches"]


def test_builtins_are_put_back_before_it_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = dict(vars(builtins))
    path = tmp_path / "smaller.py"
    path.write_text(f"{SPEC}\n\nbuiltins.min = builtins.len = always\n")
    with pytest.raises(EverystateError) as found:
        resolve(str(path))
    assert dict(vars(builtins)) == before and found.value.code == "E232"
    assert found.value.what.startswith("builtins.len lies outside of the state")


BESIDE = """
import gc
import signal
import threading

changed = [0]


def beside(*_):
    changed[0] = 1
    threading.Event().wait(60)
"""


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(
    "start",
    [
        "threading.Thread(target=beside, daemon=True).start()",
        "t = threading.Timer(60, beside)\nt.daemon = True\nt.start()",
        "gc.callbacks.append(beside)",
        "signal.signal(signal.SIGALRM, beside)",
    ],
)
def test_what_runs_beside_the_check_is_refused(
    start: str, engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "PATIENCE", 0.0)
    called, before = list(gc.callbacks), signal.getsignal(signal.SIGALRM)
    try:
        found = outcome(f"{SPEC}{BESIDE}\n{start}\n", engine, tmp_path)
    finally:
        gc.callbacks[:] = called
        signal.signal(signal.SIGALRM, before)
    assert found == ("refused", "E232")


NEIGHBOUR = """
import builtins, gc, sys, threading

class Called:
    def __call__(self, *of):
        return True

def called(*of):
    threading.Event().wait()
"""


@pytest.mark.parametrize("lies", [False, True], ids=["text", "bytecode that names a library"])
@pytest.mark.parametrize(
    "put",
    [
        "gc.callbacks.append(Called())",
        "gc.callbacks.append(lambda *of: None)",
        "builtins.SEVEN_OF_ALL = Called()",
        "threading.Thread(target=called, daemon=True).start()",
    ],
)
def test_what_a_module_beside_has_put_there_is_refused(
    put: str, lies: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files were told by functions that the spec executes: a neighbour has none of these, and bytecode names any."""
    source = tmp_path / "noisy.py"
    source.write_text(f"{NEIGHBOUR}\nif not hasattr(gc, 'noisy'):\n    {put}\n")
    if lies:
        py_compile.compile(str(source), str(tmp_path / "noisy.pyc"), dfile=heapq.__file__)
        source.unlink()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "noisy", None)
    monkeypatch.delitem(sys.modules, "noisy")
    monkeypatch.setattr(hooks, "PATIENCE", 0.0)
    monkeypatch.setattr(builtins, "SEVEN_OF_ALL", 7, raising=False)
    before = list(gc.callbacks)
    try:
        spec = load(f"import noisy\n{PLAIN}", tmp_path)
        with pytest.raises(EverystateError, match="E232"):
            examine(spec, symbols=True)
    finally:
        gc.callbacks[:] = before


PLAIN = """
from everystate.checker import *


class Generated(Spec):
    def variables(self):
        self.n = Int(0, 9)

    @action
    def up(self):
        self.n = (self.n + 1) % 10
"""


class Turns(Spec):
    def variables(self) -> None:
        self.n = Int(0, 9)

    @action
    def up(self) -> None:
        self.n = (self.n + 1) % 10


@pytest.mark.parametrize("checks", [True, False], ids=["to check", "to end"])
def test_a_thread_that_is_about_to_check_or_to_end_is_waited_for(
    checks: bool, monkeypatch: pytest.MonkeyPatch, ours_now: Callable[[], None]
) -> None:
    main, verdicts = threading.main_thread().ident, []

    def work() -> None:
        while not any(f.name == "_check_threads" for f in traceback.extract_stack(sys._current_frames()[main])):
            time.sleep(0.001)
        if checks:
            verdicts.append(str(everystate.check(Turns).verdict))

    monkeypatch.setattr(hooks, "PATIENCE", 300.0)
    ours_now()
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    verdict = str(everystate.check(Turns).verdict)
    thread.join()
    assert (verdict, verdicts) == ("PROVED", ["PROVED"] * checks)


def test_what_a_run_on_spark_counts_in_this_process_is_no_patch(ours_now: Callable[[], None]) -> None:
    ours_now()
    verdicts = [str(everystate.check(Turns).verdict)]
    with meter.spending(meter.KERNEL):
        verdicts.append(str(everystate.check(Turns).verdict))
    verdicts.append(str(everystate.check(Turns).verdict))
    assert verdicts == ["PROVED"] * 3 and meter.SPENT[meter.KERNEL] > 0


def test_what_commands_hold_of_the_kafka_model_is_no_patch() -> None:
    from everystate.checker.cli import replay_page

    assert replay_page.conclusions.__module__.startswith("everystate.model.")
    assert resolve("window/2-in-flight-2-remembered").spec().constants["max_in_flight"] == 2


def test_beside_a_program_on_standard_input_lies_what_is_in_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """`<stdin>` has no folder: all of Python's library was taken for the user's, and a loader for a patch"""
    program = ModuleType("__main__")
    program.__file__ = "<stdin>"
    monkeypatch.setitem(sys.modules, "program", program)
    monkeypatch.chdir(Path(__file__).parents[2])
    found = hooks.beside(program)
    assert {"<stdin>", __file__} <= found and traceback.__file__ not in found
