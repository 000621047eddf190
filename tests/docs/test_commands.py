"""Every command that the documentation prints can be pasted: the command line takes its options and arguments."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from everystate.checker.cli.main import commands
from everystate.parts import COMMANDS as NAMES

from .page import ROOT

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WHOLE = re.compile(r"^(?: {4}|\| `)(everystate (?:[^`\n]*\\\n)*[^`\n]*)(?:` \||$)", re.MULTILINE)
"""A line of its own, or the first column of a table."""
INLINE = re.compile(r"`(everystate [^`]*)`")
"""In a sentence; it may be a part of a command."""
FORM = re.compile(r"(?<![A-Z_])[A-Z][A-Z_]+\b| [A-Z]$|\.\.\.|…|\||<")
"""What is to be filled in: `everystate errors CODE`."""


def printed(text: str) -> set[tuple[str, bool]]:
    """The commands of a page, each with whether it is whole; those in fences are executed by other tests."""
    text = FENCED.sub("", text)
    whole = {line.replace("\\\n", " ") for line in WHOLE.findall(text)}
    parts = set(INLINE.findall(" ".join(text.split("\n")))) - whole
    return {(line, line in whole) for line in whole | parts if not FORM.search(line)}


COMMANDS = {str(path.relative_to(ROOT)): sorted(printed(path.read_text("utf-8"))) for path in PAGES}


def parse(words: list[str]) -> None:
    """Let the command line read a command without running it; a file need not exist here."""
    if not words or words[0] not in NAMES:
        commands.make_context("everystate", words).close()
        return
    with click.Context(commands, **commands.context_settings) as context:
        command = commands.get_command(context, words[0])
        assert command is not None
        try:
            command.make_context(words[0], words[1:], parent=context).close()
        except click.BadParameter as error:
            if "does not exist" not in error.message:
                raise


def test_there_are_commands() -> None:
    assert sum(map(len, COMMANDS.values())) > 150


@pytest.mark.parametrize("page", [page for page, found in COMMANDS.items() if found])
def test_every_command_of_a_page_is_one(page: str) -> None:
    wrong = []
    for line, whole in COMMANDS[page]:
        try:
            parse(shlex.split(line)[1:])
        except click.exceptions.Exit:
            pass  # --help
        except click.ClickException as error:
            short = isinstance(error, click.MissingParameter) or "requires an argument" in str(error.message)
            if whole or not short:
                wrong.append(f"{line}: {error.format_message()}")
    assert not wrong
