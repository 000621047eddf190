"""The rooms know only what lies below them, and no modules import each other."""

from __future__ import annotations

import ast
import graphlib
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TOPS = ("checker", "model", "specs", "counterexamples")
ALLOWED = {
    "checker/api": {
        "checker/backends",
        "checker/frontend",
        "checker/cache",
        "checker/engines",
        "checker/errors",
        "checker/extras",
        "checker/ir",
        "checker/language",
        "checker/pages",
        "checker/results",
        "checker/spark",
        "checker/api",
        "counterexamples",
    },
    "checker/errors": {"checker/errors", "parts"},
    "checker/cli": {
        "checker/api",
        "checker/cache",
        "checker/cli",
        "checker/engines",
        "checker/errors",
        "checker/explore",
        "checker/extras",
        "checker/follow",
        "checker/frontend",
        "checker/ir",
        "checker/language",
        "checker/regression",
        "checker/results",
        "checker/spark",
        "checker/tla",
        "counterexamples",
        "parts",
    },
    "checker/language": {"checker/cache", "checker/errors", "checker/language"},
    "checker/ir": {"checker/errors", "checker/language", "checker/ir"},
    "checker/frontend": {"checker/cache", "checker/errors", "checker/language", "checker/ir", "checker/frontend"},
    "checker/backends": {
        "checker/cache",
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/ir",
        "checker/backends",
    },
    "checker/pages": {"checker/pages"},
    "checker/results": {"checker/errors", "checker/language", "checker/results"},
    "checker/engines": {
        "checker/frontend",
        "checker/errors",
        "checker/language",
        "checker/ir",
        "checker/backends",
        "checker/results",
        "checker/spark",
        "checker/engines",
    },
    "checker/regression": {
        "checker/api",
        "checker/cache",
        "checker/errors",
        "checker/language",
        "checker/ir",
        "checker/frontend",
        "checker/backends",
        "checker/pages",
        "checker/results",
        "checker/engines",
        "checker/spark",
        "checker/regression",
        "counterexamples",
    },
    "checker/explore": {
        "checker/errors",
        "checker/language",
        "checker/ir",
        "checker/frontend",
        "checker/results",
        "checker/engines",
        "checker/pages",
        "checker/explore",
        "counterexamples",
    },
    "checker/follow": {
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/ir",
        "checker/frontend",
        "checker/backends",
        "checker/results",
        "checker/engines",
        "checker/spark",
        "checker/follow",
    },
    "checker/tla": {"checker/cache", "checker/errors", "checker/extras", "checker/language", "checker/tla"},
    "checker/spark": {"checker/errors", "checker/extras", "checker/java", "checker/spark"},
    "checker/pytest_plugin.py": {
        "checker/api",
        "checker/errors",
        "checker/language",
        "checker/results",
        "checker/regression",
        "checker/cli",
    },
    "counterexamples/gallery": {
        "checker/frontend",
        "checker/language",
        "checker/results",
        "checker/engines",
        "counterexamples",
        "model",
        "specs",
    },
    "counterexamples": {
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/frontend",
        "checker/pages",
        "checker/results",
        "checker/engines",
        "counterexamples",
    },
    "model/assess": {"checker/extras", "checker/pages", "model"},
    "model/audit": {"checker/errors", "checker/pages", "model"},
    "model/cluster": {"checker", "checker/cache", "checker/errors", "checker/java", "checker/language", "model"},
    "model/commands": {
        "checker/api",
        "checker/cache",
        "checker/cli",
        "checker/errors",
        "checker/extras",
        "checker/language",
        "checker/regression",
        "checker/results",
        "counterexamples",
        "model",
    },
    "model/conformance": {
        "checker",
        "checker/cache",
        "checker/errors",
        "checker/extras",
        "checker/java",
        "checker/language",
        "checker/pages",
        "model",
    },
    "model/follow": {"checker", "model"},
    "model/throughput": {"checker/language", "model"},
    "model": {"checker", "checker/errors", "checker/language", "model"},
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


def test_rooms_are_in_an_order() -> None:
    """no room imports from one above it, at the top of a file or inside a function"""
    graph: dict[str, set[str]] = {}
    for own, below in ALLOWED.items():
        top = own if own.startswith(("checker", "counterexamples/gallery")) else own.partition("/")[0]
        graph.setdefault(top, set()).update(below - {top})
    graph["counterexamples/gallery"].add("counterexamples")
    assert tuple(graphlib.TopologicalSorter(graph).static_order())


def test_only_the_table_of_parts_names_models() -> None:
    """a module that is imported by its name is imported, too: models and scenarios are loaded from that table alone"""
    for path in sorted((ROOT / "checker").rglob("*.py")):
        strings = (node.value for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Constant))
        named = [
            value
            for value in strings
            if isinstance(value, str) and value.startswith(("everystate.model", "everystate.specs"))
        ]
        assert not named or path == ROOT / "checker" / "everystate" / "parts.py", path


