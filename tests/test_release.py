"""A release, made for trial in a copy of the repository; and what it has built, in an environment of its own."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION = "9.8.7"
DEPENDENCIES = ("llvmlite", "numpy", "click", "jinja2")
LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "dist", "out", "tests", "bench"
)


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    return subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=True).stdout


def release(folder: Path, *words: str, check: str = "true") -> subprocess.CompletedProcess[str]:
    line = [sys.executable, str(folder / ".ci" / "release.py"), *words, "--check", check]
    who = {f"GIT_{role}_{what}": "test" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run(line, cwd=folder, env={**env, **who}, capture_output=True, text=True, check=False)


def news(folder: Path) -> None:
    """Add a line to the unreleased changes."""
    path = folder / "CHANGELOG.md"
    path.write_text(path.read_text("utf-8").replace("## Unreleased\n", "## Unreleased\n\n- news\n", 1), "utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository without its tests, as one commit, with news in its changelog."""
    folder = tmp_path_factory.mktemp("release") / "clone"
    shutil.copytree(ROOT, folder, symlinks=True, ignore=LEFT_OUT)
    news(folder)
    git(folder, "init", "--quiet", "--initial-branch", "main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "a copy")
    return folder


@pytest.fixture(scope="module")
def said(copy: Path) -> str:
    """What a release has printed."""
    made = release(copy, VERSION)
    assert made.returncode == 0, made.stderr
    return made.stdout + made.stderr


# -- the release -------------------------------------------------------------------------------------------


def test_a_release_is_a_commit_a_tag_and_two_files(copy: Path, said: str) -> None:
    assert git(copy, "tag").split() == [f"v{VERSION}"]
    assert git(copy, "log", "--format=%s").splitlines() == [f"Version {VERSION}", "a copy"]
    assert git(copy, "show", "--stat", "--format=").split("|")[0].strip() == "CHANGELOG.md"
    assert sorted(path.name for path in (copy / "dist").iterdir()) == [
        f"everystate-{VERSION}-py3-none-any.whl",
        f"everystate-{VERSION}.tar.gz",
    ]
    assert git(copy, "status", "--porcelain") == ""


@pytest.mark.thorough
def test_what_it_says_publishes_the_tag_too(copy: Path, said: str, tmp_path: Path) -> None:
    [line] = re.findall(r"to publish: git (push .*)", said)
    git(tmp_path, "init", "--quiet", "--bare")
    git(copy, *line.split(), str(tmp_path), "main")
    assert git(tmp_path, "for-each-ref", "--format=%(refname)").split() == ["refs/heads/main", f"refs/tags/v{VERSION}"]


def test_what_was_unreleased_has_the_number_of_the_version(copy: Path, said: str) -> None:
    before, after = git(copy, "show", "HEAD~:CHANGELOG.md"), (copy / "CHANGELOG.md").read_text("utf-8")
    assert after == before.replace("## Unreleased\n", f"## Unreleased\n\n## {VERSION}\n", 1)
    assert re.search(rf'^version = "{VERSION}"$', (copy / "pyproject.toml").read_text("utf-8"), re.MULTILINE)


def test_the_build_warns_of_nothing(said: str) -> None:
    assert [line for line in said.splitlines() if "warn" in line.lower()] == []


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("1.2", "release: '1.2' is no version of the form 1.2.3; write: make release VERSION=1.2.3"),
        ("0.0.9", f"release: 0.0.9 is not later than {VERSION}, the version of pyproject.toml"),
        ("9.9.9", 'release: CHANGELOG.md has nothing under "## Unreleased": what is new?'),
    ],
)
def test_what_is_no_release(copy: Path, said: str, version: str, message: str) -> None:
    refused = release(copy, version)
    assert (refused.returncode, refused.stdout, refused.stderr) == (1, "", f"{message}\n")
    assert git(copy, "status", "--porcelain") == ""


