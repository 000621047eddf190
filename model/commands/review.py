"""everystate review: what a change of a model, written as a subclass, does to its scenarios."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

import click

from ...checker.api.executed_lines import Statement
from ...checker.api.review import ChangedStep, Review, assigned, overridden, review
from ...checker.cli.options import colour_option, constant_option, constants
from ...checker.cli.output import note, painter, say
from ...checker.cli.targets import Target, resolve
from ...checker.language.spec import Spec
from ..rules import CITED, find

CHANGED, UNDECIDED = 12, 3
SOME = 3
"""The last line names so many parts of a change."""


@click.command(
    epilog="""\b
Examples:
  everystate review path/to/variant.py:Variant txn-4.3/lost-connection txn-4.3/late-start
  everystate review path/to/variant.py:Variant current/clean-restart -c faults=2

A variant is a subclass of a model that overrides a few methods, as a patch would change them. For each TARGET, a
scenario of that model, the report has: properties whose outcome or shortest length changed, the number of states,
actions that lost their instances or are never enabled any more, and the first step of each action that changed.

An action without instances is named if it mentions a value that the changed methods mention, too: a state that only
this action leaves is then a dead end, and a PROVED is worth little. Set the constants that give it instances.

Parts of the change are named of which no effect was seen: statements that no compared state executes, and new constants
where all is as before. Then name a scenario that shows an effect.

