"""everystate cases: behaviours of a spec as tests of the system that it describes."""

from __future__ import annotations

from pathlib import Path

import click

from ...follow.cases import found
from ...results.itf import dump
from ...results.text import count
from ..options import constant_option, constants, target_argument
from ..output import note, require_folder, say, write_text
from ..targets import resolve

SHOWN = 20
"""Cases that are printed."""


@click.command(
    epilog="""\b
Examples:
  everystate cases die-hard
  everystate cases lock.py --cover steps --out cases
  everystate cases kip-98/leader-change --cover goals --max-states 100000

Generates a small set of behaviours that together take every action, take every step between states, or reach every
reachability property (@reachable). --out DIR writes each as a trace in the Informal Trace Format, with the state after
every step. In Python, `cases(spec)` of everystate.checker.follow.cases returns them as parameters for pytest.

\b
Exit codes: 0 all is covered, 3 something is never reached, 2 usage, or too many states."""
)
@target_argument
@constant_option
@click.option(
    "--cover",
    "over",
    type=click.Choice(["actions", "steps", "goals"]),
    default="actions",
    show_default=True,
    help="What the cases cover together.",
)
@click.option(
    "--steps", "long", type=click.IntRange(min=1), default=60, show_default=True, help="Approximate steps of a case."
)
@click.option(
    "--max-states",
    "most",
    type=click.IntRange(min=1),
    default=10_000,
    show_default=True,
    help="Limit of visited states.",
)
@click.option(
    "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write each case as a trace to this folder."
)
def command(target: str, constant: tuple[str, ...], over: str, long: int, most: int, out: Path | None) -> int:
    """Generate test cases for a real system from the spec TARGET."""
    if out is not None:
        require_folder(out)
    resolved = resolve(target)
    made = found(resolved.spec(constants(resolved, constant)), resolved.name, over, most, long)
    width = len(str(len(made.cases)))
    for number, case in enumerate(made.cases, start=1):
        if out is not None:
            write_text(out / f"case-{number:0{width}}.itf.json", dump(case.trace))
        elif number <= SHOWN:
            say(f"{case}: {', '.join(step.label for step in case.trace.steps) or 'the initial state'}")
    if out is None and len(made.cases) > SHOWN:
        say(f"and {len(made.cases) - SHOWN:,} more; --out DIR writes them all")
    for name in made.missed:
        note(f"note: {over[:-1]} {name} is never {'taken' if over == 'actions' else 'reached'}")
    if made.cut:
        note(f"note: no step is taken from outside the constraint {', '.join(made.cut)}")
    steps = sum(case.trace.length for case in made.cases)
    place = f", in {out}" if out is not None else ""
    say(f"{count(len(made.cases), 'case')} with {count(steps, 'step')} cover {count(made.met, over[:-1])}{place}")
    return 3 if made.missed else 0
