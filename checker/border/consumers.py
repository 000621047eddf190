"""What becomes of a value of the state that may be None: whether only such as ask the value itself.

Python answers `is None` without asking, so a value that may be None forks where it is read. It need not where the
bytecode shows that it goes straight into ==, !=, If(...), a @pure function or a new record, is assigned to a variable
of the state, or gets a name that is used for nothing else. Whatever is less plain forks, which is never wrong and only
costs paths.
"""

from __future__ import annotations

import bisect
import builtins
import dis
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from ..errors import is_ours
from ..language.instructions import instructions
from ..language.methods import function_of
from ..language.record import Record
from ..language.spec import Spec
from ..language.statements import If, maximum, minimum, pure
from .reader_texts import _ATTRIBUTES, _before, _callee, _first_part, _resolved


@dataclass(frozen=True)
class _Step:
    """An instruction."""

    opname: str
    arg: int
    argval: Any
    entered: bool  # a jump may lead here
    made_of: dis.Instruction


@dataclass(frozen=True)
class _Consumer:
    """The instruction that takes a value: as the left or right operand of ==, as an argument of a call, to assign it.

    `target` names the attribute of `self` that is assigned, or that holds what is assigned. `later`: other statements
    are executed before it.
    """

    kind: str
    step: dis.Instruction
    target: str = ""
    later: bool = False


@dataclass(frozen=True)
class _Made:
    """The instruction that gives the value, and all that take it; `walked` names the variable whose element it is."""

    step: dis.Instruction
    consumers: tuple[_Consumer, ...]
    walked: str = ""


def only_asked(frame: FrameType | None, spec: Spec, own_equality: bool, merged: bool) -> bool:
    """Whether what a frame's instruction gives is only compared, merged, or assigned to a variable of the spec.

    `own_equality`: an __eq__ written in Python could look at the right operand. `merged`: If gives it, and no variable.
    """
    made = None if frame is None else _made(frame.f_code, frame.f_lasti)
    if frame is None or made is None or merged != (made.step.opname == "CALL"):
        return False
    if merged and _called(frame, spec, made.step) not in (If, minimum, maximum):
        return False
    if made.step.opname == "BINARY_SUBSCR" and not _element(frame, spec, made.step):
        return False
    if made.walked and not (_is_spec(frame, spec) and made.walked in spec.domains and _enumerates(frame)):
        return False
    return all(_only_asks(frame, spec, own_equality, consumer) for consumer in made.consumers)


def _only_asks(frame: FrameType, spec: Spec, own_equality: bool, consumer: _Consumer) -> bool:
    if consumer.kind == "call":
        return _asks_itself(_called(frame, spec, consumer.step, consumer.later))
    if consumer.kind == "assigned":
        plain = type(spec).__setattr__ is Spec.__setattr__
        return plain and _is_spec(frame, spec) and consumer.target in spec.domains
    return consumer.kind == "left" or not own_equality


def _asks_itself(called: Any) -> bool:
    """Whether a function takes a value without showing it to Python: If, a @pure helper, or the making of a record."""
    if isinstance(called, type):
        same = (getattr(called, name) is getattr(Record, name) for name in _MAKING)
        return issubclass(called, Record) and type(called) is type(Record) and all(same)
    return called is If or getattr(function_of(called), "__code__", None) is _PURE


_MAKING = ("__new__", "__init__", "__getattr__", "__getattribute__", "__setattr__")
_PURE = pure(len).__code__


def _called(frame: FrameType, spec: Spec, call: dis.Instruction, later: bool = False) -> Any:
    """What a call calls: a global name, or what a global or the spec has; a local name may be given another value."""
    loaded = _callee(frame.f_code, call)
    if loaded is None:
        return None
    if loaded.opname in _ATTRIBUTES:
        owner = _before(frame.f_code, loaded)
        fixed = owner is not None and (
            owner.opname == "LOAD_GLOBAL" or (owner.argval == "self" and _is_spec(frame, spec))
        )
        return _resolved(frame, loaded) if fixed and not later else None
    return _resolved(frame, loaded) if loaded.opname == "LOAD_GLOBAL" else None


