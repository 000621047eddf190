"""everystate explain-check: the checks of a broker on one batch, by the producer state that it remembers."""

from __future__ import annotations

import re
from itertools import pairwise

import click

from ...checker.cli.output import say
from ..explain_check import explain, shown
from ..generation import at_release
from ..rules import rules

LAST = 2**31 - 1
"""The highest sequence of Kafka."""


@click.command(
    epilog="""\b
Examples:
  everystate explain-check --remembers 5-9,10-14 --sequence 15
  everystate explain-check --remembers 3-3 --sequence 0
  everystate explain-check --remembers 3-3 --epoch 1 --sequence 4
  everystate explain-check --sequence 7 --kafka 2.4

A broker runs four checks on a batch of an idempotent producer: duplicate, epoch, sequence, append. The checks are those
of the Kafka model, without transactions. `everystate rules B2` prints a rule."""
)
@click.option(
    "--remembers",
    metavar="BATCHES",
    default="",
    help="First and last sequence of each remembered batch, oldest first, such as 0-4,5-9; none: unknown producer id.",
)
@click.option(
    "--known-epoch", type=click.IntRange(0, 32767), default=0, show_default=True, help="Epoch of these batches."
)
@click.option("--epoch", type=click.IntRange(0, 32767), default=0, show_default=True, help="Epoch of the batch.")
@click.option(
    "--sequence", type=click.IntRange(0, LAST), default=0, show_default=True, help="First sequence of the batch."
)
@click.option("--size", type=click.IntRange(1), default=1, show_default=True, help="Records in the batch.")
@click.option("--empty-log", is_flag=True, help="The log has never had a record (matters from 4.5 on).")
@click.option("--kafka", "version", metavar="VERSION", default="4.4", show_default=True, help="Release of the broker.")
def command(
    remembers: str, known_epoch: int, epoch: int, sequence: int, size: int, empty_log: bool, version: str
) -> None:
    """Show which check of a Kafka broker decides about a batch, and the answer of the broker."""
    numbers = re.fullmatch(r"(\d+)\.(\d+)(?:\.(\d+))?(?:\.(\d+))?", version)
    generation = at_release(tuple(int(n) for n in numbers.groups() if n is not None)) if numbers else None
    if generation is None:
        raise click.BadParameter("give a release from 0.11 on, such as 2.4 or 4.1.2", param_hint="--kafka")
    known = _batches(remembers, generation.batches_remembered)
    if empty_log and known:
        raise click.UsageError("--empty-log contradicts --remembers: the remembered batches are in the log")
    if sequence + size - 1 > LAST:
        raise click.BadParameter(
            f"the batch would end above {LAST}; batches across the wrap are not modelled", param_hint="--size"
        )
    batch = (sequence, sequence + size - 1)
    found = explain(generation, known_epoch, known, epoch, batch, empty_log)
    memory = f"{', '.join(map(shown, known))} of epoch {known_epoch}" if known else "nothing of the producer id"
    say(f"broker:  Kafka {generation.versions}; remembers {memory}")
    say(f"batch:   epoch {epoch}, sequences {shown(batch)}")
    for number, check in enumerate(found.checks, 1):
        say(f"\n{number}. {check.name} ({check.rule}): {check.finding}{'. DECIDES' if check.decides else ''}")
        rule = rules()[check.rule]
        say(f"   {rule.says}")
        if rule.releases:
            say(f"   Releases: {rule.releases}")
    say(f"\nanswer:  {found.answer}")


def _batches(text: str, most: int) -> list[tuple[int, int]]:
    """The remembered batches, each of which follows the one before."""
    hint = "--remembers"
    if text and not re.fullmatch(r"\d+-\d+(,\d+-\d+)*", text):
        raise click.BadParameter(f"{text!r} is no list of ranges such as 0-4,5-9", param_hint=hint)
    pairs = [part.split("-") for part in text.split(",") if part]
    found = [(int(first), int(last)) for first, last in pairs]
    for first, last in found:
        if not first <= last <= LAST:
            raise click.BadParameter(f"{first}-{last} is no range of sequences up to {LAST}", param_hint=hint)
    for (_, last), (first, _) in pairwise(found):
        if first != (last + 1) % (LAST + 1):
            raise click.BadParameter(
                f"{first} does not follow {last}; in one epoch the broker lets no gap pass (B4.4)", param_hint=hint
            )
    if len(found) > most:
        raise click.BadParameter(f"this broker remembers the last {most} of a producer", param_hint=hint)
    return found
