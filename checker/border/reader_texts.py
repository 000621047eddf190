"""Whether the text that is being made of a symbol is made for a reader only, who decides nothing with it.

Such a text need not be known, so it forks nothing. It is told only if the bytecode shows where it goes: straight, or
as a part of a longer text, into narrate(...) or print(...), into the message of an assertion, or into an exception
that no loop of Python swallows. Whatever is less plain counts as read, which is never wrong and only costs paths.
"""

from __future__ import annotations

import builtins
import dis
import inspect
import re
import sys
import types
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from ..errors import is_ours
from ..language import methods, record
from ..language.methods import function_of
from ..language.statements import narrate
from .bytecode import Range, is_of_pytest, of_library, range_of, steps_of, texts, within
from .sources import genuine

_TEXTS = ("str", "repr", "format", "ascii")
_SPECIAL = ("__str__", "__repr__", "__format__")
_NAMED = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FAST", "LOAD_DEREF", "LOAD_FAST_CHECK")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_CALLS = ("CALL", "CALL_KW")
_SWALLOWED = (StopIteration, StopAsyncIteration, AttributeError, LookupError, TypeError)
"""What loops, hasattr and the like may take for an answer."""


def tells(frame: FrameType, maker: CodeType | None = None) -> bool:
    """Whether the text that a frame asks for at the moment is only told.

    `maker` is the code that makes it, where that is a helper which only puts a text together.
    """
    code = frame.f_code
    if is_of_pytest(code.co_filename) and genuine(code):
        return True
    step = _places(code).get(frame.f_lasti)
    if step is None or not _made_here(frame, step, maker):
        return False
    if _only_a_text(code):
        caller = _outer(frame)
        return caller is not None and tells(caller, code)
    return any(_only_goes_to(frame, step, reader) for reader in _readers(frame))


def _outer(frame: FrameType) -> FrameType | None:
    caller = frame.f_back
    while caller is not None and caller.f_code.co_filename in (methods.__file__, record.__file__):
        caller = caller.f_back
    return caller


# -- who makes the text ------------------------------------------------------------------------------------


def _made_here(frame: FrameType, step: dis.Instruction, maker: CodeType | None) -> bool:
    """Whether an instruction asks for the text itself, and no function in C does that might keep it."""
    special = maker is None or maker.co_name in _SPECIAL
    if step.opname.startswith(("FORMAT_", "CONVERT_")):
        return special
    if step.opname == "BINARY_OP":
        return special and step.argrepr == "%" and _is_text(frame, _first_part(frame.f_code, step))
    if step.opname in _ATTRIBUTES:
        return maker is not None and _code_of(_resolved(frame, step)) is maker
    if step.opname not in _CALLS:
        return False
    called = _callee(frame.f_code, step)
    if called is not None and called.argval == "format" and called.opname in _ATTRIBUTES:
        return special and _plain_format(_before(frame.f_code, called))
    found = _resolved(frame, called)
    if special and (_is_builtin(found, *_TEXTS) or (_is_builtin(found, "print") and shown_to_people())):
        return True
    return maker is not None and _code_of(found) is maker


def _plain_format(text: dis.Instruction | None) -> bool:
    """Whether a format stands there as a text, in which no value says how another one is formatted: "{:{}}"."""
    found = text.argval if text is not None and text.opname == "LOAD_CONST" else None
    return isinstance(found, str) and not re.search(r"\{[^}]*\{", found)


def _is_builtin(found: Any, *names: str) -> bool:
    """Whether a value is one of Python's own functions that make or show texts, whatever `builtins` says by now."""
    if found is str:
        return "str" in names
    kind = isinstance(found, types.BuiltinFunctionType) and found.__module__ == "builtins"
    return kind and found.__name__ in names


def _code_of(found: Any) -> CodeType | None:
    code = getattr(function_of(found), "__code__", None) if _plain(found) else None
    return code if isinstance(code, CodeType) else None


def _plain(found: Any) -> bool:
    return isinstance(found, (types.FunctionType, methods.Method, methods.Bound, staticmethod, classmethod, property))


def _resolved(frame: FrameType, step: dis.Instruction | None) -> Any:
    """What NAME or NAME.attribute stands for, without executing anything; None where that is not plain."""
    if step is None:
        return None
    name = str(step.argval)
    if step.opname in _ATTRIBUTES:
        owner = _before(frame.f_code, step)
        if owner is None or owner.opname not in _NAMED:
            return None
        found = _resolved(frame, owner)
        return None if found is None else inspect.getattr_static(found, name, None)
    if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
        return frame.f_globals.get(name, getattr(builtins, name, None))
    return frame.f_locals.get(name) if step.opname in _NAMED else None