def _element(frame: FrameType, spec: Spec, step: dis.Instruction) -> bool:
    """Whether a subscript takes a part of the state: a dictionary with a default would keep what it gives."""
    root: dis.Instruction | None = step
    while root is not None and root.opname in ("BINARY_SUBSCR", *_ATTRIBUTES):
        root = _first_part(frame.f_code, root)
    if root is None or root.opname not in _LOADS:
        return False
    between = (s for s in _steps(frame.f_code) if root.offset < s.made_of.offset < step.offset)
    if any(s.opname.startswith("STORE_") for s in between):
        return False
    held = _resolved(frame, root)
    takes = getattr(getattr(type(held), "__getitem__", None), "__code__", None)
    return held is spec or issubclass(type(held), Record) or (takes is not None and is_ours(takes.co_filename))


def _is_spec(frame: FrameType, spec: Spec) -> bool:
    own = "self" not in frame.f_code.co_freevars  # else a function around this one may give it another value
    return own and frame.f_locals.get("self") is spec and not _changes(frame.f_code, "self")


def _enumerates(frame: FrameType) -> bool:
    return frame.f_globals.get("enumerate", getattr(builtins, "enumerate", None)) is enumerate


@lru_cache(maxsize=4096)
def _made(code: CodeType, last: int) -> _Made | None:
    """The instruction at a place, and what takes its value; None where that is not plain."""
    steps = _steps(code)
    at = bisect.bisect_right([s.made_of.offset for s in steps], last) - 1
    if at < 0:
        return None
    above, walked = 0, ""
    if steps[at].opname == "FOR_ITER":
        found = _walks(steps, at)
        if found is None:
            return None
        walked, at, above = found
    elif steps[at].opname not in ("LOAD_ATTR", "BINARY_SUBSCR", "CALL"):
        return None
    consumers = _consumers(code, at, above, set())
    return None if consumers is None else _Made(steps[at].made_of, tuple(consumers), walked)


def _walks(steps: tuple[_Step, ...], at: int) -> tuple[str, int, int] | None:
    """Which variable's elements a loop gives, at which step they are there, and how many values lie above them."""
    before = [s.opname for s in steps[:at]]
    counted = before[-2:] == ["CALL", "GET_ITER"] and steps[at - 2].arg == 1
    start = at - 4 if counted else at - 3
    if before[-1:] != ["GET_ITER"] or start < 0 or not _is_self(steps[start]) or before[start + 1] != "LOAD_ATTR":
        return None
    if not counted:
        return str(steps[start + 1].argval), at, 0
    calls = next((s for s in reversed(steps[:start]) if s.opname != "PUSH_NULL"), steps[at])
    unpacked = steps[at + 1]
    if (calls.opname, calls.argval) != ("LOAD_GLOBAL", "enumerate") or (unpacked.opname, unpacked.arg) != _A_PAIR:
        return None
    return str(steps[start + 1].argval), at + 1, 1


_A_PAIR = ("UNPACK_SEQUENCE", 2)
_UNKNOWN = 1 << 30


def _consumers(code: CodeType, at: int, above: int, names: set[str]) -> list[_Consumer] | None:
    """What takes the value that a step leaves on the stack, with so many above it; None where that is not plain.

    `names` are the names that it has had.
    """
    steps, start = _steps(code), at
    for i in range(at + 1, len(steps)):
        step = steps[i]
        if step.entered:
            return None
        if step.opname == "STORE_FAST" and above == 0:
            return _named(code, str(step.argval), names)
        taken = _taken(steps, start, i, above)
        if taken is not None:
            return [taken]
        if step.opname == "SWAP":
            start = _UNKNOWN if above == 0 else start
            above = {0: step.arg - 1, step.arg - 1: 0}.get(above, above)
        else:
            pops = step.arg + _CALLS[step.opname] if step.opname in _CALLS else _EFFECTS.get(step.opname)
            if pops is None or pops > above:
                return None
            start = i if above == 0 else start
            above += _effect(step)
    return None


