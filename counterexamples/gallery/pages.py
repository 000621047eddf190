"""The files of the gallery as text: a page for each scenario that must fail, and the index of all.

Traces depend on the state space alone, pictures and pages on the traces alone; so the same specs give the same bytes on
every machine.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from ...checker.engines.explicit.exhaustive import check
from ...checker.engines.limits import Limits
from ...checker.frontend.model import build
from ...checker.language.scenario import Scenario
from ...checker.language.spec import Spec
from ...checker.results.files import file_stem
from ...checker.results.itf import dump, parse
from ...checker.results.plain_trace import PlainTrace, plain_trace_of
from ...checker.results.text import count, narrated
from ...checker.results.trace import Trace
from ...model.rules import CITED
from ...specs.registry import scenarios
from ..diagram import diagram_of, ending
from ..path import path_of, show_path
from ..svg import svg, thumbnail
from ..wording import broken_words

FIRST = ("idem-producer/unsafe", "window/6-in-flight-5-remembered")
"""The first exhibit: more batches in flight than the broker remembers."""
TITLES = {"idem-producer/unsafe": "Six batches in flight, five remembered: a batch is written twice"}
"""Titles of scenarios whose own title refers to its neighbour in the registry."""
GROUPS = {
    "More in flight than remembered": ("idem-producer", "window"),
    "Without idempotence": ("non-idempotent",),
    "The current protocol": ("current", "current-first"),
    "Earlier releases": ("kip-98", "kafka-5494", "kafka-5886", "2.4", "kip-360", "4.5"),
    "KIP-1269": ("kip-1269",),
    "Three replicas": ("three-replicas",),
    "Where followers cut their logs": ("epochs-",),
    "Who leads after power cuts": ("elr-",),
    "Several partitions in one drain": ("drain",),
    "Transactions": ("txn",),
    "Classics": ("",),
}
"""Prefixes of the groups of the index; the last group has all others."""
ACROSS = 2
"""Exhibits in a row of the index."""
ENDING = 3
"""Steps of the pictures there: the last ones of the trace."""
INTRODUCTION = """\
# Gallery of counterexamples

Every scenario that must fail, with a shortest counterexample. A picture shows the last steps of the trace; click it to
see all of them. Every trace is found by an exhaustive search, and every picture is drawn from its trace.
`python -m everystate.counterexamples.gallery` writes all of this again.

"""


@dataclass(frozen=True)
class GalleryEntry:
    """A scenario with the traces of its violations, the first one being shown."""

    scenario: Scenario
    spec: Spec
    traces: tuple[Trace, ...]

    @property
    def folder(self) -> str:
        """The folder of the exhibit."""
        return folder_of(self.scenario)

    @property
    def title(self) -> str:
        """The title, as a sentence of its own."""
        text = TITLES.get(self.scenario.name, self.scenario.title)
        return text[:1].upper() + text[1:]


def folder_of(scenario: Scenario) -> str:
    """The folder of a scenario."""
    return re.sub(r"[^A-Za-z0-9_.]+", "-", scenario.name)


def file_of(trace: Trace) -> str:
    """The prefix of a trace's files."""
    return file_stem("", trace.shows)


def failing() -> list[Scenario]:
    """The scenarios that must fail with a trace, in the order of the gallery."""
    found = [s for s in scenarios() if s.expected and not s.slow]
    return sorted(found, key=lambda s: FIRST.index(s.name) if s.name in FIRST else len(FIRST))


def exhibit(scenario: Scenario) -> GalleryEntry:
    """Check a scenario; returns its traces in the order of the expectations."""
    spec = _spec(scenario)
    limits = Limits(stop_early=len(set(scenario.expected.values())) == 1)
    result = check(build(spec), limits, target=scenario.name)
    found = {v.property: v.trace for v in result.violations if v.trace is not None}
    return GalleryEntry(scenario, spec, tuple(found[name] for name in scenario.expected if name in found))


def stored(scenario: Scenario, texts: list[str]) -> GalleryEntry:
    """The exhibit of ITF files that are there already, without any search."""
    spec = _spec(scenario)
    found = {t.shows: t for t in (parse(text, scenario.name).trace(spec) for text in texts)}
    return GalleryEntry(scenario, spec, tuple(found[name] for name in scenario.expected if name in found))


def _spec(scenario: Scenario) -> Spec:
    module, name = scenario.target.split(":")
    cls: type[Spec] = getattr(importlib.import_module(module), name)
    return cls(**scenario.constants)


