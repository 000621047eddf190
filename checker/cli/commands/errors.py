"""everystate errors: what an error code means, with an example."""

from __future__ import annotations

import click

from ...errors import as_sentence, catalogue, examples, suggestion
from ..output import say


@click.command(
    epilog="""\b
Examples:
  everystate errors
  everystate errors E204"""
)
@click.argument("code", metavar="[CODE]", required=False)
def command(code: str | None) -> None:
    """Explain an error: what happened, why it matters, what to do, and an example.

    Without CODE, list all errors, one per line.
    """
    if code is None:
        say("\n".join(f"{name}  {as_sentence(entry.what)}" for name, entry in sorted(catalogue().items())))
        return
    name = code.upper()
    if name not in catalogue():
        raise click.BadParameter(
            f"no error has the code {code}{suggestion(name, list(catalogue()))}", param_hint="CODE"
        )
    entry = catalogue()[name]
    lines = [
        f"{name}  {as_sentence(entry.what)}",
        "",
        f"  why: {as_sentence(entry.why)}",
        f"  do: {as_sentence(entry.remedy)}",
        f"  exit code: {entry.exit_code}",
        "",
    ]
    say("\n".join(lines))
    say(examples()[name], whole=True)
