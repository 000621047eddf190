"""everystate schema: the JSON Schemas of reports and matrix files."""

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

`report` describes what --json writes for check, walk, prove, matrix and frontier; `conform`, `replay` and `throughput`
what it writes for these commands; `matrix` describes a matrix file."""
)
@click.argument("name", type=click.Choice(NAMES), metavar="|".join(NAMES))
def command(name: str) -> None:
    """Print the JSON Schema of a report or of a matrix file."""
    say(read_text(str(SCHEMAS / f"{name}.schema.json")), end="", whole=True)
