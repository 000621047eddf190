"""Traces of other tools, put into the form of ITF: TLC's JSON, and what Quint's simulator in Rust writes.

TLC writes with `-dumpTrace json FILE` (module _JsonTrace of tlaplus/tlaplus) an object with `state`, pairs of a number
and the values of all variables, and `action`, triples of such a pair, the action with its parameters, and the pair
after it; the back edge of a lasso is one of these. Older versions write the list of states only, newer ones put the
object into `counterexample`, beside `vars`. Its JSON has no sets:
a set is a list, a function an object, or a list where its keys are 1, 2, ...
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Json = Any


def as_itf(data: Json) -> Json:
    """The data of a trace file in the form of ITF; an unknown form is returned as it is."""
    if isinstance(data, list) and data and all(isinstance(state, dict) for state in data):
        return {"vars": list(data[0]), "states": data}
    if not isinstance(data, dict):
        return data
    if isinstance(data.get("counterexample"), dict) and "states" not in data:  # as TLC writes it since 2025
        data = data["counterexample"]
    if _is_tlc(data):
        return _of_tlc(data)
    if isinstance(data.get("states"), list):
        return {**data, "states": [_of_quint(state) for state in data["states"]]}
    return data


def _of_quint(state: Json) -> Json:
    """A state that is a map of its variables, as an object of them."""
    pairs = state.get("#map") if isinstance(state, dict) else None
    if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
        return state
    if not all(isinstance(name, str) for name, _ in pairs):
        return state
    return {name: value for name, value in state.items() if name != "#map"} | dict(pairs)


# -- TLC -------------------------------------------------------------------------------------------------------


def _is_tlc(data: dict[str, Json]) -> bool:
    states = data.get("state")
    return "states" not in data and isinstance(states, list) and bool(states) and all(map(_is_numbered, states))


def _is_numbered(pair: Json) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], int) and isinstance(pair[1], dict)


def _of_tlc(data: dict[str, Json]) -> Json:
    numbered = sorted(data["state"], key=lambda pair: int(pair[0]))
    place = {number: index for index, (number, _) in enumerate(numbered)}
    labels: dict[int, str] = {}
    found: dict[str, Json] = {"#meta": {}, "vars": list(numbered[0][1])}
    for before, label, after in _steps(data.get("action")):
        if after > before:
            labels[after] = label
        elif after in place:
            found |= {"loop": place[after], "#meta": {"closing": label}}
    found["states"] = [{"#meta": {"label": labels.get(number, "")}, **values} for number, values in numbered]
    return found


def _steps(triples: Json) -> Iterator[tuple[int, str, int]]:
    """(number of the state before, label, number of the state after) of each step."""
    for triple in triples if isinstance(triples, list) else []:
        if isinstance(triple, list) and len(triple) == 3 and _is_numbered(triple[0]) and _is_numbered(triple[2]):
            yield triple[0][0], _label(triple[1]), triple[2][0]


def _label(action: Json) -> str:
    """An action with its parameters."""
    if not isinstance(action, dict):
        return ""
    name, context = str(action.get("name") or ""), action.get("context")
    parameters = action.get("parameters")
    if not parameters or not isinstance(parameters, list) or not isinstance(context, dict):
        return name
    return f"{name}({', '.join(f'{p}={context.get(p)}' for p in parameters)})"
