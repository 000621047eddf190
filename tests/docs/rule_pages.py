"""The pages docs/reference/rules-*.md, which are written from the rules of everystate.model.rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everystate.model.rules import CITED, Page, Rule, evidence, page_of, pages, rules

from .page import ROOT

FINDING = re.compile(r"(?<=finding )\d+|(?<=findings )\d+|(?<= and )\d+(?=[,)])")
HEAD = "| rule | what Kafka does | releases | in Kafka | in the model | evidence |\n|---|---|---|---|---|---|"


def path_of(page: Page) -> str:
    """Where a page is."""
    return f"docs/reference/rules-{page.name}.md"


def write() -> None:
    """Write all pages."""
    for page in pages():
        (ROOT / path_of(page)).write_text(text_of(page), "utf-8")


def text_of(page: Page) -> str:
    """A page as it should be."""
    return "\n\n".join(part for part in _parts(page) if part) + "\n"


def _parts(page: Page) -> Iterator[str]:
    yield f"# {page.title}"
    yield page.intro
    for section in page.sections:
        yield f"## {section.title}"
        yield section.text
        yield "\n".join([HEAD, *map(_row, section.rules)])
    yield page.outro


def _row(rule: Rule) -> str:
    cells = (
        f'<a id="{rule.id.lower()}"></a>{rule.id}',
        _linked(rule.says, rule),
        _linked(rule.releases, rule),
        _methods(rule.kafka),
        ". ".join(part for part in (_methods(rule.model), _linked(rule.note, rule)) if part),
        FINDING.sub(lambda found: _finding(page_of(rule).name, found[0]), evidence(rule)),
    )
    return f"| {' | '.join(cells)} |"


def _finding(kind: str, number: str) -> str:
    """The number of a finding, which leads to its page."""
    [page] = (ROOT / "docs" / "explanation" / "findings").glob(f"{kind}-{int(number):02}-*.md")
    return f"[{number}](../explanation/findings/{page.name})"


def _methods(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _linked(text: str, home: Rule) -> str:
    """A text in which the id of another rule leads to its row."""

    def link(found: str) -> str:
        other = rules().get(found)
        if other is None or other is home:
            return found
        file = "" if page_of(other) is page_of(home) else f"rules-{page_of(other).name}.md"
        return f"[{found}]({file}#{found.lower()})"

    return CITED.sub(lambda match: link(match[0]), text)