BESIDE = ""
"""What lies in a room of several rooms, and in none of these."""
INNER = {
    "checker/engines": {
        BESIDE: set(),
        "crosscheck": {BESIDE},
        "temporal": {BESIDE, "crosscheck"},
        "explicit": {BESIDE, "crosscheck", "temporal"},
        "symbolic": {BESIDE, "crosscheck", "explicit", "temporal"},
        "unbounded": {BESIDE, "symbolic"},
        "sampling": {BESIDE, "crosscheck"},
        "distributed": {BESIDE, "crosscheck", "explicit"},
    },
    "checker/cli": {BESIDE: set(), "commands": {BESIDE}},
    "checker/regression": {
        BESIDE: set(),
        "runners": set(),
        "matrix": {"runners"},
        "frontier": {"runners"},
        "reports": {"runners", "matrix"},
    },
}
OF_A_COMMAND = {"check_spark": "check"}
"""Modules among the commands that are a part of one."""


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for top in TOPS for path in sorted((ROOT / top).rglob("*.py"))}


def imported_modules(module: str) -> set[str]:
    """The modules of ours that a module imports: at its top, in functions, and for type checkers alike."""
    path, found = MODULES[module], set()
    own = module.split(".")
    package = own if path.name == "__init__.py" else own[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = ["everystate", *package][: len(package) + 2 - node.level] if node.level else []
            parts = [*base, *(node.module.split(".") if node.module else [])]
            for name in (".".join([*parts, alias.name]) for alias in node.names):
                whole = name.removeprefix("everystate.")
                found.add(whole if whole in MODULES else whole.rpartition(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.removeprefix("everystate.") for alias in node.names}
    return (found & MODULES.keys()) - {module}


def test_no_circles_of_imports() -> None:
    order = graphlib.TopologicalSorter({module: imported_modules(module) for module in MODULES})
    try:
        order.prepare()
    except graphlib.CycleError as circle:
        pytest.fail(f"a circle of imports: {' <- '.join(circle.args[1])}")


def inner(module: str, outer: str) -> str | None:
    """The room of a module inside another room; None when it is not in that."""
    top, own = outer.split("/"), module.split(".")
    if own[: len(top)] != top:
        return None
    within = own[len(top)] if len(own) > len(top) else BESIDE
    return within if within in INNER[outer] else BESIDE


@pytest.mark.parametrize("outer", INNER)
def test_inner_rooms(outer: str) -> None:
    """Rooms inside of rooms know only what they may, and every folder is one of them."""
    folders = {path.parent.name for path in (ROOT / outer).glob("*/__init__.py")}
    assert folders == INNER[outer].keys() - {BESIDE}
    for module in MODULES:
        own = inner(module, outer)
        if own is not None:
            reached = {inner(name, outer) for name in imported_modules(module)} - {None, own}
            assert reached <= INNER[outer][own], module


def test_commands_do_not_import_each_other() -> None:
    commands = [name for name in MODULES if name.startswith("checker.cli.commands.")]
    pairs = {(a, b) for a in commands for b in imported_modules(a) if b in commands}
    named = {(a.rpartition(".")[2], b.rpartition(".")[2]) for a, b in pairs}
    assert named == {(command, part) for part, command in OF_A_COMMAND.items()}


def test_every_room_is_installed() -> None:
    """a wheel holds the packages that pyproject.toml lists, and nothing tells of one that it lacks"""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    found = {p.parent for top in (*TOPS, "docs") for p in (ROOT / top).rglob("__init__.py")}
    found.remove(ROOT / "checker" / "everystate")  # the top of the package itself
    names = {".".join(("everystate", *folder.relative_to(ROOT).parts)) for folder in found}
    assert {"everystate", *names} <= set(listed)
