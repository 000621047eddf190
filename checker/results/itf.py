"""Reads and writes trace files in the Informal Trace Format (Apalache ADR-015).

Labels, choices and narration are in the "#meta" of each state; target, constants and the violated property in that of
the trace. The content depends on the trace alone (no time, no path), so equal traces give equal bytes. Constants are
not listed as "params": Apalache's reader refuses states that hold anything but the variables.

Files of other tools are read in their own meaning. Their "params" are constants, with values in the first state. A name
in all states is a variable, even if "vars" does not list it. Where they name no actions, each step is matched to an
action of the spec that leads from its state to the next.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import EverystateError
from ..language.concrete import StepFailed, attempts
from ..language.declarations import ActionInstance
from ..language.forms import Mismatch, brief
from ..language.marks import Constants
from ..language.spec import Spec
from ..language.state import State
from .foreign import as_itf
from .itf_values import Json, decode, encode, read, type_of, write
from .plain import scalar, show, steers
from .plain_trace import PlainStep, PlainTrace, Values
from .trace import Trace, TraceStep, with_abstract

DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
SUFFIX = ".itf.json"
ACTION_NAMES = ("mbt::actionTaken", "action_taken")
"""Variables in which Quint and others store the action taken."""
PICKS = "nondet_picks"
"""The variable in which Quint stores the values that it chose."""
EVENT = {"text": "", "at": None, "source": None, "target": None, "lost": False}
"""One line of narration with empty fields; a file omits these."""


# -- writing -----------------------------------------------------------------------------------------------


def dump(trace: Trace) -> str:
    """A trace as the text of an ITF file."""
    domains = trace.initial.domains
    meta = {
        "format": "ITF",
        "format-description": DESCRIPTION,
        "description": _description(trace),
        "source": trace.target,
        "varTypes": {name: type_of(domain) for name, domain in domains.items()},
        "target": trace.target,
        "constants": {name: _plain(value) for name, value in trace.constants.items()},
        **({"changed": [*trace.constants.changed]} if isinstance(trace.constants, Constants) else {}),
        "property": trace.shows,
        "kind": trace.kind,
        "explanation": trace.explanation,
        "witness": {name: _plain(value) for name, value in trace.witness.items()},
        "failing": trace.failing,
        "length": trace.length + bool(trace.failing) + bool(trace.closing),
        **({"closing": trace.closing} if trace.closing else {}),
        **({"abstract": trace.abstract} if trace.abstract else {}),
    }
    states = [_state({"index": 0, **_beside(trace, 0)}, trace.initial)]
    for i, step in enumerate(trace.steps, start=1):
        states.append(_state({"index": i, **_meta(step), **_beside(trace, i)}, step.state))
    return _layout(meta, list(domains), states, trace.loop)


def dump_plain(plain: PlainTrace) -> str:
    """A trace of another tool as the text of an ITF file."""
    meta = {"format": "ITF", "format-description": DESCRIPTION, "source": plain.target}
    initial = {**plain.params, **plain.initial}
    states: list[dict[str, Json]] = [{"#meta": {"index": 0}, **{n: write(v) for n, v in initial.items()}}]
    for index, step in enumerate(plain.steps, start=1):
        step_meta: dict[str, Json] = {"index": index, "label": step.label, "narration": list(step.narration)}
        states.append({"#meta": step_meta, **{n: write(v) for n, v in step.values.items()}})
    return _layout(meta, list(plain.initial), states, plain.loop, list(plain.params))


def _description(trace: Trace) -> str:
    if not trace.shows:
        return f"a trace of {trace.target}"
    return f"{trace.shows} of {trace.target}: {trace.explanation}"


def _plain(value: Any) -> Json:
    """A value of the meta data: as JSON where JSON has it, else in ITF."""
    tree = scalar(value)
    return tree if tree is None or isinstance(tree, (bool, int, str)) else write(tree)


def _meta(step: TraceStep) -> dict[str, Json]:
    return {
        "action": step.action,
        "arguments": {name: _plain(value) for name, value in step.arguments.items()},
        "choices": [_plain(choice) for choice in step.choices],
        "label": step.label,
        "narration": [{k: v for k, v in event.items() if k == "text" or v != EVENT.get(k)} for event in step.narration],
    }


def _beside(trace: Trace, index: int) -> dict[str, Json]:
    """The state of the abstract spec for a state of the trace; null where the mapping fails."""
    if not trace.abstract:
        return {}
    state = trace.beside[index]
    values = state.values() if state else {}
    return {"abstract": {n: encode(state.domains[n], v) for n, v in values.items()} if state else None}


def _state(meta: dict[str, Json], state: State) -> dict[str, Json]:
    values = state.values()
    return {"#meta": meta, **{name: encode(domain, values[name]) for name, domain in state.domains.items()}}


def _layout(
    meta: dict[str, Json], names: list[str], states: list[dict[str, Json]], loop: int | None, params: Sequence[str] = ()
) -> str:
    """The JSON text, a line for each fact and each variable of a state: two traces can be compared line by line."""
    parts = [f'"#meta": {_object(meta, 2)}', f'"params": {_compact(list(params))}', f'"vars": {_compact(names)}']
    parts.append('"states": [\n    ' + ",\n    ".join(_object(state, 4) for state in states) + "\n  ]")
    if loop is not None:
        parts.append(f'"loop": {loop}')
    return "{\n  " + ",\n  ".join(parts) + "\n}\n"


def _object(items: dict[str, Json], indent: int) -> str:
    pad = "\n" + " " * indent
    return "{" + ",".join(f"{pad}  {_compact(k)}: {_compact(v)}" for k, v in items.items()) + pad + "}"


def _compact(data: Json) -> str:
    return json.dumps(data, ensure_ascii=False)


# -- reading -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Document:
    """The content of an ITF file whose outer form is valid; `path` names it in messages, `names` are its variables."""

    path: str
    meta: dict[str, Json]
    names: list[str]
    states: list[dict[str, Json]]
    loop: int | None = None
    params: tuple[str, ...] = ()
    text: str = ""
    """The whole file."""

    @property
    def target(self) -> str:
        """The target that the trace is of, empty for files of other tools."""
        found = self.meta.get("target", "")
        return found if isinstance(found, str) else ""

    @property
    def constants(self) -> dict[str, Json]:
        """The constants as they are in the file."""
        found = self.meta.get("constants", {})
        params = {name: self.states[0][name] for name in self.params if name in self.states[0]}
        return {**params, **(found if isinstance(found, dict) else {})}

    @property
    def variables(self) -> list[str]:
        """The variables, without those in which other tools store the action taken."""
        return [n for n in self.names if not _is_helper(n)]

    def trace(self, spec: Spec, ambiguous: Callable[[str], None] = lambda _: None) -> Trace:
        """The trace, decoded with its spec; E401 when a value does not belong to the spec, or a step is none.

        `ambiguous` gets each step that names no action, and that several actions of the spec can take.
        """
        try:
            return _Decoder(self, spec, ambiguous).trace()
        except Mismatch as error:
            raise self.wrong(str(error)) from None

    def plain(self) -> PlainTrace:
        """The trace as plain values, without any spec."""
        try:
            return _plain_trace(self)
        except Mismatch as error:
            raise self.wrong(str(error)) from None

    def wrong(self, reason: str) -> EverystateError:
        """E401 for this file."""
        return EverystateError("E401", None, path=self.path, reason=reason)


def parse(text: str, path: str) -> Document:
    """The document in a text; E401 with the reason and the place when it is not a complete trace."""
    data = _without_modules(as_itf(_load(text, path)))

    def check(truth: bool, reason: str) -> None:
        if not truth:
            raise EverystateError("E401", None, path=path, reason=reason)

    check(isinstance(data, dict), f"it holds {brief(data)}, not an object")
    names, states, meta = data.get("vars"), data.get("states"), data.get("#meta", {})
    check(isinstance(names, list) and all(isinstance(n, str) for n in names), 'it has no list "vars" of names')
    check(isinstance(states, list) and bool(states), 'it has no list "states" of states')
    check(isinstance(meta, dict), '"#meta" is not an object')
    params = data.get("params", [])
    check(isinstance(params, list) and all(isinstance(n, str) for n in params), '"params" is not a list of names')
    for index, state in enumerate(states):
        check(isinstance(state, dict), f"state {index} is not an object")
        check(isinstance(state.get("#meta", {}), dict), f'the "#meta" of state {index} is not an object')
    params = [n for n in params if n not in names]
    names = list(dict.fromkeys([*names, *(n for n in states[0] if n not in ("#meta", *params))]))
    for index, state in enumerate(states):
        for name in names:
            check(name in state, f"state {index} has no value for {name}")
        for name in state:
            known = name in ("#meta", *params, *names) or _is_helper(name)
            check(known, f"state {index} has a value for {name}, which the states before do not have")
    loop = data.get("loop")
    check(loop is None or (isinstance(loop, int) and 0 <= loop < len(states)), f'"loop" is {brief(loop)}, not a state')
    return Document(path, meta, names, states, loop, tuple(params), text)


def is_trace(text: str) -> bool:
    """Whether a text is a trace as a whole, in the Informal Trace Format or of TLC, rather than lines of a log."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        data = as_itf(json.loads(text))
    except (ValueError, RecursionError):
        return False
    return isinstance(data, dict) and isinstance(data.get("states"), list) and "action" not in data


