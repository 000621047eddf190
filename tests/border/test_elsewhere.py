"""A spec that executors make is the one that the driver has, or it is not checked there."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everystate.checker.cli import targets
from everystate.checker.cli.sweeps import load
from everystate.checker.errors import EverystateError
from everystate.checker.ir import elsewhere, making_process
from everystate.checker.spark import shipping

READING = """
from pathlib import Path

from everystate.checker import *
from sizes import MOST

NAMES = {"a", "b", "c"}
SETTINGS = Path(__file__).with_name("settings.txt")
LEAST = int(SETTINGS.read_text()) if SETTINGS.exists() else MOST


class Reading(Spec):
    may_terminate = True
    by = Constant(1)

    def variables(self):
        self.n = Int(0, 20)
        self.names = Set(sorted(NAMES))

    @action
    def up(self):
        require(self.n < LEAST)
        self.n += self.by
        self.names |= {name for name in NAMES if name > "a"}

    @invariant
    def fine(self):
        return self.n != 7
"""


OURS = "everystate.specs.classics.die_hard:DieHard"


@pytest.fixture
def executor(tmp_path: Path) -> Iterator[Path]:
    """The folder of an executor that is this process; what is loaded from it goes in the end."""
    targets._leave(set(targets._BESIDE.folders))  # of a test before: nobody would know of it behind this one
    path = list(sys.path)
    yield tmp_path / "executor"
    targets._leave(set(targets._BESIDE.folders))
    sys.path[:] = path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.mark.parametrize("settings", ["9", ""], ids=["that only the driver has", "that nobody has"])
def test_a_spec_that_finds_another_file(
    settings: str, tmp_path: Path, executor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """which does not travel: a matrix on a cluster said AS EXPECTED of a spec that is violated here"""
    (tmp_path / "reading.py").write_text(READING)
    (tmp_path / "sizes.py").write_text("MOST = 3")
    if settings:
        (tmp_path / "settings.txt").write_text(settings)
    monkeypatch.chdir(tmp_path)
    here = elsewhere.as_here(load, {"reading.py": [{}], "missing.py": [{}], OURS: [{}]}, embedded=False)
    assert isinstance(here, elsewhere.AsHere)
    assert [(target, made.refused) for target, all_made in here.made.items() for made in all_made] == [
        ("missing.py", "E102"),
        ("reading.py", ""),
    ]
    travels = pickle.dumps(shipping.courier(here, ["reading.py"], embedded=False))

    monkeypatch.setattr(elsewhere, "_COMPARED", elsewhere._Compared(list))
    monkeypatch.setattr(shipping, "BASE", str(executor))
    there = pickle.loads(travels)
    if settings:
        with pytest.raises(
            EverystateError, match=r"E608 reading\.py is another spec on an executor than here, in the action up"
        ):
            there.loaded("reading.py", {"by": 2})
    else:
        assert there.loaded("reading.py", {"by": 2}).constants == {"by": 2}
        assert list(elsewhere._COMPARED) == ["reading.py"]


def folder_of(reading: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The driver's, with settings that no executor has."""
    (folder / "reading.py").write_text(reading)
    (folder / "sizes.py").write_text("MOST = 3")
    (folder / "settings.txt").write_text("9")
    monkeypatch.chdir(folder)


ASSUMING = READING.replace(
    "    def variables", "    @assumption\n    def positive(self):\n        return self.by > 1\n\n    def variables"
)