\b
Exit codes: 0 no property changed, 12 one did, 3 undecided: a search did not end, no target shows an effect of a
part of the change, or the change needs an action that has no instance."""
)
@click.argument("variant", metavar="FILE:CLASS")
@click.argument("targets", metavar="TARGET...", nargs=-1, required=True)
@constant_option
@click.option("--quiet", "-q", is_flag=True, help="Print the last line only.")
@colour_option
def command(variant: str, targets: tuple[str, ...], constant: tuple[str, ...], quiet: bool, color: bool | None) -> int:
    """Compare a variant of a model with the model: properties, lengths, actions and steps that changed."""
    changed = resolve(variant)
    pairs = [(target, *_compared(changed.cls, target)) for target in map(resolve, targets)]
    found: list[Review] = []
    for target, base, variant_class in pairs:
        given = {**target.preset, **constants(target, constant)}
        if not quiet:
            note(f"{target.name} ...")
        found.append(review(base(**given), variant_class(**given), target.name))
        if not quiet:
            if len(found) == 1:
                names = [f"{name}{_rules(base, name)}" for name in _changed(variant_class, base)]
                say(f"{changed.cls.__name__} of {base.__name__} changes {', '.join(names)}")
            say("\n".join(["", *_shown(found[-1])]))
    code = _code(found)
    role = {0: "PROVED", CHANGED: "VIOLATED", UNDECIDED: "UNDECIDED"}[code]
    word = {0: "UNCHANGED", CHANGED: "CHANGED", UNDECIDED: "UNDECIDED"}[code]
    say(f"{painter(color)(role, word)}  {_summary(found)}")
    return code


def _compared(variant: type[Spec], target: Target) -> tuple[type[Spec], type[Spec]]:
    """The model of a target without and with the change of a variant; a usage error where there is no change, or where
    it is of another model."""
    base, changed = _classes(variant, target)
    if not _changed(changed, base):
        raise click.UsageError(f"{variant.__name__} changes nothing of {base.__name__}: it has no methods of its own")
    return base, changed


def _changed(variant: type[Spec], base: type[Spec]) -> list[str]:
    """What a variant defines itself: methods, then other attributes."""
    return [*overridden(variant, base), *assigned(variant, base)]


def _classes(variant: type[Spec], target: Target) -> tuple[type[Spec], type[Spec]]:
    """The two classes that are compared; a usage error where they do not belong together.

    A scenario may check a class beside the variant's own, with fairness for example: then both get what that has.
    """
    if issubclass(variant, target.cls) and variant is not target.cls:
        return target.cls, variant
    model = next((each for each in variant.__mro__[1:] if each.__module__ != variant.__module__), Spec)
    if all(each in Spec.__mro__ or each not in target.cls.__mro__ for each in model.__mro__) or variant is target.cls:
        reason = f"{variant.__name__} is not a subclass of {target.cls.__name__}, the model of {target.name}"
        raise click.UsageError(reason)
    both = (type(each.__name__, (each, target.cls), {"__module__": each.__module__}) for each in (model, variant))
    return next(both), next(both)


def _rules(base: type[Spec], method: str) -> str:
    """The rules of Kafka that the unchanged method cites, in parentheses."""
    text = getattr(getattr(base, method, None), "__doc__", None) or ""
    ids = [name for name in dict.fromkeys(CITED.findall(text)) if find(name)]
    return f" ({', '.join(ids)})" if ids else ""


def _code(found: list[Review]) -> int:
    if any(each.properties for each in found):
        return CHANGED
    undecided = any(each.waiting or not each.is_decided for each in found)
    return UNDECIDED if undecided or _idle(found) else 0


def _idle(found: list[Review]) -> list[Statement]:
    """The parts of a change of which no effect was seen in any target."""
    return [each for each in found[0].idle if all(each in other.idle for other in found)]


def _summary(found: list[Review]) -> str:
    changed = [f"{each.target}: {', '.join(p.name for p in each.properties)}" for each in found if each.properties]
    waits = sorted({waiting.action for each in found for waiting in each.waiting})
    parts = [f"{len(found)} target{'s' * (len(found) != 1)}"]
    parts += [f"properties changed in {'; '.join(changed)}"] if changed else ["no property changed"]
    parts += [_no_effect_seen(idle)] if (idle := _idle(found)) else []
    parts += [f"the change needs actions without instances: {', '.join(waits)}"] if waits else []
    return ", ".join(parts)


def _no_effect_seen(parts: list[Statement]) -> str:
    more = f"; and {len(parts) - SOME} more" if len(parts) > SOME else ""
    return f"no effect seen of {'; '.join(map(str, parts[:SOME]))}{more}"


def _shown(found: Review) -> Iterator[str]:
    yield f"{found.target}: {found.before.distinct:,} states, {found.after.distinct:,} with the change"
    yield f"  verdict: {found.before.verdict} without the change, {found.after.verdict} with it"
    for each in found.properties:
        yield f"  {each.name}: {_outcome(each.before)} without the change, {_outcome(each.after)} with it"
    for name in found.lost:
        yield f"  action {name} has no instance with the change"
    for waiting in found.waiting:
        values, methods = ", ".join(waiting.values), ", ".join(waiting.methods)
        yield f"  action {waiting.action} has no instance here, but mentions {values}, as {methods} of the change does"
    if found.never:
        yield f"  never enabled with the change: {', '.join(found.never)}"
    for part in found.idle:
        yield f"  no effect seen of {part}"
    if not found.steps:
        yield "  no step changed in the states that were compared"
    for step in found.steps:
        yield from _step(step)


def _outcome(length: int | None) -> str:
    return "holds" if length is None else f"fails after {length} steps"


def _step(step: ChangedStep) -> Iterator[str]:
    if step.enabled[0] != step.enabled[1]:
        says = "is enabled without the change only" if step.enabled[0] else "is enabled with the change only"
    else:
        says = "has another outcome"
    yield f"  step {step.action} {says}, first after {len(step.path)} steps"
    for name, (before, after) in step.values.items():
        first, second = _apart(before, after)
        yield "    " + textwrap.shorten(f"{name}: {first} without, {second} with the change", 300)


def _apart(before: str, after: str) -> tuple[str, str]:
    """The fields of two texts of records that differ, or the whole texts."""
    fields = [re.findall(r"\w+=[^,()\[\]]+", text) for text in (before, after)]
    if len(fields[0]) != len(fields[1]):
        return before, after
    pairs = [(one, other) for one, other in zip(*fields, strict=True) if one != other]
    return (", ".join(one for one, _ in pairs), ", ".join(other for _, other in pairs)) if pairs else (before, after)