def _callee(code: CodeType, call: dis.Instruction) -> dis.Instruction | None:
    """The instruction that loads what is called."""
    found = _first_part(code, call)
    return found if found is not None and found.opname in (*_NAMED, *_ATTRIBUTES) else None


def _first_part(code: CodeType, operation: dis.Instruction) -> dis.Instruction | None:
    """The instruction that makes what an operation begins with: the left operand, or what is called."""
    whole, found = range_of(operation), None
    for step in steps_of(code):
        part = range_of(step)
        if step.offset >= operation.offset or whole is None or part is None:
            continue
        inside = part[0] == whole[0] and part[1] < whole[1]
        if inside and (found is None or part[1] >= range_of(found)[1]):  # type: ignore[index]
            found = step
    return found


def _before(code: CodeType, step: dis.Instruction) -> dis.Instruction | None:
    steps = steps_of(code)
    at = steps.index(step)
    return steps[at - 1] if at else None


_TEXT = {"RESUME", "POP_TOP", "COPY_FREE_VARS", "BUILD_STRING", "FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC"}
_TEXT |= {"CONVERT_VALUE", "RETURN_VALUE", "STORE_FAST", "LOAD_FAST", "LOAD_DEREF", "LOAD_CONST", "LOAD_GLOBAL"}
_TEXT |= {"LOAD_ATTR"}


@lru_cache(maxsize=1024)
def _only_a_text(code: CodeType) -> bool:
    """Whether a function has one way through it, and calls, compares and changes nothing: it returns an f-string."""
    steps = steps_of(code)
    plain = all(s.opname in _TEXT and not _with_computed_format(code, s) for s in steps)
    return plain and any(s.opname == "RETURN_VALUE" for s in steps) and not code.co_flags & inspect.CO_GENERATOR


def _with_computed_format(code: CodeType, step: dis.Instruction) -> bool:
    """Whether a value is formatted as a text says that is itself computed: f"{value:{width}}"."""
    given = step.opname == "FORMAT_WITH_SPEC" or (step.opname == "FORMAT_VALUE" and bool((step.arg or 0) & 4))
    before = _before(code, step)
    return given and (before is None or before.opname != "LOAD_CONST")


# -- where it goes -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reader:
    """A call that shows its arguments to somebody; it is known by its offset, as caches forget instructions."""

    call: dis.Instruction
    whole: Range


def _readers(frame: FrameType) -> list[Reader]:
    code = frame.f_code
    names = tellers(frame.f_globals)
    told = [Reader(call, whole) for call, whole, name in _calls_by_name(code) if name in names]
    raised = [Reader(call, whole) for call, whole, loaded in _raising(code) if _harmless(frame, loaded)]
    return told + raised


def tellers(names: dict[str, Any]) -> frozenset[str]:
    """Under which of the names print and narrate a module really has these functions."""
    found = {"narrate"} if names.get("narrate") is narrate else set()
    prints = _is_builtin(names.get("print", builtins.print), "print") and shown_to_people()
    return frozenset(found | ({"print"} if prints else set()))


def shown_to_people() -> bool:
    """Whether the standard output is a stream of Python's own, and no object that a spec has put in its place."""
    stream: Any = sys.stdout
    for _ in range(3):
        write = getattr(type(stream), "write", None)
        if isinstance(write, types.FunctionType) and not of_library(write.__code__.co_filename):
            return False
        stream = getattr(stream, "buffer", None) or getattr(stream, "raw", None)
        if stream is None:
            return True
    return True


def executed_inside(code: CodeType, names: frozenset[str]) -> list[CodeType]:
    """The functions, lambdas and comprehensions inside a code object, but not what narrate(lambda: ...) calls only
    when a story is told."""
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    told = [Reader(call, whole) for call, whole, name in _calls_by_name(code) if name in names] if inner else []
    return [c for c in inner if c.co_name != "<lambda>" or not any(_given_to(code, c, reader) for reader in told)]


def told_later(code: CodeType, names: frozenset[str]) -> list[CodeType]:
    """The lambdas that narrate(lambda: ...) calls only when a story is told."""
    executed = executed_inside(code, names)
    return [c for c in code.co_consts if isinstance(c, CodeType) and c not in executed]


def _given_to(code: CodeType, function: CodeType, reader: Reader) -> bool:
    """Whether a lambda stands as an argument of a call itself, and nothing else is done with it."""
    place = next(at for at, c in enumerate(code.co_consts) if c is function)
    made = next((s for s in steps_of(code) if s.opname == "LOAD_CONST" and s.arg == place), None)
    here = range_of(made) if made is not None else None
    if made is None or not within(here, [reader.whole]):
        return False
    for step in steps_of(code):
        found = range_of(step)
        if step.offset > made.offset and within(here, [found] if found else []) and within(found, [reader.whole]):
            if step.offset == reader.call.offset:
                return True
            if step.opname not in ("MAKE_FUNCTION", "SET_FUNCTION_ATTRIBUTE", "KW_NAMES"):
                return False
    return False


