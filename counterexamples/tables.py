"""The tables that a spec draws of its states (@display), as data for the report."""

from __future__ import annotations

from typing import Any

from ..checker.language.spec import Spec
from ..checker.results.plain import scalar, show
from ..checker.results.plain_trace import PlainTrace
from ..checker.results.trace import Trace

Json = Any


def tables(trace: Trace, spec: Spec) -> list[Json]:
    """Every table as {group, title, history}; a history has [step, rows] for each step that changes the table.

    Rows are lists of [column, value]. A table that a state does not have is empty there.
    """
    shown = [_flat(spec._shown(state)) for state in trace.states]
    places = dict.fromkeys(place for found in shown for place in found)
    return [{"group": group, "title": title, "history": _history(shown, (group, title))} for group, title in places]


def abstract_table(plain: PlainTrace) -> list[Json]:
    """For a refinement, the states of the abstract spec along the trace, as one more table."""
    if not plain.abstract:
        return []
    title = ("", plain.abstract)
    rows = [[] if at is None else [{"variable": n, "value": show(v)} for n, v in at.items()] for at in plain.beside]
    history = _history([{title: _rows(found)} for found in rows], title)
    return [{"group": title[0], "title": title[1], "history": history}]


def _flat(shown: dict[str, Any]) -> dict[tuple[str, str], list[Json]]:
    """Tables by group and title; one without a group is a group of its own."""
    groups = {group: found if isinstance(found, dict) else {"": found} for group, found in shown.items()}
    return {(group, title): _rows(rows) for group, found in groups.items() for title, rows in found.items()}


def _rows(rows: list[dict[str, Any]]) -> list[Json]:
    return [[[column, _cell(value)] for column, value in row.items()] for row in rows]


def _cell(value: Any) -> Json:
    tree = scalar(value)
    return tree if tree is None or isinstance(tree, (bool, int, str)) else show(tree)


def _history(shown: list[dict[tuple[str, str], list[Json]]], place: tuple[str, str]) -> list[Json]:
    found: list[Json] = []
    for step, at in enumerate(shown):
        rows = at.get(place, [])
        if not found or found[-1][1] != rows:
            found.append([step, rows])
    return found
