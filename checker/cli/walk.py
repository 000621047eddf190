"""everystate walk: seeded random walks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from .options import colour_option, constant_option, constants, target_argument
from .progress import watcher
from .targets import resolve
from .telling import Wishes, tell


@click.command(
    epilog="""\b
Example:
  everystate walk idem-producer -c max_in_flight=6 --walks 2000 --steps 80 --seed 7

The same seed gives the same walks. A walk that meets no violation proves nothing; `everystate check` does."""
)
@target_argument
@constant_option
@click.option("--walks", type=click.IntRange(min=1), default=100, show_default=True, help="How many walks.")
@click.option("--steps", type=click.IntRange(min=1), default=100, show_default=True, help="Steps of a walk, at most.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of all walks.")
@click.option("--no-deadlock", is_flag=True, help="A state without successors is an end, not an error.")
@click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output.")
@click.option("--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a trace file for every violation.")
@click.option("--trace", metavar="NAME", default="", help="Print the trace of this property; `all` prints every one.")
@click.option("--coverage", is_flag=True, help="Print how often each action was taken.")
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(target: str, constant: tuple[str, ...], walks: int, steps: int, seed: int, **given: Any) -> int:
    """Check random walks through TARGET: a sample of a space that is too large to visit."""
    from ..engines.walk import walk

    wishes = Wishes(given["out"], given["json"], given["trace"], given["coverage"], given["quiet"], given["color"])
    wishes.check()
    found = resolve(target)
    spec = found.spec(constants(found.cls, constant))
    observer = watcher(wishes.quiet, walking=True)
    try:
        result = walk(spec, walks, steps, seed, observer, found.name, not given["no_deadlock"])
    finally:
        observer.finish()
    return tell(result, wishes)
