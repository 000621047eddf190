"""What becomes of a value of the state that may be None: whether only such as ask the value itself.

Python answers `is None` without asking, so a value that may be None forks where it is read. It need not where the
bytecode shows that it goes straight into ==, != or If(...), or is assigned to a variable of the state. Whatever is less
plain forks, which is never wrong and only costs paths.
"""

from __future__ import annotations

import bisect
import dis
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType

from ..language.spec import Spec
from ..language.statements import If, maximum, minimum
from .reader_texts import _callee, _resolved


@dataclass(frozen=True)
class _Consumer:
    """The instruction that takes a value: as the left or right operand of ==, as an argument of a call, to assign it.

    `target` names the attribute of `self` that is assigned, or that holds what is assigned.
    """

    kind: str
    step: dis.Instruction
    target: str = ""


def only_asked(frame: FrameType | None, spec: Spec, own_equality: bool) -> bool:
    """Whether what a frame's instruction gives is only compared, merged, or assigned to a variable of the spec.

    `own_equality`: an __eq__ written in Python could look at the right operand.
    """
    found = None if frame is None else _consumer(frame.f_code, frame.f_lasti)
    if frame is None or found is None:
        return False
    made, consumer = found
    if made.opname == "CALL" and _resolved(frame, _callee(frame.f_code, made)) not in (If, minimum, maximum):
        return False
    if consumer.kind == "call":
        return _resolved(frame, _callee(frame.f_code, consumer.step)) is If
    if consumer.kind == "assigned":
        plain = type(spec).__setattr__ is Spec.__setattr__
        return plain and frame.f_locals.get("self") is spec and consumer.target in spec.domains
    return consumer.kind == "left" or not own_equality


@lru_cache(maxsize=4096)
def _consumer(code: CodeType, last: int) -> tuple[dis.Instruction, _Consumer] | None:
    """The instruction at a place, and what takes its value; None where that is not plain."""
    steps = [s for s in dis.get_instructions(code) if s.opname not in _NOTHING]
    at = bisect.bisect_right([s.offset for s in steps], last) - 1
    if at < 0 or steps[at].opname not in ("LOAD_ATTR", "BINARY_SUBSCR", "CALL"):
        return None
    above = 0  # how many values lie above it on the stack
    for i in range(at + 1, len(steps)):
        step = steps[i]
        if step.is_jump_target:
            return None
        taken = _taken(steps, at, i, above)
        if taken is not None:
            return (steps[at], taken)
        effect = _EFFECTS.get(step.opname)
        pops = (step.arg or 0) + 2 if step.opname == "CALL" else effect[0] if effect else None
        if pops is None or pops > above:
            return None
        above += dis.stack_effect(step.opcode, step.arg)
    return None


_NOTHING = ("CACHE", "NOP", "EXTENDED_ARG", "PRECALL", "RESUME")
_LOADS = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_FAST_LOAD_FAST", "LOAD_CONST", "LOAD_DEREF", "LOAD_GLOBAL", "PUSH_NULL")
_EFFECTS: dict[str, tuple[int]] = {
    **dict.fromkeys(_LOADS, (0,)),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE"), (1,)),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP"), (2,)),
}
"""How many values an instruction takes that may stand between a value and what takes it."""


def _taken(steps: list[dis.Instruction], made: int, at: int, above: int) -> _Consumer | None:
    """What an instruction does with a value that so many others lie above, if it takes it in one of the known ways."""
    step = steps[at]
    if step.opname == "COMPARE_OP" and above < 2 and any(sign in step.argrepr for sign in ("==", "!=")):
        return _Consumer("left" if above else "right", step)
    if step.opname == "CALL" and above < (step.arg or 0):
        return _Consumer("call", step)
    if step.opname == "STORE_ATTR" and above == 1 and _is_self(steps[at - 1]):
        return _Consumer("assigned", step, str(step.argval))
    if step.opname == "STORE_SUBSCR" and above == 2:
        return _into(steps, made, at)
    return None


def _into(steps: list[dis.Instruction], made: int, at: int) -> _Consumer | None:
    """`self.variable[...] = value`: a part of a variable is a part of the state, if only elements are taken of it."""
    if at < made + 4 or not _is_self(steps[made + 1]) or steps[made + 2].opname != "LOAD_ATTR":
        return None
    height = 1  # the variable, or the part of it, and what lies above
    for step in steps[made + 3 : at]:
        if step.opname not in _EFFECTS or (height < 3 and step.opname in ("BINARY_OP", "COMPARE_OP")):
            return None
        if height < 2 and step.opname in ("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE"):
            return None
        height += dis.stack_effect(step.opcode, step.arg)
    return _Consumer("assigned", steps[at], str(steps[made + 2].argval))


def _is_self(step: dis.Instruction) -> bool:
    return step.opname in ("LOAD_FAST", "LOAD_DEREF") and step.argval == "self"