@pytest.mark.thorough
def test_a_release_that_fails_its_check_leaves_nothing(copy: Path, said: str) -> None:
    news(copy)
    assert release(copy, "9.9.9").stderr == "release: there are changes that are not committed\n"
    git(copy, "commit", "--quiet", "--all", "--message", "news")
    failed = release(copy, "9.9.9", check="false")
    assert (failed.returncode, failed.stderr) == (1, "release: false failed; nothing is released\n")
    assert (git(copy, "status", "--porcelain"), git(copy, "tag").split()) == ("", [f"v{VERSION}"])


def test_a_version_whose_tag_is_there_is_released_no_more(copy: Path, said: str) -> None:
    news(copy)
    git(copy, "commit", "--quiet", "--all", "--message", "news")
    git(copy, "tag", "v9.9.10")
    before = git(copy, "rev-parse", "HEAD")
    refused = release(copy, "9.9.10")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == "release: there is a tag v9.9.10 already\n"
    assert git(copy, "rev-parse", "HEAD") == before


@pytest.mark.thorough
def test_a_dry_run_leaves_nothing(copy: Path, said: str) -> None:
    news(copy)
    git(copy, "commit", "--quiet", "--all", "--message", "news")
    before = git(copy, "rev-parse", "HEAD"), git(copy, "tag"), sorted((copy / "dist").iterdir())
    tried = release(copy, "9.9.11", "--dry-run")
    assert (tried.returncode, git(copy, "status", "--porcelain")) == (0, ""), tried.stderr
    assert before == (git(copy, "rev-parse", "HEAD"), git(copy, "tag"), sorted((copy / "dist").iterdir()))


def test_make_releases_by_the_same_script() -> None:
    line = ["make", "--no-print-directory", "--dry-run", "release", "VERSION=1.2.3", "DRY=1"]  # `make test` runs this
    printed = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == ".venv/bin/python .ci/release.py '1.2.3' --check 'make test-all' --dry-run"


# -- the wheel ---------------------------------------------------------------------------------------------


def test_the_wheel_has_every_file_of_the_packages_and_the_pages(copy: Path, said: str) -> None:
    [wheel] = (copy / "dist").glob("*.whl")
    names = {name.removeprefix("everystate/") for name in zipfile.ZipFile(wheel).namelist() if "dist-info" not in name}
    rooms = ("checker", "model", "specs", "counterexamples")
    tracked = [Path(line) for line in git(copy, "ls-files", *rooms, "docs").splitlines()]
    gallery = Path("counterexamples/gallery")
    wanted = {str(p) for p in tracked if p.parts[0] in rooms and not (p.is_relative_to(gallery) and p.suffix != ".py")}
    wanted |= {str(path) for path in tracked if path.parts[0] == "docs" and path.suffix in (".md", ".json")}
    wanted |= {str(path) for path in tracked if path.match("docs/tutorials/*.py")}
    assert names == {path.removeprefix("checker/everystate/") for path in wanted}


@dataclass(frozen=True)
class Environment:
    """An environment with the wheel and what it needs, and with nothing else."""

    folder: Path

    def everystate(self, *words: str) -> tuple[str, int]:
        """What the command prints in an empty folder, and its exit code."""
        work = self.folder / "work"
        work.mkdir(exist_ok=True)
        env = {"PATH": os.environ["PATH"], "EVERYSTATE_CACHE": str(self.folder / "cache"), "COLUMNS": "100"}
        line = [str(self.folder / "bin" / "everystate"), *words]
        done = subprocess.run(line, cwd=work, env=env, capture_output=True, text=True, check=False, timeout=300)
        return done.stdout or done.stderr, done.returncode  # the latter tells of progress, too