@lru_cache(maxsize=1024)
def _calls_by_name(code: CodeType) -> list[tuple[dis.Instruction, Range, str]]:
    """The calls of print(...) and narrate(...), by these names."""
    wanted = {"print", "narrate"} & set(code.co_names)
    if "file" in texts(code):
        wanted -= {"print"}  # print(..., file=...) may write to what somebody reads again
    found = []
    for call in steps_of(code) if wanted else ():
        whole = range_of(call)
        loaded = _callee(code, call) if call.opname in _CALLS and whole is not None else None
        if whole is not None and loaded is not None and loaded.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found += [(call, whole, str(loaded.argval))] if loaded.argval in wanted else []
    return found


@lru_cache(maxsize=1024)
def _raising(code: CodeType) -> list[tuple[dis.Instruction, Range, dis.Instruction | None]]:
    """The calls that make what is raised at once, each with what loads the class; None for that of `assert`."""
    steps, found = steps_of(code), list[tuple[dis.Instruction, Range, dis.Instruction | None]]()
    for at, step in enumerate(steps):
        if step.opname != "RAISE_VARARGS" or not step.arg:
            continue
        call = steps[at - step.arg]
        whole = range_of(call)
        if call.opname != "CALL" or whole is None:
            continue
        asserted = [i for i in range(at) if steps[i].opname == "LOAD_ASSERTION_ERROR" and range_of(steps[i]) == whole]
        if asserted:
            message = [r for r in map(range_of, steps[asserted[-1] + 1 : at - step.arg]) if r is not None]
            found += [(call, (min(r[0] for r in message), max(r[1] for r in message)), None)] if message else []
        else:
            loaded = _callee(code, call)
            found += [(call, whole, loaded)] if loaded is not None else []
    return found


def _harmless(frame: FrameType, loaded: dis.Instruction | None) -> bool:
    """Whether making and raising an exception of a class shows its text, and nothing in Python swallows it."""
    kind = AssertionError if loaded is None else _resolved(frame, loaded)
    if type(kind) is not type or not issubclass(kind, Exception) or issubclass(kind, _SWALLOWED):
        return False
    own = (getattr(kind, name, None) for name in ("__init__", "__new__"))
    return not any(isinstance(method, types.FunctionType) for method in own)


def _only_goes_to(frame: FrameType, made: dis.Instruction, reader: Reader) -> bool:
    """Whether all that is made of a text is a longer text for the reader: nothing is called with it, assigned,
    compared or looked up."""
    code, here = frame.f_code, range_of(made)
    if made.offset == reader.call.offset:
        return True
    if made.offset > reader.call.offset or not within(here, [reader.whole]):
        return False
    for step in steps_of(code):
        found = range_of(step)
        if step.offset == reader.call.offset:
            return True
        if step.offset <= made.offset or found is None or not (within(here, [found]) and within(found, [reader.whole])):
            continue
        if not _passes(frame, step):
            return False
    return False


_PASSING = ("FORMAT_", "CONVERT_VALUE", "BUILD_STRING", "BUILD_TUPLE", "KW_NAMES", "LOAD_CONST")


def _passes(frame: FrameType, step: dis.Instruction) -> bool:
    """Whether an instruction makes a longer text of texts, and asks no object of the author's to do it."""
    code = frame.f_code
    if step.opname == "BINARY_OP":
        left, right = _first_part(code, step), _before(code, step)
        tuples = right is not None and right.opname == "BUILD_TUPLE" and step.argrepr == "%"
        return step.argrepr in ("+", "%") and _is_text(frame, left) and (tuples or _is_text(frame, right))
    return step.opname.startswith(_PASSING) and not _with_computed_format(code, step)


def _is_text(frame: FrameType, step: dis.Instruction | None) -> bool:
    """Whether an instruction surely makes a text."""
    if step is None:
        return False
    if step.opname == "LOAD_CONST":
        return isinstance(step.argval, str)
    if step.opname == "BINARY_OP":
        return _passes(frame, step)
    if step.opname in _CALLS:
        return _is_builtin(_resolved(frame, _callee(frame.f_code, step)), *_TEXTS)
    return step.opname == "BUILD_STRING" or step.opname.startswith("FORMAT_")


@lru_cache(maxsize=1024)
def _places(code: CodeType) -> dict[int, dis.Instruction]:
    return {step.offset: step for step in steps_of(code)}


def user_frame(frame: Any) -> FrameType | None:
    """The innermost frame from here outwards that is not the checker's own."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame  # type: ignore[no-any-return]
