"""everystate rules: the rules of Kafka that the model implements, by their ids."""

from __future__ import annotations

import json
from collections.abc import Iterator

import click

from ...checker.cli.output import say
from ..rules import FIELDS, Rule, evidence, find, page_of, rules


@click.command(
    epilog="""\b
Examples:
  everystate rules
  everystate rules B4.4
  everystate rules C5 T9.6"""
)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(ids: tuple[str, ...], as_json: bool) -> None:
    """Print the rules of Kafka with these IDs, such as B4.4; without ID list all rules, one per line.

    An ID also selects the rules below it: B4 selects B4.1 to B4.7, and T all rules about transactions.
    """
    found = {rule.id: rule for text in ids for rule in find(text) or _unknown(text)} or rules()
    if as_json:
        rows = [
            {**{name: getattr(rule, name) for name in FIELDS}, "page": f"docs/reference/rules-{page_of(rule).name}.md"}
            for rule in found.values()
        ]
        say(json.dumps(rows, indent=2), whole=True)
    elif ids:
        say("\n\n".join("\n".join(_about(found[name])) for name in found))
    else:
        width = max(map(len, found))
        say("\n".join(f"{rule.id:<{width}}  {rule.in_short}" for rule in found.values()))


def _unknown(text: str) -> Iterator[Rule]:
    import difflib

    near = difflib.get_close_matches(text.upper(), list(rules()), n=4, cutoff=0.5)
    hint = f"; near it: {', '.join(sorted(near))}" if near else "; without an ID all rules are listed"
    raise click.BadParameter(f"no rule has the id {text}{hint}", param_hint="ID")


def _about(rule: Rule) -> Iterator[str]:
    page = page_of(rule)
    yield f"{rule.id}  {rule.says}"
    yield from (
        f"  {name:<9} {text}"
        for name, text in (
            ("releases", rule.releases),
            ("Kafka", ", ".join(rule.kafka)),
            ("model", ", ".join(rule.model)),
            ("note", rule.note),
            ("evidence", evidence(rule)),
            ("page", f"docs/reference/rules-{page.name}.md#{rule.id.lower()}"),
        )
        if text
    )