def _is_helper(name: str) -> bool:
    return name.startswith("mbt::") or name in (*ACTION_NAMES, PICKS)


def _without_modules(data: Json) -> Json:
    """A trace in which variables have no module before their names, as Quint writes it: `module::name`."""
    states = data.get("states") if isinstance(data, dict) else None
    if not isinstance(states, list) or not all(isinstance(state, dict) for state in states):
        return data

    def short(name: Any) -> Any:
        return name.rpartition("::")[2] if isinstance(name, str) and not name.startswith("mbt::") else name

    names = {name for state in states for name in state}
    if len({short(name) for name in names}) < len(names):
        return data
    found = {**data, "states": [{short(name): value for name, value in state.items()} for state in states]}
    if isinstance(data.get("vars"), list):
        found["vars"] = [short(name) for name in data["vars"]]
    return found


def _load(text: str, path: str) -> Any:
    if not text.strip():
        raise EverystateError("E401", None, path=path, reason="it is empty")
    try:
        data = json.loads(text)
        if steers(data):
            raise EverystateError("E401", None, path=path, reason="it has control characters, which a terminal obeys")
        return data
    except json.JSONDecodeError as error:
        ended = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "it ends too early" if ended else error.msg[0].lower() + error.msg[1:]
        reason = f"{what} (line {error.lineno}, column {error.colno})"
        raise EverystateError("E401", None, path=path, reason=reason) from None
    except RecursionError:
        raise EverystateError("E401", None, path=path, reason="it is nested too deeply") from None
    except ValueError as error:  # of a number with thousands of digits
        reason = str(error).partition(";")[0].partition(":")[0].lower()
        raise EverystateError("E401", None, path=path, reason=reason) from None


