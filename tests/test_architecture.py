"""The rooms know only what lies below them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "checker/language": {"checker/errors", "checker/language"},
    "checker/border": {"checker/errors", "checker/language", "checker/border"},
    "checker/ir": {"checker/border", "checker/errors", "checker/language", "checker/ir"},
    "checker/backends": {
        "checker/cache",
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/ir",
        "checker/backends",
    },
    "checker/results": {"checker/errors", "checker/language", "checker/results"},
    "checker/engines": {
        "checker/border",
        "checker/errors",
        "checker/language",
        "checker/ir",
        "checker/backends",
        "checker/results",
        "checker/spark",
        "checker/engines",
    },
    "checker/regression": {
        "checker/cache",
        "checker/errors",
        "checker/language",
        "checker/ir",
        "checker/backends",
        "checker/results",
        "checker/engines",
        "checker/spark",
        "checker/regression",
        "counterexamples",
    },
    "checker/spark": {"checker/errors", "checker/extras", "checker/java", "checker/spark"},
    "checker/pytest_plugin.py": {
        "checker/errors",
        "checker/language",
        "checker/results",
        "checker/regression",
        "checker/cli",
        "counterexamples",
        "specs",
    },
    "counterexamples": {
        "checker",
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/ir",
        "checker/results",
        "checker/engines",
        "counterexamples",
        "specs",
    },
    "model/audit": {"checker/errors", "model"},
    "model/cluster": {"checker", "checker/errors", "checker/java", "checker/language", "model"},
    "model/conformance": {
        "checker",
        "checker/cache",
        "checker/errors",
        "checker/extras",
        "checker/java",
        "checker/language",
        "model",
    },
    "model": {"checker", "checker/language", "model"},
    "specs": {"checker", "checker/language", "model", "specs"},
}


def room(module: list[str]) -> str:
    return "/".join(module[:2]) if module[0] == "checker" else module[0]


def imported(path: Path) -> set[str]:
    """The rooms that a file imports from, lazily or not."""
    package = list(path.relative_to(ROOT).parts[:-1])
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            parts = base + (node.module.split(".") if node.module else [])
            names = [[*parts, alias.name] for alias in node.names] if len(parts) < 2 else [parts]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        else:
            continue
        for name in names:
            inner = (
                name[1:] if name[0] == "everystate" else name if isinstance(node, ast.ImportFrom) and node.level else []
            )
            if inner:
                public = inner[0] == "checker" and len(inner) > 1 and not (ROOT / "checker" / inner[1]).is_dir()
                found.add("checker" if public and not (ROOT / "checker" / f"{inner[1]}.py").exists() else room(inner))
    return found


def files() -> list[Path]:
    places = [ROOT / place for place in ALLOWED]
    return sorted({p for place in places for p in (place.rglob("*.py") if place.is_dir() else [place])})


@pytest.mark.parametrize("path", files(), ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_point_downwards(path: Path) -> None:
    own = next(folder for folder in ALLOWED if path.is_relative_to(ROOT / folder))
    assert imported(path) <= ALLOWED[own]
