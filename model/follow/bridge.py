"""Transcripts of the conformance bridge as events of the model, with `--map everystate.model.follow.bridge`.

A line is a trace as it was driven on Kafka's own classes (docs/how-to/conformance.md, golden transcripts): the action
of each step, and the observables of Kafka after it. The model's other choices in a step are left open. Each trace is a
run; the target is that of the transcript, with its constants.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..conformance.driver import UNTOLD
from ..conformance.mapping import (
    EXECUTES,
    NEXT_PASS,
    SURVIVORS,
    SWEEPS,
    model_connections,
    model_files,
    model_logs,
    model_memory,
    model_producer,
    model_results,
)
from ..conformance.numbers import Numbers
from ..conformance.view import View
from ..kafka import KafkaProducer
from .words import Event, Unknown

ALWAYS = (model_connections, model_logs, model_producer, model_results)
SOMETIMES = (model_memory, model_files)
"""The model's value for something that it no longer tracks, as nothing can depend on it."""
LET_GO = ("remembered by", "snapshots of", "segments of")
ASKED = (NEXT_PASS, EXECUTES, SWEEPS, "broker ", "the producer ")
"""Observables of the enabled actions, as opposed to those of a state."""


def log(lines: Iterator[str]) -> Iterator[Event]:
    """The events of the transcripts."""
    for line in lines:
        if line.strip():
            try:
                yield from _events(json.loads(line))
            except (json.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
                raise Unknown(f"this is no transcript of the bridge: {type(error).__name__}: {error}") from None


def _events(recorded: dict[str, Any]) -> Iterator[Event]:
    run = f"{recorded['target']}, {recorded['name']}"
    kafka = dict(recorded["beginning"])
    given = {f"constant({name!r})": value for name, value in recorded["constants"].items()}
    yield {"run": run, "after": {**given, **_shown(kafka)}}
    for (action, arguments, _), _, changed in recorded["steps"]:
        kafka.update(changed)
        yield {"run": run, "action": action, "arguments": dict(arguments), "after": _shown(kafka)}


def _shown(kafka: dict[str, Any]) -> Event:
    found = {}
    for name, value in kafka.items():
        if name.startswith(LET_GO):
            found[f"kept({name!r}, {json.dumps(value)!r})"] = value
        elif not name.startswith(ASKED):
            found[f"shown({name!r})"] = value
    return found


# -- observations of the model -------------------------------------------------------------------------------


class Values(View):
    """The model's values in Kafka's numbers, without the steps that may come next."""

    def __init__(self, spec: KafkaProducer) -> None:
        self.spec, self.numbers, self.coming = spec, Numbers(spec), ()
        self.values = {name: getattr(spec, name) for name in spec.domains}


def shown(spec: KafkaProducer, name: str) -> Any:
    """An observable of the bridge by its name."""
    view = Values(spec)
    if name == SURVIVORS:
        return tuple((view.ids(r.batch, r.size), *view.stamp(r.pid, r.epoch, r.sequence)) for r in view.surviving)
    return next(value for group in ALWAYS for known, value in group(view) if known == name)


def kept(spec: KafkaProducer, name: str, otherwise: str) -> Any:
    """An observable that the model may no longer track; then it counts as Kafka's value."""
    value = next(value for group in SOMETIMES for known, value in group(Values(spec)) if known == name)
    return json.loads(otherwise) if value == UNTOLD else value


def constant(spec: KafkaProducer, name: str) -> Any:
    """A constant of the target."""
    return spec.constants[name]


observes = (shown, kept, constant)
