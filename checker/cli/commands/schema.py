"""everystate schema: the JSON Schema of what is read and written."""

from __future__ import annotations

from pathlib import Path

import click

from ..output import read_text, say

SCHEMAS = Path(__file__).parents[3] / "docs" / "reference"
"""In a clone and in an installation the documentation is beside the checker."""

NAMES = ("report", "matrix", "conform", "replay", "throughput")


@click.command(
    epilog="""\b
Examples:
  everystate schema report
  everystate schema matrix > matrix.schema.json

`report` is what --json writes with check, walk, prove, matrix and frontier; `conform`, `replay` and `throughput` are
what it writes with these; `matrix` is a matrix file."""
)
@click.argument("name", type=click.Choice(NAMES), metavar="|".join(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a report, or of a matrix file."""
    say(read_text(str(SCHEMAS / f"{name}.schema.json")), end="")