def test_a_spec_that_is_refused_with_its_own_constants(
    tmp_path: Path, executor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was compared with none, and AS EXPECTED on a cluster where it is violated here."""
    folder_of(ASSUMING, tmp_path, monkeypatch)
    here = elsewhere.as_here(load, {"reading.py": [{"by": 0}, {"by": 2}, {"by": 3}]}, embedded=False)
    refused = elsewhere.as_here(load, {"reading.py": [{"by": 0}]}, embedded=False)
    assert isinstance(refused, elsewhere.AsHere)
    assert [made.refused for made in refused.made["reading.py"]] == ["E112"]
    travels = [pickle.dumps(shipping.courier(each, ["reading.py"], embedded=False)) for each in (here, refused)]

    monkeypatch.setattr(elsewhere, "_COMPARED", elsewhere._Compared(list))
    monkeypatch.setattr(shipping, "BASE", str(executor))
    compared, both_refuse = map(pickle.loads, travels)
    with pytest.raises(EverystateError, match=r"E608 reading\.py is another spec .* here, in the action up"):
        compared.loaded("reading.py", {"by": 3})
    with pytest.raises(EverystateError, match="E112"):
        both_refuse.loaded("reading.py", {"by": 0})


OF_ONE = READING.replace("self.n < LEAST", "self.n < (LEAST if self.by == 2 else 3)")


def test_a_spec_that_finds_another_file_with_some_constants(
    tmp_path: Path, executor: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It was compared with its first constants: AS EXPECTED on a cluster, with by=2, where that is violated here."""
    folder_of(OF_ONE, tmp_path, monkeypatch)
    both = [elsewhere.as_here(load, {"reading.py": given}, embedded=False) for given in ([{}], [{}, {"by": 2}])]
    travels = [pickle.dumps(shipping.courier(each, ["reading.py"], embedded=False)) for each in both]

    monkeypatch.setattr(elsewhere, "_COMPARED", elsewhere._Compared(list))
    monkeypatch.setattr(shipping, "BASE", str(executor))
    same, another = map(pickle.loads, travels)
    assert same.loaded("reading.py", {}).constants == {"by": 1}
    with pytest.raises(EverystateError, match=r"E608 reading\.py is another spec .* here, in the action up"):
        another.loaded("reading.py", {"by": 2})
    assert another.loaded("reading.py", {}).constants == {"by": 1}


ENDING = """
import os
from everystate.checker import *


class Ending(Spec):
    fate = Constant(1)

    def variables(self):
        if self.fate == 4:
            os._exit(7)
        if self.fate == 5:
            raise ValueError("no such fate")
        if self.fate == 6:
            raise SystemExit(3)
        self.n = Int(0, self.fate)

    @action
    def up(self):
        self.n = self.fate
"""


def test_a_spec_that_ends_its_process_while_it_is_made_ends_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The driver of a frontier ended with the first variant that did."""
    (tmp_path / "ending.py").write_text(ENDING)
    monkeypatch.chdir(tmp_path)
    maker = making_process.Maker(load)
    found = [maker("ending.py", {"fate": fate}) for fate in (2, 4, 5, 3, 6, 2)]
    assert [each.refused for each in found] == ["", making_process.ENDED, "E113", "", "E113", ""]
    assert found[0].model == found[-1].model != found[3].model is not None
    maker.close()


def test_each_folder_has_neighbours_of_its_own_there(
    executor: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What this process has loaded before lay on the path of the other one, so `sizes` beside it was found (E608)."""
    for folder, most in (("first", 3), ("second", 7)):
        (tmp_path / folder).mkdir()
        text = f"from sizes import MOST\n{ENDING}".replace("Constant(1)", "Constant(MOST)")
        (tmp_path / folder / "ending.py").write_text(text)
        (tmp_path / folder / "sizes.py").write_text(f"MOST = {most}\n")
    monkeypatch.chdir(tmp_path)
    here = [elsewhere.made(load, f"{folder}/ending.py", {}) for folder in ("second", "first")]
    maker = making_process.Maker(load)
    assert [maker(f"{folder}/ending.py", {}) for folder in ("second", "first")] == here
    assert here[0].model != here[1].model is not None
    maker.close()


# Of the number of its connection the process knows as much as a spec does: any of those that are open.
LEAVING = {
    "a copy of the process": "os.fork()",
    "another folder": "os.chdir('/')",
    "a number of bytes among the answers": "for number in range(3, 1024):\n    told(number, b'\\x7f\\xff\\xff\\xff')",
    "no answer in the end": "for number in range(3, 1024):\n    told(number, b'\\0\\0\\0\\2N.')",
}


@pytest.mark.parametrize("left", LEAVING)
def test_what_a_spec_leaves_is_no_answer_to_what_is_asked_next(
    left: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copy told the next variant to be what the one before is, so executors compared nothing with it; bytes that
    announce more of them were waited for without end."""
    telling = "def told(number, text):\n    try:\n        os.write(number, text)\n    except OSError:\n        pass\n"
    (tmp_path / "leaving.py").write_text(f"import os\n\n\n{telling}\n\n{LEAVING[left]}\n{ENDING}")
    (tmp_path / "ending.py").write_text(ENDING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(making_process, "PATIENCE", 1.5 if "bytes" in left else 60.0)
    maker = making_process.Maker(load)
    told = maker("leaving.py", {"fate": 2})
    assert told.refused == (making_process.ENDED if "answer" in left else "")
    monkeypatch.setattr(making_process, "PATIENCE", 60.0)
    for fate in (2, 3, 7):
        found = maker("ending.py", {"fate": fate})
        assert (pickle.loads(found.constants), found.refused) == ({"fate": fate}, "")
    maker.close()


def test_what_is_refused_there_only_is_told(tmp_path: Path, executor: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variant is compared with its own constants, and that alone: others may end the process."""
    (tmp_path / "ending.py").write_text(ENDING.replace("os._exit(7)", "pass"))
    monkeypatch.chdir(tmp_path)
    asked = {"ending.py": [{"fate": 2}, {"fate": 4}]}
    ended = [elsewhere.Made(pickle.dumps(given), None, making_process.ENDED) for given in asked["ending.py"]]
    here = elsewhere.as_here(load, asked, False, lambda target, given: ended[given["fate"] == 4])
    travels = pickle.dumps(shipping.courier(here, ["ending.py"], embedded=False))
    monkeypatch.setattr(elsewhere, "_COMPARED", elsewhere._Compared(list))
    monkeypatch.setattr(shipping, "BASE", str(executor))
    there = pickle.loads(travels)
    assert there.loaded("ending.py", {}).constants == {"fate": 1}
    with pytest.raises(EverystateError, match=r"E608 ending\.py is another spec .*, in what refuses it"):
        there.loaded("ending.py", {"fate": 4})


def test_embedded_executors_have_the_files_of_the_driver() -> None:
    assert elsewhere.as_here(load, {OURS: [{}]}, embedded=True) is load
