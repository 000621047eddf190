"""everystate frontier: the map of what is safe, over two constants."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from ...errors import EverystateError, suggestion
from ...regression.frontier import map_html, map_svg, map_text
from ...regression.frontier.grid import Axis, Grid, Question, as_json, axis, explore
from ...regression.runners.job import Allowance
from ...regression.runners.outcome import REFUSED, remarks
from ...results.result import checked
from ..options import BoundedNumber, colour_option, constant_option, constants, convert, size, target_argument
from ..output import note, painter, require_file, say, write_text
from ..spark import engine_option
from ..sweeps import ProgressLine, load, runner, store_traces
from ..targets import Target, resolve


@click.command(
    epilog="""\b
Examples:
  everystate frontier idem-producer -x window=1..6 -y max_in_flight=1..6 -c batches=7
  everystate frontier idem-producer -x window=1..6 -y max_in_flight=1..6 -c batches=7 -o map.html

Every cell is a complete check. Exit code 0 if every cell is proved or violated, 3 if a cell is undecided."""
)
@target_argument
@click.option("-x", "x", required=True, metavar="NAME=LO..HI", help="The constant of the columns.")
@click.option("-y", "y", required=True, metavar="NAME=LO..HI", help="The constant of the rows.")
@constant_option
@click.option("--property", "prop", metavar="NAME", default="", help="Map one property; by default all together.")
@engine_option
@click.option("--workers", type=click.IntRange(1, 256), help="Processes; by default one for each processor.")
@click.option("--max-states", type=click.IntRange(min=1), help="Give up a cell after this number of distinct states.")
@click.option("--max-memory", metavar="SIZE", help="Give up a cell at this size of its state store.")
@click.option("--max-time", type=BoundedNumber(min=0.001), metavar="SECONDS", help="Give up a cell after this time.")
@click.option("--no-deadlock", is_flag=True, help="Accept states without successors.")
@click.option("--no-cache", is_flag=True, help="Check every cell, even if its result is cached.")
@click.option("--json", metavar="FILE", help="Write the map as JSON, - for standard output.")
@click.option(
    "-o",
    "output",
    metavar="FILE",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Draw the map into a file that ends in .svg, .html or .txt.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print the map only, no progress.")
@colour_option
def command(target: str, x: str, y: str, constant: tuple[str, ...], prop: str, **given: Any) -> int:
    """Check TARGET for every pair of values of two constants, and draw a map: proved, length of a shortest violation,
    or undecided."""
    drawers = [(path, _drawer(path)) for path in given["output"]]
    for path in [*given["output"], *([Path(given["json"])] if given["json"] not in (None, "-") else [])]:
        require_file(path)
    found = resolve(target)
    question = _question(found, constants(found, constant), prop, given)
    axes = [_axis(found, text) for text in (x, y)]
    teller = ProgressLine(len(axes[0].values) * len(axes[1].values), given["quiet"])
    try:
        grid = explore(question, axes[0], axes[1], runner(given), teller)
    finally:
        teller.finish()
    _refuse_if_all_refused(grid)
    for path, draw in drawers:
        write_text(path, draw(grid))
    return _report(grid, given)


def _question(target: Target, given_constants: dict[str, Any], prop: str, given: dict[str, Any]) -> Question:
    budget = size(given["max_memory"]) if given["max_memory"] else None
    allowance = Allowance(given["max_time"], budget, given["max_states"], deadlock=not given["no_deadlock"])
    if prop:
        names = list(checked(target.spec(), allowance.deadlock))
        if prop not in names:
            hint = suggestion(prop, names)
            raise EverystateError("E429", None, target=target.name, name=prop, suggestion=hint, names=", ".join(names))
    drawn = given["json"] or any(path.suffix == ".html" for path in given["output"])
    return Question(target.name, given_constants, prop, allowance, not given["no_cache"], ("itf",) if drawn else ())


def _axis(target: Target, text: str) -> Axis:
    """An axis over a constant that exists and is a number; E107 or E428 otherwise."""
    found = axis(text)
    declared = target.declared()
    if found.name not in declared:
        target.spec({found.name: found.values[0]})
    default = declared[found.name].default
    if isinstance(default, bool) or not isinstance(convert("1", default), int):
        raise EverystateError("E428", None, text=text, reason=f"{found.name} is not a whole number")
    return axis(text, declared[found.name].text)


def _drawer(path: Path) -> Any:
    kinds = {".svg": map_svg.draw, ".html": lambda grid: map_html.draw(grid, load), ".txt": map_text.draw}
    if path.suffix not in kinds:
        raise click.UsageError(f"-o {path}: the name must end in {', '.join(kinds)}")
    return kinds[path.suffix]


def _refuse_if_all_refused(grid: Grid) -> None:
    """When no cell could be made, the first error is the answer."""
    if all(cell.finding.status == REFUSED for cell in grid.cells):
        first = grid.cells[0]
        load(first.outcome.report["target"], first.outcome.report["constants"])


def _report(grid: Grid, given: dict[str, Any]) -> int:
    if given["json"]:
        traces = [store_traces(cell.outcome) for cell in grid.cells]
        text = json.dumps(as_json(grid, traces), indent=2, ensure_ascii=False)
        if given["json"] != "-":
            write_text(Path(given["json"]), text + "\n")
        else:
            say(text, whole=True)
    if given["json"] != "-":
        say(map_text.draw(grid, painter(given["color"])), end="")
    for remark in remarks([cell.outcome for cell in grid.cells]):
        note(f"warning: {remark}")
    codes = {cell.outcome.report["exit_code"] for cell in grid.cells}
    return 130 if 130 in codes else 0 if grid.decided else 3
