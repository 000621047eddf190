"""A release in one command: version, changelog, check, build, commit and tag; nothing is sent anywhere.

The tree must be as committed. When a step fails, or in a dry run, the files are as they were before.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT, CHANGELOG = ROOT / "pyproject.toml", ROOT / "CHANGELOG.md"
UNRELEASED = "## Unreleased\n"


def numbers(version: str) -> tuple[int, ...]:
    """A version to compare with others; a message where it is none."""
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        sys.exit(f"release: {version!r} is no version of the form 1.2.3; write: make release VERSION=1.2.3")
    return tuple(map(int, version.split(".")))


def with_version(project: str, version: str) -> str:
    """pyproject.toml with another version, which must be a later one."""
    found = re.search(r'^version = "(.+)"$', project, re.MULTILINE)
    assert found is not None, "pyproject.toml has a version"
    if numbers(version) <= numbers(found[1]):
        sys.exit(f"release: {version} is not later than {found[1]}, the version of pyproject.toml")
    return project.replace(found[0], f'version = "{version}"', 1)


def with_section(changelog: str, version: str) -> str:
    """The changelog with its unreleased lines under a version; there must be some."""
    before, heading, after = changelog.partition(UNRELEASED)
    lines = re.split(r"^## ", after, maxsplit=1, flags=re.MULTILINE)[0]
    if not heading or not lines.strip():
        sys.exit('release: CHANGELOG.md has nothing under "## Unreleased": what is new?')
    return f"{before}{UNRELEASED}\n## {version}\n{after}"


def run(*words: str | Path) -> None:
    """Run a step in the root; the release ends where it fails."""
    line = [str(word) for word in words]
    print(f"release: {shlex.join(line)}", flush=True)
    if subprocess.run(line, cwd=ROOT).returncode != 0:
        sys.exit(f"release: {shlex.join(line)} failed; nothing is released")


def build(dist: Path) -> None:
    """The source archive, and from it the wheel, in an empty folder of their own; then both are moved to dist/."""
    with tempfile.TemporaryDirectory() as folder:
        run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
        dist.mkdir(exist_ok=True)
        for path in sorted(Path(folder).iterdir()):
            shutil.move(path, dist / path.name)
            print(f"release: {dist / path.name}")


def clean() -> None:
    """What setuptools leaves beside the sources."""
    shutil.rmtree(ROOT / "build", ignore_errors=True)


def release(version: str, check: str, dry: bool) -> None:
    """All steps in order."""
    if subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=True).stdout:
        sys.exit("release: there are changes that are not committed")
    tag = f"v{version}"
    if subprocess.run(["git", "tag", "--list", tag], cwd=ROOT, capture_output=True, text=True, check=True).stdout:
        sys.exit(f"release: there is a tag {tag} already")
    before = {path: path.read_text("utf-8") for path in (PROJECT, CHANGELOG)}
    after = {PROJECT: with_version(before[PROJECT], version), CHANGELOG: with_section(before[CHANGELOG], version)}
    kept = False
    try:
        for path, text in after.items():
            path.write_text(text, "utf-8")
        run(*shlex.split(check))
        with tempfile.TemporaryDirectory() as folder:
            build(Path(folder) if dry else ROOT / "dist")
        if not dry:
            run("git", "commit", "--quiet", "--message", f"Version {version}", PROJECT, CHANGELOG)
            kept = True
            run("git", "tag", "--annotate", "--message", f"Version {version}", tag)  # --follow-tags sends no other
    finally:
        clean()
        for path, text in before.items() if not kept else ():
            path.write_text(text, "utf-8")
    told = "tried; nothing is left of it" if dry else f"committed as {tag}; to publish: git push --follow-tags"
    print(f"release: {version} {told}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", help="the new version, such as 1.2.3")
    parser.add_argument("--check", default="make test-all", help="what must pass before anything is kept")
    parser.add_argument("--dry-run", action="store_true", help="try it, and leave everything as it was")
    given = parser.parse_args()
    release(given.version, given.check, given.dry_run)
