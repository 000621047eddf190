"""The cache of results: a check whose fingerprint is known is not repeated, but some of its states are cross-checked.

An entry holds counts and, for each violation, the states of its trace. Labels and narration of a trace are made from
the current spec. Every entry is sealed; a damaged one, or that of another check, is dropped with a remark. Only
complete results are stored.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from ..backends.native import Program, Watch
from ..cache import cache_folder, opened, remove, store
from ..engines import refined_initial_states
from ..engines.crosscheck.cached_result import cross_check
from ..engines.limits import Limits
from ..engines.temporal import liveness
from ..engines.violations import DEADLOCK, FAULT, kind_of, violation
from ..errors import EverystateError
from ..ir.traced import Model
from ..language.state import State
from ..results.conditions import Conditions
from ..results.result import Result, Violation
from ..results.verdict import ActionCoverage, Kind, Verdict
from .fingerprint import fingerprint

FORM = 5
NUMBERS = ("engine", "distinct", "generated", "initial", "depth", "seconds", "bytes_per_state", "stopped")
MOST_CELLS = 2_000_000
"""A result whose traces are larger than this is not worth keeping."""


def kept(model: Model, limits: Limits, target: str, make: Callable[[], Result]) -> tuple[Result, bool, str]:
    """(what a full search of a model finds, whether it was kept from before, a remark if its entry was damaged)."""
    key = fingerprint(model, limits.deadlock)
    known, remark = recall(key, model, target)
    if known is not None:
        try:
            return replace(known, cross_checked=cross_check(model, known, limits)), True, remark
        except EverystateError:
            remove(_place(key))
            raise
    made = make()
    keep(key, made)
    return made, False, remark


def recall(key: str, model: Model, target: str) -> tuple[Result | None, str]:
    """(the result that was kept under a key, a remark if the entry was damaged)."""
    path = _place(key)
    try:
        content = opened(path)
        return None if content is None else _result_of(json.loads(content), model, target), ""
    except (ValueError, LookupError, TypeError, AttributeError, EverystateError):
        remove(path)
        return None, f"a damaged entry of the result cache was dropped ({path}); the check was made again"


def keep(key: str, result: Result) -> None:
    """Keep a complete result; a cache that cannot be written only costs time."""
    complete = not result.stopped or any(v.kind is Kind.ERROR for v in result.violations)
    violations = [_kept(v) for v in result.violations]
    if not complete or sum(len(v["cells"] or ()) * len((v["cells"] or [[]])[0]) for v in violations) > MOST_CELLS:
        return
    facts = {name: getattr(result, name) for name in NUMBERS}
    coverage = {name: [seen.enabled, seen.taken, seen.new] for name, seen in result.coverage.items()}
    entry = {
        "form": FORM,
        **facts,
        "verdict": result.verdict.value,
        "remarks": result.remarks,
        "vacuous": result.vacuous,
        "conditions": {**asdict(result.conditions), "assumed": ()},
    }
    entry |= {"held": result.held, "checked": result.checked, "coverage": coverage, "violations": violations}
    store(_place(key), json.dumps(entry).encode())


def _kept(found: Violation) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "property": found.property,
        "kind": found.kind.value,
        "states": found.states,
        "beyond": found.beyond,
    }
    if found.trace is None:
        return facts | {"cells": None}
    if found.kind is Kind.TEMPORAL:
        facts["lasso"] = {name: getattr(found.trace, name) for name in ("loop", "closing", "witness")}
    return facts | {"cells": [list(state.cells) for state in found.trace.states]}


def _place(key: str) -> Path:
    return cache_folder() / "results" / key[:2] / key


# -- back to a result --------------------------------------------------------------------------------------


def _result_of(entry: dict[str, Any], model: Model, target: str) -> Result:
    if entry["form"] != FORM:
        raise ValueError("form")
    watches = Program(model).watches()
    return Result(
        target=target,
        constants=model.spec.constants,
        verdict=Verdict(entry["verdict"]),
        violations=tuple(_violation(found, model, target, watches) for found in entry["violations"]),
        remarks=tuple(entry["remarks"]),
        vacuous=tuple(entry["vacuous"]),
        conditions=_conditions(entry["conditions"], model),
        coverage={name: ActionCoverage(*seen) for name, seen in entry["coverage"].items()},
        held=tuple(entry["held"]),
        checked=entry["checked"],
        **{name: entry[name] for name in NUMBERS},
    )


def _conditions(kept: dict[str, Any], model: Model) -> Conditions:
    plain: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in kept.items()}
    of_model = {"assumed": model.spec._assumed, "guaranteed": model.spec._origin.guaranteed}
    return Conditions(**{**plain, **of_model})


def _violation(kept: dict[str, Any], model: Model, target: str, watches: list[Watch]) -> Violation:
    name, kind = kept["property"], Kind(kept["kind"])
    if kept["cells"] is None:
        prop = {p.name: p for p in model.properties}[name]
        return Violation(name, kind, None, prop.text or "some reachable state satisfies it")
    cells = [tuple(state) for state in kept["cells"]]
    if kind is Kind.TEMPORAL:
        return liveness.violation(model.spec, target, name, cells, kept["states"], kept["lasso"])
    if kind is Kind.TRAPPED:
        return liveness.trapped(model.spec, target, name, cells, kept["states"])
    if kind in (Kind.ERROR, Kind.DEADLOCK):
        key = FAULT if kind is Kind.ERROR else DEADLOCK
        return violation(model, target, None, key, cells, kept["states"])
    if name in model.spec._refinements and len(cells) == 1:
        state = State(model.spec.domains, cells[0])
        return refined_initial_states.violation(model.spec, target, name, kind, state, kept["states"])
    key = _watch(watches, name, kind, model)
    return violation(model, target, watches[key], key, cells, kept["states"], kept["beyond"])


def _watch(watches: list[Watch], name: str, kind: Kind, model: Model) -> int:
    """The first watch that reports a property with a kind of violation; LookupError where there is none."""
    named = (k for k, watch in enumerate(watches) if model.properties[watch.index].name == name)
    found = next((k for k in named if kind_of(model, watches[k]) is kind), None)
    if found is None:
        raise LookupError(f"{name}: {kind}")
    return found
