"""The workflows of this repository and its action: what GitHub accepts, and what the README says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "ci.yml"


def check(schema: str, *paths: Path) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, *map(str, paths)]
    return subprocess.run(line, capture_output=True, text=True, check=False)


def commands_of(job: str) -> list[str]:
    """What a job of the workflow runs."""
    found: dict[str, Any] = YAML(typ="safe").load(WORKFLOW)["jobs"]
    assert list(found) == ["lint", "readme"]
    return [step["run"] for step in found[job]["steps"] if "run" in step]


@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("vendor.github-workflows", sorted(WORKFLOW.parent.iterdir())),
        ("vendor.github-actions", [ROOT / "action.yml"]),
    ],
)
def test_github_accepts_the_file(schema: str, paths: list[Path], tmp_path: Path) -> None:
    found = check(schema, *paths)
    assert found.returncode == 0, found.stdout
    broken = tmp_path / "broken.yml"
    broken.write_text(paths[0].read_text("utf-8").replace("runs", "ruins"), "utf-8")
    assert check(schema, broken).returncode == 1


def test_style_is_checked_alike_before_a_commit_and_in_ci() -> None:
    [repository] = YAML(typ="safe").load(ROOT / ".pre-commit-config.yaml")["repos"]
    assert [hook["entry"] for hook in repository["hooks"]] == commands_of("lint") == ["make lint"]


def test_ci_runs_the_first_two_commands_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    commands = re.findall(r"^\| `(make [\w-]+)` \|", readme, re.MULTILINE)
    assert commands == ["make check", "make test", "make test-all"]
    assert commands_of("readme") == commands[:2]
    assert (ROOT / ".ci" / "run").read_text("utf-8").splitlines()[-1] == "make test"


def test_ci_has_every_python_that_is_supported_and_others_are_refused() -> None:
    found = YAML(typ="safe").load(WORKFLOW)["jobs"]["readme"]["strategy"]["matrix"]["python"]
    assert found == ["3.11", "3.12", "3.13", "3.14"]
    assert 'requires-python = ">=3.11"' in (ROOT / "pyproject.toml").read_text("utf-8")
    assert "with Python 3.11 or newer and make" in (ROOT / "README.md").read_text("utf-8")
    asked = re.search(r"\$\(PYTHON\) -c '(.*)'", (ROOT / "Makefile").read_text("utf-8"))
    assert asked is not None
    for version, told in (((3, 10, 9), True), ((3, 11, 0), False), ((3, 15, 0), False)):
        code = f"import sys; sys.version_info = {version}; {asked[1]}"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert (done.returncode, "Everystate needs Python 3.11 or newer" in done.stderr) == (int(told), told)


@pytest.mark.parametrize(
    ("page", "name", "schema"),
    [
        ("ci.md", ".github/workflows/protocol.yml", "vendor.github-workflows"),
        ("ci.md", ".gitlab-ci.yml", "vendor.gitlab-ci"),
    ],
)
def test_files_of_pages_for_other_repositories_are_accepted(page: str, name: str, schema: str, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / page).read_text("utf-8")
    [text] = re.findall(rf"^```yaml {re.escape(name)}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    path = tmp_path / Path(name).name
    path.write_text(text, "utf-8")
    found = check(schema, path)
    assert found.returncode == 0, found.stdout


def test_the_workflow_of_the_page_gives_the_action_what_it_takes() -> None:
    page = (ROOT / "docs" / "how-to" / "ci.md").read_text("utf-8")
    [text] = re.findall(r"^```yaml .github/workflows/protocol.yml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    [job] = YAML(typ="safe").load(text)["jobs"].values()
    [given] = [step["with"] for step in job["steps"] if step["uses"].startswith("OWNER/everystate@")]
    assert set(given) <= set(YAML(typ="safe").load(ROOT / "action.yml")["inputs"])
    assert set(given) >= {"matrix", "baseline"}