def _named(code: CodeType, name: str, names: set[str]) -> list[_Consumer] | None:
    """What takes the value of a local name, wherever it is loaded."""
    if name in names or name in code.co_cellvars:
        return [] if name in names else None
    names.add(name)
    found: list[_Consumer] = []
    for i, step in enumerate(_steps(code)):
        if step.argval == name and step.opname.startswith("LOAD_FAST"):
            consumers = _consumers(code, i, 0, names) if step.opname in _LOADS else None
            if consumers is None:
                return None
            found += (_Consumer(c.kind, c.step, c.target, later=True) for c in consumers)
    return found


_LOADS = ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_CONST", "LOAD_DEREF", "LOAD_GLOBAL", "PUSH_NULL")
_EFFECTS: dict[str, int] = {
    **dict.fromkeys((*_LOADS, "KW_NAMES"), 0),
    **dict.fromkeys(("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE", "STORE_FAST"), 1),
    **dict.fromkeys(("BINARY_OP", "BINARY_SUBSCR", "COMPARE_OP", "STORE_ATTR"), 2),
    "STORE_SUBSCR": 3,
}
"""How many values an instruction takes that may stand between a value and what takes it."""
_CALLS = {"CALL": 2, "CALL_KW": 3}
"""What calls take beside the values that they count: what is called, its self or nothing, the names of arguments."""


def _taken(steps: tuple[_Step, ...], start: int, at: int, above: int) -> _Consumer | None:
    """What an instruction does with a value that so many others lie above, if it takes it in one of the known ways.

    The value directly above it, if there is one, was made from the step behind `start` on.
    """
    step = steps[at]
    if step.opname == "COMPARE_OP" and above < 2 and any(sign in step.made_of.argrepr for sign in ("==", "!=")):
        return _Consumer("left" if above else "right", step.made_of)
    if step.opname in _CALLS and _CALLS[step.opname] - 2 <= above < step.arg + _CALLS[step.opname] - 2:
        return _Consumer("call", step.made_of)
    if step.opname == "STORE_ATTR" and above == 1 and _is_self(steps[at - 1]):
        return _Consumer("assigned", step.made_of, str(step.argval))
    if step.opname == "STORE_SUBSCR" and above == 2:
        return _into(steps, start, at)
    return None


def _into(steps: tuple[_Step, ...], start: int, at: int) -> _Consumer | None:
    """`self.variable[...] = value`: a part of a variable is a part of the state, if only elements are taken of it."""
    if at < start + 3 or not _is_self(steps[start]) or steps[start + 1].opname != "LOAD_ATTR":
        return None
    height = 1  # the variable, or the part of it, and what lies above
    for step in steps[start + 2 : at]:
        if step.opname not in _EFFECTS or (height < 3 and step.opname in ("BINARY_OP", "COMPARE_OP")):
            return None
        if height < 2 and step.opname in ("LOAD_ATTR", "LOAD_METHOD", "UNARY_NEGATIVE"):
            return None
        height += _effect(step)
    return _Consumer("assigned", steps[at].made_of, str(steps[start + 1].argval))


def _is_self(step: _Step) -> bool:
    return step.opname in ("LOAD_FAST", "LOAD_DEREF") and step.argval == "self"


# -- instructions ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1024)
def _steps(code: CodeType) -> tuple[_Step, ...]:
    steps = (step for step in instructions(code) if step.opname != "RESUME")
    return tuple(_Step(s.opname, s.arg or 0, s.argval, s.is_jump_target, s) for s in steps)


def _effect(step: _Step) -> int:
    """By how much an instruction makes the stack higher."""
    if step.opname in _CALLS:
        return 1 - step.arg - _CALLS[step.opname]  # of Python 3.11, with the PRECALL before it
    known = _ALONE.get(step.opname)
    return dis.stack_effect(step.made_of.opcode, step.made_of.arg) if known is None else known


_ALONE = {"LOAD_FAST": 1, "LOAD_CONST": 1, "STORE_FAST": -1}
"""The effect of what may have been a part of another instruction."""


@lru_cache(maxsize=1024)
def _changes(code: CodeType, name: str) -> bool:
    """Whether a function, or one inside it, gives a name another value."""
    inner = (c for c in code.co_consts if isinstance(c, CodeType) and name in c.co_freevars)
    stores = (s.argval == name and s.opname.startswith(("STORE_", "DELETE_")) for s in _steps(code))
    return any(stores) or any(_changes(c, name) for c in inner)