def _plain_trace(document: Document) -> PlainTrace:
    shown = document.variables
    values = [{n: read(state[n], f"state {i}, {n}") for n in shown} for i, state in enumerate(document.states)]
    steps = [_step(state, after) for state, after in zip(document.states[1:], values[1:], strict=True)]
    meta = {
        n: str(document.meta.get(n) or "")
        for n in ("property", "kind", "explanation", "failing", "source", "closing", "abstract")
    }
    return PlainTrace(
        document.target or meta["source"],
        _constants(document),
        values[0],
        tuple(steps),
        meta["property"],
        meta["kind"],
        meta["explanation"],
        _witness(document.meta),
        meta["failing"],
        document.loop,
        meta["closing"],
        meta["abstract"] if all(map(_abstract, document.states)) else "",
        tuple(_abstract(state) for state in document.states),
        {n: _constant(document.constants[n]) for n in document.params if n in document.constants},
    )


def _abstract(state: dict[str, Json]) -> Values | None:
    """The state of the abstract spec for a state of a file."""
    found = state.get("#meta", {}).get("abstract")
    return {n: read(value, f"abstract {n}") for n, value in found.items()} if isinstance(found, dict) else None


def _constants(document: Document) -> dict[str, str]:
    shown = {name: show(_constant(value)) for name, value in document.constants.items()}
    changed = document.meta.get("changed")
    known = isinstance(changed, list) and all(isinstance(name, str) for name in changed)
    return Constants(shown, [str(name) for name in changed]) if known and isinstance(changed, list) else shown


def _constant(value: Json) -> Any:
    return read(value, "constants")


def _step(state: dict[str, Json], values: Values) -> PlainStep:
    meta = state.get("#meta", {})
    return PlainStep(str(_named(state) or "step"), values, tuple(_events(meta)))


