"""everystate errors: what a code means, with an example; the page docs/reference/errors.md at the prompt."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import click

from ...errors import CATALOGUE, suggestion
from ..output import read_text, say

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "errors.md"
"""In a clone and in an installation the documentation lies beside the checker."""

FENCED = re.compile(r"^```\w+ ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@click.command(
    epilog="""\b
Examples:
  everystate errors
  everystate errors E204"""
)
@click.argument("code", metavar="[CODE]", required=False)
def command(code: str | None) -> None:
    """What an error means, with an example; without CODE all of them, with one line each.

    The same is in docs/reference/errors.md.
    """
    text = read_text(str(PAGE))
    if code is None:
        say("\n".join(f"{name}  {line}" for name, line in re.findall(r"^### (E\d+)\n\n(.*)$", text, re.MULTILINE)))
        return
    name = code.upper()
    if name not in CATALOGUE:
        raise click.BadParameter(f"no error has the code {code}{suggestion(name, list(CATALOGUE))}", param_hint="CODE")
    [section] = re.findall(rf"^### {name}\n\n(.*?)(?=^##|\Z)", text, re.MULTILINE | re.DOTALL)
    say(f"{name}  {FENCED.sub(_indented, section).rstrip()}")


def _indented(block: re.Match[str]) -> str:
    file, body = block.groups()
    return (f"{file}:\n" if file else "") + textwrap.indent(body, "    ").rstrip("\n")
