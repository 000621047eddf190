"""everystate watch: check a spec again at every save, and report changes."""

from __future__ import annotations

import os
from typing import Any

import click

from ...regression.runners.job import Allowance, Job
from ...regression.runners.outcome import Outcome
from ...results.text import Paint, count
from ..options import BoundedNumber, colour_option, constant_option, processors, size
from ..output import note, painter, say
from ..watching import Watch, changes

INTERRUPTED = 130


@click.command(
    epilog="""\b
Examples:
  everystate watch path/to/spec.py
  everystate watch path/to/spec.py:MySpec -c max_in_flight=6 --max-time 60

Files in the same folder that the spec imports are watched, too. A new save cancels a running check. Ctrl-C ends it."""
)
@click.argument("target", metavar="FILE")
@constant_option
@click.option("--workers", type=click.IntRange(1, 256), help="Threads; by default one for each processor.")
@click.option("--max-states", type=click.IntRange(min=1), help="Stop after this number of distinct states.")
@click.option("--max-memory", metavar="SIZE", help="Stop at this size of the state store, for example 8G.")
@click.option("--max-time", type=BoundedNumber(min=0.001), metavar="SECONDS", help="Stop after this time.")
@click.option("--no-deadlock", is_flag=True, help="Accept states without successors.")
@colour_option
def command(target: str, constant: tuple[str, ...], **given: Any) -> int:
    """Check the spec in FILE at every save, and report changes of the verdict."""
    path, _, _ = target.partition(":")
    if not path.endswith(".py"):
        raise click.UsageError(f"{target}: watch takes the file of a spec, path/to/spec.py or path/to/spec.py:Class")
    budget = size(given["max_memory"]) if given["max_memory"] else None
    threads = given["workers"] or processors()
    limits = Allowance(given["max_time"], budget, given["max_states"], threads, not given["no_deadlock"])
    teller = CheckReporter(path, painter(given["color"]))
    job = Job(target, target, _constants(constant), limits, cache=False, forms=("text",))
    watch = Watch(path, job, teller.report_check, teller.lost)
    try:
        watch.run()
    except KeyboardInterrupt:
        note(f"stopped watching {path}")
    return INTERRUPTED


def _constants(texts: tuple[str, ...]) -> dict[str, Any]:
    """The constants as texts: what type each has is known when the spec is loaded."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"-c {text}: write NAME=VALUE")
        found[name.strip()] = value.strip()
    return found


class CheckReporter:
    """Tells of each check: the first as a whole, then what has changed, and the trace of what is violated anew."""

    def __init__(self, path: str, paint: Paint) -> None:
        self.path, self.paint = path, paint
        self.before: Outcome | None = None

    def lost(self) -> None:
        """The file is not there."""
        say(f"{self.path} is not there; waiting for it to come back")

    def report_check(self, outcome: Outcome, changed: list[str]) -> None:
        """A check is over; one that came to nothing is not compared with."""
        if changed:
            folder = os.path.dirname(os.path.abspath(self.path))
            say(self.paint("title", f"changed: {', '.join(os.path.relpath(path, folder) for path in changed)}"))
        if outcome.error:
            say(f"{outcome.error.rstrip()}\nfix this error; the spec was not checked\n")
            return
        if outcome.checked:
            for line in self._changes(outcome):
                say(f"  {line}")
            say(self._new_story(outcome), end="")
            for warning in outcome.report["warnings"]:
                say(self.paint("warning", f"warning: {warning}"))
            self.before = outcome
        word, _, rest = outcome.statement.partition(" ")
        say(f"{self.paint(word, word)} {rest}; {count(outcome.cross_checked, 'state')} cross-checked\n")

    def _changes(self, outcome: Outcome) -> list[str]:
        if self.before is None:
            return []
        return changes(self.before, outcome) or ["nothing has changed in the verdict"]

    def _new_story(self, outcome: Outcome) -> str:
        """The shortest counterexample, unless it was printed before."""
        shown, known = outcome.trace_of(), self.before.trace_of() if self.before else None
        return f"\n{shown.text}\n" if shown is not None and (known is None or known.text != shown.text) else ""
