"""Each option, form of output and exit code is named by a test: what no test names can break unnoticed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from everystate.checker.cli.main import commands
from everystate.checker.results.verdict import ExitCode
from everystate.parts import COMMANDS
from tests.docs.test_commands import printed

ROOT = Path(__file__).parents[2]
CONSOLE = re.compile(r"^\$ (everystate (?:[^\n]*\\\n)*[^\n]*)$", re.MULTILINE)
"""A command that the tests of transcripts and pages execute; those of `printed` are parsed at least."""
UNTESTED = {
    "assess --prefix": "tests/model reads such files without the command",
    "assess --show": "tests/model prints the counterexamples without the command",
    "conform --traces": "the jars of Kafka",
    "conform --max-memory": "the jars of Kafka",
    "conform --html": "tests/conformance writes the page without the command",
    "conform --with producers": "the jars of Kafka",
    "explore --open": "a browser",
    "replay --seed": "brokers",
    "throughput --batch-size": "brokers",
    "watch --max-time": "a check that takes too long",
}
"""What no test names, and what it needs, or who tests the same without the command line. This list only shrinks."""
PRODUCT = ("checker/cli", "model/commands")
"""Where options are read."""
HELP = ("help.md", Path(__file__).name)
"""These name everything."""


@cache
def words() -> tuple[frozenset[str], ...]:
    """The words of each test: of the strings of a file in Python, or of a command of a transcript or a page."""
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8")) if path.name not in HELP else ast.Module([], [])
        strings = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is str]
        found.append(frozenset(word for text in strings for word in split(text)))
    for folder in ("tests/cli", "docs"):
        for path in sorted((ROOT / folder).rglob("*.md")):
            text = path.read_text("utf-8") if path.name not in HELP else ""
            lines = [*CONSOLE.findall(text), *(line for line, _ in printed(text))]
            found += [frozenset(split(line)) for line in lines]
    return tuple(found)


def split(text: str) -> list[str]:
    return re.split(r"[\s=:|]+", text)


def named(*wanted: str) -> bool:
    """Whether some test has all of these words."""
    return any(found.issuperset(wanted) for found in words())


def options() -> Iterator[tuple[str, click.Option]]:
    """The options of all commands, each with the name of its command."""
    with click.Context(commands) as context:
        for name in COMMANDS:
            command = commands.get_command(context, name)
            assert command is not None
            yield from ((name, param) for param in command.params if isinstance(param, click.Option))


def test_each_option_is_named_beside_its_command() -> None:
    """one that several commands have with the same meaning is named beside one of them"""
    found: dict[tuple[str, str | None], list[str]] = {}
    for name, option in options():
        forms = (*option.opts, *option.secondary_opts)
        found.setdefault((option.opts[0], option.help), []).extend(f"{name} {form}" for form in forms)
    missing = [uses[0] for uses in found.values() if not any(named(*use.split()) for use in uses)]
    assert missing == [use for use in missing if use in UNTESTED]


def test_each_choice_of_an_option_is_named_beside_it() -> None:
    """formats, engines and so on"""
    missing = [
        f"{name} {option.opts[0]} {choice}"
        for name, option in options()
        for choice in (option.type.choices if isinstance(option.type, click.Choice) else ())
        if choice != option.default and not any(named(name, form, choice) for form in option.opts)
    ]
    assert missing == [use for use in missing if use in UNTESTED]


def test_each_option_is_read() -> None:
    """by its name: an option that no code reads would be accepted without an effect"""
    trees = [ast.parse(path.read_text("utf-8")) for top in PRODUCT for path in sorted((ROOT / top).rglob("*.py"))]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    read = {node.value for node in nodes if isinstance(node, ast.Constant) and type(node.value) is str}
    read |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    assert [f"{name} {option.opts[0]}" for name, option in options() if option.name not in read] == []


def test_nothing_is_listed_that_is_named() -> None:
    assert [use for use in UNTESTED if named(*use.split())] == []


def test_each_exit_code_is_named() -> None:
    everything = "\n".join(
        path.read_text("utf-8")
        for path in sorted((ROOT / "tests").rglob("*"))
        if path.suffix in (".py", ".md") and path.name not in HELP
    )
    missing = [
        code.name
        for code in ExitCode
        if f"[exit {code.value}]" not in everything
        and f"ExitCode.{code.name}" not in everything
        and not re.search(rf"(==|in) \(?{code.value}\b|\b{code.value} ==", everything)
    ]
    assert not missing