def files(shown: GalleryEntry) -> Iterator[tuple[str, str]]:
    """The files of an exhibit: name and text."""
    yield "README.md", "\n".join(_page(shown)) + "\n"
    for trace in shown.traces:
        yield f"{file_of(trace)}.itf.json", dump(trace)
        yield f"{file_of(trace)}.svg", svg(diagram_of(trace))
    yield f"{file_of(shown.traces[0])}-end.svg", thumbnail(ending(shown.traces[0], ENDING))


def _page(shown: GalleryEntry) -> Iterator[str]:
    scenario, first = shown.scenario, shown.traces[0]
    words, *rest = broken_words(plain_trace_of(first))
    yield f"# {shown.title}"
    yield ""
    if scenario.text:
        yield f"{' '.join(scenario.text.split())}\n"
    yield f"**{words}**, after {count(first.length, 'step')}." + "".join(
        f" {line[:1].upper()}{line[1:]}." for line in rest
    )
    yield f"\n![{words}]({file_of(first)}.svg)\n"
    others = [f"[{t.shows}]({file_of(t)}.svg) after {count(t.length, 'step')}" for t in shown.traces[1:]]
    if others:
        yield f"Also broken: {', '.join(others)}.\n"
    yield from _steps(plain_trace_of(first))
    yield from _commands(shown)
    yield "\n[All counterexamples](../README.md)"


def _steps(plain: PlainTrace) -> Iterator[str]:
    yield f"<details><summary>The {count(plain.length, 'step')} in words</summary>\n"
    for number, step in enumerate(plain.steps, start=1):
        shown = "; ".join(narrated(event).strip('"') for event in step.narration)
        yield f"{number}. `{step.label}`" + (f": {_markdown(shown)}" if shown else "")
    yield "\n</details>\n"


def _commands(shown: GalleryEntry) -> Iterator[str]:
    name, first = shown.scenario.name, shown.traces[0]
    file = f"counterexamples/gallery/{shown.folder}/{file_of(first)}.itf.json"
    yield "Look at it yourself:\n"
    yield f"    everystate check {name}"
    yield f"    everystate check {name} --replay {show_path(path_of(shown.spec, first))}"
    yield f"    everystate show {file} --as html -o report.html"
    yield f"    everystate explain {file}"
    if cited := dict.fromkeys(CITED.findall(f"{shown.scenario.title} {shown.scenario.text}")):
        yield f"    everystate rules {' '.join(cited)}"


def index(shown: list[GalleryEntry]) -> str:
    """The index page: its groups, and in each a sentence and the end of the trace for every exhibit."""
    groups = {title: [one for one in shown if _group(one) == title] for title in GROUPS}
    listed = (f"- [{title}](#{_anchor(title)}): {count(len(found), 'scenario')}" for title, found in groups.items())
    return INTRODUCTION + "\n".join(listed) + "\n" + "".join(map(_table, groups, groups.values()))


def _group(one: GalleryEntry) -> str:
    name = one.scenario.name.partition("/")[0]
    return next(title for title, names in GROUPS.items() if name.startswith(names))


def _anchor(title: str) -> str:
    """The address of a heading, as it is where Markdown is shown."""
    return title.lower().replace(" ", "-")


def _table(title: str, found: list[GalleryEntry]) -> str:
    rows = (found[at : at + ACROSS] for at in range(0, len(found), ACROSS))
    shown = "".join(f'<tr valign="top">\n{"".join(map(_entry, row))}</tr>\n' for row in rows)
    return f"\n## {title}\n\n<table>\n{shown}</table>\n"


def _entry(one: GalleryEntry) -> str:
    first = one.traces[0]
    words = escape(next(iter(broken_words(plain_trace_of(first)))))
    page = f'<a href="{one.folder}/README.md">'
    picture = f'<img src="{one.folder}/{file_of(first)}-end.svg" width="100%" alt="the last steps: {words}">'
    text = f"<code>{one.scenario.name}</code>, {count(first.length, 'step')}: {words}"
    return (
        f'<td width="{100 // ACROSS}%">{page}<b>{escape(one.title)}</b></a><br>\n{text}<br>\n{page}{picture}</a></td>\n'
    )


def _markdown(text: Any) -> str:
    return re.sub(r"([<>*_])", r"\\\1", str(text))
