"""The pages docs/reference/rules-*.md, which are written from the rules of everystate.model.rules."""

from __future__ import annotations

import re
from collections.abc import Iterator

from everystate.model.rules import CITED, Page, Rule, page_of, pages, rules

from .page import ROOT


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
        yield "\n\n".join(map(_item, section.rules))
    yield page.outro


def _item(rule: Rule) -> str:
    marks = "●" * bool(rule.driven)
    if rule.brokers:
        marks += "◆" + ",".join(_finding(page_of(rule).name, number) for number in re.findall(r"\d+", rule.brokers))
    text = f'<a id="{rule.id.lower()}"></a>**{rule.id}**{marks} {_linked(rule.says, rule)}'
    return f"{text} *{_linked(rule.releases, rule).rstrip('.')}.*" if rule.releases else text


def _finding(kind: str, number: str) -> str:
    """The number of a finding, which leads to its page."""
    [page] = (ROOT / "docs" / "explanation" / "findings").glob(f"{kind}-{int(number):02}-*.md")
    return f"[{number}](../explanation/findings/{page.name})"


def _linked(text: str, home: Rule) -> str:
    """A text in which the id of another rule leads to its row."""

    def link(found: str) -> str:
        other = rules().get(found)
        if other is None or other is home:
            return found
        file = "" if page_of(other) is page_of(home) else f"rules-{page_of(other).name}.md"
        return f"[{found}]({file}#{found.lower()})"

    return CITED.sub(lambda match: link(match[0]), text)