@pytest.fixture(scope="module")
def fresh(copy: Path, said: str, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel, installed by pip; its dependencies are those of the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("fresh") / "venv"
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/python*/site-packages")
    for path in _files((*DEPENDENCIES, "markupsafe")):  # which jinja2 needs
        (packages / path.name).symlink_to(path)
    [wheel] = (copy / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--disable-pip-version-check", str(wheel)], check=True)
    return Environment(folder)


def _files(names: Sequence[str]) -> set[Path]:
    """What the distributions of these names have put into the packages of this environment."""
    found: set[Path] = set()
    for name in names:
        distribution = importlib.metadata.distribution(name)
        tops = {path.parts[0] for path in distribution.files or () if path.parts[0] not in ("..", "__pycache__")}
        found |= {Path(str(distribution.locate_file(top))) for top in tops}
    return found


def test_the_wheel_needs_what_it_says() -> None:
    needed = importlib.metadata.requires("everystate") or []
    assert [re.split(r"[<>=]", text)[0] for text in needed if "extra ==" not in text] == list(DEPENDENCIES)


@pytest.mark.thorough
def test_the_wheel_knows_its_version(fresh: Environment) -> None:
    assert fresh.everystate("--version") == (f"everystate {VERSION}\n", 0)


@pytest.mark.thorough
def test_a_check_of_the_wheel_and_its_report_as_a_page(fresh: Environment) -> None:
    told, code = fresh.everystate("check", "idem-producer", "-c", "max_in_flight=6", "-q", "--out", ".")
    assert (told.split("  ")[0], code) == ("VIOLATED", 12)
    told, code = fresh.everystate("show", "idem-producer-NoDup.itf.json", "--as", "html", "-o", "page.html")
    assert code == 0, told
    page = (fresh.folder / "work" / "page.html").read_text("utf-8")
    assert "<svg" in page and (ROOT / "checker" / "pages" / "style.css").read_text("utf-8").strip() in page


@pytest.mark.thorough
def test_a_matrix_of_the_wheel_and_its_json_report(fresh: Environment) -> None:
    (fresh.folder / "work").mkdir(exist_ok=True)
    (fresh.folder / "work" / "two.toml").write_text('[[scenarios]]\nmatch = ["die-hard", "idem-producer"]\n', "utf-8")
    told, code = fresh.everystate("matrix", "two.toml", "--json", "two.json")
    assert code == 0
    assert re.fullmatch(r"AS EXPECTED  all 2 variants \(1,829 states, [\d,]+ cross-checked\)", told.splitlines()[-1])
    assert json.loads((fresh.folder / "work" / "two.json").read_text("utf-8"))["exit_code"] == 0


@pytest.mark.thorough
def test_the_wheel_explains_its_errors(fresh: Environment) -> None:
    told, code = fresh.everystate("errors", "E104")
    assert (told.splitlines()[0], code) == ("E104  *target* contains no spec", 0)


@pytest.mark.thorough
def test_the_wheel_without_its_extras_says_how_to_add_them(copy: Path, fresh: Environment) -> None:
    [wheel] = (copy / "dist").glob("*.whl")
    for words, name, extra in [
        (["prove", "die-hard"], "z3", "z3"),
        (["graph", "die-hard"], "networkx", "graph"),
        (["walk", "die-hard", "--engine", "spark"], "PySpark", "spark"),
        (["check", "die-hard", "--engine", "spark"], "PySpark", "spark"),
        (["matrix", "--engine", "spark"], "PySpark", "spark"),
        (["follow", "die-hard", "a.parquet"], "PyArrow", "spark"),
        (["check", "two-phase-symmetric", "-q"], "z3", "z3"),
        (["audit", "."], "PyArrow", "spark"),
        (["conform", "current/clean-restart"], "JPype", "kafka"),
    ]:
        told, code = fresh.everystate(*words)
        assert (told.splitlines()[0], code) == (f"error E510: {name} is not installed", 69), words
        assert f"  do: {fresh.folder}/bin/python -m pip install '{wheel}[{extra}]'" in told.splitlines(), told