def _named(state: dict[str, Json]) -> Json:
    """The name in a file for the step that leads to a state, if there is one."""
    meta = state.get("#meta", {})
    taken = next((state[n] for n in ACTION_NAMES if isinstance(state.get(n), str)), None)
    return meta.get("label") or meta.get("action") or taken


def _events(meta: dict[str, Json]) -> Iterator[dict[str, Any]]:
    found = meta.get("narration")
    for event in found if isinstance(found, list) else []:
        if isinstance(event, dict) and isinstance(event.get("text"), str):
            yield {**EVENT, **event}


def _dict(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _witness(meta: dict[str, Json]) -> dict[str, Any]:
    """The deciding values, as trees."""
    return {name: read(value, f"witness {name}") for name, value in _dict(meta.get("witness")).items()}


class _Decoder:
    """Reads a document with its spec; objects that JSON cannot hold are taken from the spec."""

    def __init__(self, document: Document, spec: Spec, ambiguous: Callable[[str], None]) -> None:
        self.document, self.spec, self.ambiguous = document, spec, ambiguous

    def trace(self) -> Trace:
        names, given = list(self.spec.domains), self.document.variables
        if set(names) != set(given):
            raise Mismatch(f"its variables are {', '.join(given)}, those of the spec {', '.join(names)}")
        states = [self._state(index, data) for index, data in enumerate(self.document.states)]
        steps = [self._step(i, states[i - 1], states[i]) for i in range(1, len(states))]
        meta = self.document.meta
        text = {n: str(meta.get(n) or "") for n in ("property", "kind", "explanation", "failing", "closing")}
        witness = _witness(meta)
        trace = Trace(
            self.document.target,
            self.spec.constants,
            states[0],
            tuple(steps),
            text["property"],
            text["kind"],
            text["explanation"],
            witness,
            text["failing"],
            self.document.loop,
            text["closing"],
        )
        return with_abstract(self.spec, trace)

    def _state(self, index: int, data: dict[str, Json]) -> State:
        domains = self.spec.domains
        values = {name: decode(domain, data[name], f"state {index}, {name}") for name, domain in domains.items()}
        return State.of(self.spec, values)

    def _step(self, index: int, before: State, after: State) -> TraceStep:
        meta = self.document.states[index].get("#meta", {})
        if "action" not in meta:
            return self._matched(index, before, after)
        name, arguments = meta.get("action"), _dict(meta.get("arguments"))
        instance = self._instance(index, name, arguments)
        chosen = self._choices(instance, before, after, meta.get("choices") or [], f"state {index}, choices")
        label = meta.get("label") or str(instance)
        return TraceStep(instance.name, dict(instance.arguments), chosen, label, after, tuple(_events(meta)))

    def _matched(self, index: int, before: State, after: State) -> TraceStep:
        """A step of the spec from one state to the next, for a file that names no actions of the spec; of several the
        one with the name in the file, else the first."""
        steps = [step for instance in self.spec.instances for step in attempts(self.spec, before, instance)]
        fitting = [step for step in steps if not isinstance(step, StepFailed) and step.state == after]
        if not fitting:
            raise Mismatch(f"no action of {type(self.spec).__name__} leads from state {index - 1} to state {index}")
        called = str(_named(self.document.states[index])).partition("(")[0]
        found = [step for step in fitting if step.action.name == called] or fitting
        labels = list(dict.fromkeys(step.label for step in found))
        if len(labels) > 1:
            self.ambiguous(f"step {index} can be {' or '.join(labels)}")
        step = found[0]
        arguments = dict(step.action.arguments)
        return TraceStep(step.action.name, arguments, step.choices, step.label, after, step.narration)

    def _instance(self, index: int, name: Json, arguments: dict[str, Json]) -> ActionInstance:
        for instance in self.spec.instances:
            if instance.name == name and {n: _plain(v) for n, v in instance.arguments} == arguments:
                return instance
        given = ", ".join(f"{n}={brief(v)}" for n, v in arguments.items())
        raise Mismatch(f"state {index}: {type(self.spec).__name__} has no action {name}({given})")

    def _choices(
        self, instance: ActionInstance, before: State, after: State, meta: list[Json], path: str
    ) -> tuple[Any, ...]:
        if all(isinstance(choice, (bool, int)) for choice in meta):
            return tuple(meta)
        for step in attempts(self.spec, before, instance):
            if not isinstance(step, StepFailed) and step.state == after and list(map(_plain, step.choices)) == meta:
                return step.choices
        return tuple(read(choice, path) for choice in meta)
