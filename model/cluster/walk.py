"""Random walks through the model alone, to be replayed: for scenarios without a violation."""

from __future__ import annotations

import random

from ..conformance.behaviour import Behaviour, NamedStep, is_fault, turn_of
from ..conformance.model_side import ModelSide
from ..kafka import KafkaProducer
from .impossible import unable

STEPS, FAULTS = 60, 0.3
"""The longest walk, and how often a fault is taken where one can be."""


def walk(spec: KafkaProducer, number: int, seed: int) -> Behaviour:
    """Walk number `number` of a seed, until only faults are left."""
    chance, model, turns = random.Random(f"{seed} {number}"), ModelSide(spec), list[NamedStep]()
    possible = [instance for instance in spec.instances if instance.name not in unable(spec)]
    while len(turns) < STEPS:
        steps = [step for instance in possible for step in model.steps(instance)]
        faults = [step for step in steps if is_fault(spec, step.action.name)]
        others = [step for step in steps if not is_fault(spec, step.action.name)]
        if not others:
            break
        step = chance.choice(faults if faults and chance.random() < FAULTS else others)
        turns.append(turn_of(step))
        model.take(step)
    return Behaviour(f"walk {number} of seed {seed}", tuple(turns))
