"""What is typed to add an extra: it depends on how this Everystate came here."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import extras
from everystate.checker.errors import EverystateError


class Noted(importlib.metadata.Distribution):
    """An installation of which pip, or who installed it, has noted something, or nothing."""

    def __init__(self, told: dict[str, Any] | None) -> None:
        told = dict(told) if told is not None else {}
        self.files_ = {"INSTALLER": told.pop("by", "pip")}
        if told:
            self.files_["direct_url.json"] = json.dumps(told)

    def read_text(self, filename: str) -> str | None:
        return self.files_.get(filename)

    def locate_file(self, path: Any) -> Any:
        return path


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    """Sets what pip has noted of Everystate, the pip on the PATH being the one of this environment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: str(Path(sys.executable).with_name(name)))

    def note(*told: dict[str, Any] | None) -> None:
        monkeypatch.setattr(importlib.metadata, "distributions", lambda name: [Noted(each) for each in told])

    return note


def test_from_a_clone_in_its_folder(noted: Any, tmp_path: Path) -> None:
    noted({"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert extras.command("z3") == "pip install -e '.[z3]'"


def test_from_a_clone_whose_path_has_a_blank(noted: Any, tmp_path: Path) -> None:
    clone = tmp_path.parent / "my clone"
    clone.mkdir()
    noted({"url": clone.as_uri(), "dir_info": {"editable": True}})
    assert extras.command("z3") == f"pip install -e '{clone}[z3]'"


def test_from_a_clone_whose_egg_info_python_finds_first(noted: Any, tmp_path: Path) -> None:
    noted(None, {"url": tmp_path.as_uri(), "dir_info": {"editable": True}})
    assert extras.command("spark") == "pip install -e '.[spark]'"


def test_from_a_folder_that_was_copied(noted: Any, tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    noted({"url": (tmp_path / "source").as_uri(), "dir_info": {}})
    assert extras.command("graph") == "pip install 'source[graph]'"


def test_from_a_wheel(noted: Any, tmp_path: Path) -> None:
    wheel = tmp_path / "everystate-0.1.0-py3-none-any.whl"
    wheel.touch()
    noted({"url": wheel.as_uri(), "archive_info": {}})
    assert extras.command("kafka") == "pip install 'everystate-0.1.0-py3-none-any.whl[kafka]'"


def test_from_a_wheel_that_is_gone(noted: Any, tmp_path: Path) -> None:
    noted({"url": (tmp_path / "everystate-0.1.0-py3-none-any.whl").as_uri(), "archive_info": {}})
    words = shlex.split(extras.command("z3"))
    assert words[:2] == ["pip", "install"]
    assert sorted(word.partition("<")[0].partition(">")[0] for word in words[2:]) == ["python-sat", "z3-solver"]


def test_from_a_repository(noted: Any) -> None:
    noted({"url": "https://git.test/us/everystate", "vcs_info": {"vcs": "git", "commit_id": "abc"}})
    assert extras.command("z3") == "pip install 'everystate[z3] @ git+https://git.test/us/everystate@abc'"


def test_from_an_address(noted: Any) -> None:
    noted({"url": "https://files.test/everystate.whl", "archive_info": {}})
    assert extras.command("z3") == "pip install 'everystate[z3] @ https://files.test/everystate.whl'"


@pytest.mark.parametrize("told", [(), (None,)])
def test_from_an_index(noted: Any, told: tuple[None, ...]) -> None:
    noted(*told)
    assert extras.command("z3") == "pip install 'everystate[z3]'"


def test_the_pip_of_another_environment_is_not_named(
    noted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted(None)
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/elsewhere/pip")
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert extras.command("z3") == ".venv/bin/python -m pip install 'everystate[z3]'"


@pytest.mark.parametrize(
    ("installer", "told"),
    [("uv", "uv pip install --python .venv/bin/python"), ("pip", ".venv/bin/python -m pip install")],
)
def test_an_environment_without_pip(
    installer: str, told: str, noted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    noted({"url": tmp_path.as_uri(), "dir_info": {"editable": True}, "by": f"{installer}\n"})
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(sys, "executable", str(tmp_path / ".venv" / "bin" / "python"))
    assert extras.command("z3") == f"{told} -e '.[z3]'"


def test_every_package_comes_with_its_extra() -> None:
    brought = importlib.metadata.packages_distributions()
    for package, (_, extra) in extras.PACKAGES.items():
        names = {text.partition(">")[0].partition("<")[0].lower() for text in extras._requirements(extra)}
        assert names & {name.lower().replace("_", "-") for name in brought[package]}, package


def test_what_is_missing_is_told_with_its_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "pyarrow" else name)
    with pytest.raises(EverystateError) as caught:
        extras.require("everystate audit", "pyspark", "pyarrow")
    assert (caught.value.what, caught.value.exit_code) == ("PyArrow is not installed", 69)
    assert caught.value.why == "everystate audit needs it; it comes with the extra spark"
