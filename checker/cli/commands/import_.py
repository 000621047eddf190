"""everystate import: a TLA+ module as a Python spec."""

from __future__ import annotations

from pathlib import Path

import click

from ...errors import EverystateError
from ...tla.kept import configuration
from ...tla.settable import with_constants
from ..options import bounds, bounds_option, constant_option, constants
from ..output import note, say
from ..targets import TlaTarget


@click.command(
    name="import",
    epilog="""\b
Examples:
  everystate import Spec.tla
  everystate import Spec.tla --config MC.cfg -o spec.py
  everystate import Spec.tla --bound clock=7""",
)
@click.argument("module", metavar="MODULE")
@click.option("--config", default="", metavar="FILE", help="The configuration of TLC; by default MODULE with .cfg.")
@click.option("--out", "-o", metavar="FILE", help="Write here instead of to standard output.")
@bounds_option
@constant_option
def command(module: str, config: str, out: str | None, bound: tuple[str, ...], constant: tuple[str, ...]) -> None:
    """Translate a TLA+ module and its configuration into a Python spec."""
    path = Path(module)
    if not path.is_file():
        raise EverystateError("E102", None, target=module)
    given = constants(TlaTarget(module, config, {}), constant)
    made = with_constants(path, configuration(path, config), bounds(bound), given)
    for name, reason in made.notes.items():
        note(f"note: {name} {reason}")
    for name, domain in made.guessed.items():
        note(f"note: the domain of {name} is a guess, {domain}; another bound: --bound {name}=N")
    if out is None:
        say(made.text.rstrip("\n"), whole=True)
    else:
        Path(out).write_text(made.text)
