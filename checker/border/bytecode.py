"""What a code object does that tracing cannot see, and whether a text is made for a reader only.

CPython answers `is`, `type()` and exception handlers without asking the objects involved, so they are looked
for in the instructions. The scan is conservative: it does not know which values are symbols.
"""

from __future__ import annotations

import dis
import inspect
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from ..errors import Where, describe, is_ours
from ..language import methods
from ..language.statements import narrate


@dataclass(frozen=True)
class Hazard:
    """An instruction that is refused; `state` says that it keeps state outside of the state."""

    line: int
    expression: str
    reason: str
    remedy: str
    state: bool = False


_IS = (
    "it compares which objects Python holds, not their values",
    "compare with == or !=, or write the condition itself for `is True`; `is None` and `is not None` are fine",
)
_HANDLER = (
    "an operation on state may raise another exception, or none, while it is traced",
    "ask before, with `if` or require(...)",
)
_OUTSIDE = (
    "what an action leaves there is no part of the state, so the search neither stores nor compares it",
    "make it a variable of the spec, declared in variables()",
)

_OPERATORS = "lt le gt ge add radd sub rsub mul rmul floordiv rfloordiv mod rmod truediv rtruediv pow rpow and rand or ror xor rxor lshift rlshift rshift rrshift invert neg pos abs divmod rdivmod round"  # noqa: E501
_OTHERS = "trunc floor ceil int index float complex len iter getitem contains call reversed"
PROTOCOLS = tuple(f"__{name}__" for name in f"{_OPERATORS} {_OTHERS}".split(" "))
"""Special methods that members of an enum may have by their class: texts have some, IntEnum others."""

READABLE = {*PROTOCOLS, "__setitem__", "__delitem__", "__next__", "__post_init__", "__init__"}
READABLE |= {"__name__", "__qualname__", "__doc__", "__members__"}
"""Special attributes that symbols have as values do, or that say nothing about how a value is represented."""

CHANGING = {"__dict__", "__setattr__", "__delattr__", "__globals__", "__builtins__"}
"""Special attributes by which anything can be changed."""

INSIDE = {"gi_frame", "f_locals", "f_globals", "f_back", "f_code", "tb_frame"}
PRIVATE = {"_term", "_tracer", "_members", "_place", "_domain", "_binding", "_frame", "_variables", "_constants"}

_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}
_STORES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_SUSPECT = {"IS_OP", "PUSH_EXC_INFO", "STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"}
_SUSPECT_CODES = frozenset(dis.opmap[name] for name in _SUSPECT if name in dis.opmap)


@lru_cache(maxsize=4096)
def hazards(code: CodeType, nested: bool, method: bool) -> tuple[Hazard, ...]:
    """What a code object does that is refused, each once for a line.

    `nested`: its free variables belong to a function that is executed itself. `method`: `self` is the spec or a
    record, so type(self) is what it seems.
    """
    names = {*code.co_names, *(texts(code) if asks_by_text(code) else ())}
    special = {n for n in names if _is_special(n) or n in INSIDE or n in PRIVATE or n == "type"}
    if not special and not _SUSPECT_CODES & set(code.co_code[::2]):
        return ()
    return tuple(dict.fromkeys(_hazards(code, nested, method)))


def _steps(code: CodeType) -> list[dis.Instruction]:
    return [i for i in dis.get_instructions(code) if i.opname not in ("CACHE", "NOP", "PUSH_NULL", "PRECALL")]


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in READABLE


def _hazards(code: CodeType, nested: bool, method: bool) -> Iterator[Hazard]:
    line = code.co_firstlineno
    previous: dis.Instruction | None = None
    instructions = _steps(code)
    for at, step in enumerate(instructions):
        line = _line(step) or line
        if step.opname == "IS_OP":
            joined = step.is_jump_target  # `x is (y if z else None)`
            if joined or previous is None or previous.opname != "LOAD_CONST" or previous.argval is not None:
                yield Hazard(line, "`is not`" if step.arg else "`is`", *_IS)
        elif step.opname == "PUSH_EXC_INFO":
            yield _handler(instructions[at : at + 6], line)
        elif step.opname in _STORES:
            yield Hazard(line, f"the assignment of the global {step.argval}", *_OUTSIDE, state=True)
        elif step.opname in ("STORE_DEREF", "DELETE_DEREF"):
            if step.argval in code.co_freevars and not nested:
                yield Hazard(line, f"the assignment of the outer variable {step.argval}", *_OUTSIDE, state=True)
        elif step.opname in _LOADS:
            yield from _loaded(code, str(step.argval), line, method and _asks_self(code, instructions, at))
        elif step.opname == "LOAD_CONST" and asks_by_text(code) and isinstance(step.argval, str):
            for name in step.argval.split("."):
                yield from _loaded(code, name, line, False)
        previous = step


def _handler(steps: list[dis.Instruction], line: int) -> Hazard:
    """An exception handler, at the line of its `except` or `with` where it has one."""
    for step in steps:
        if step.opname in ("CHECK_EXC_MATCH", "WITH_EXCEPT_START"):
            name = "`except`" if step.opname == "CHECK_EXC_MATCH" else "`with`"
            return Hazard(_line(step) or line, name, *_HANDLER)
    return Hazard(line, "`try`", *_HANDLER)


def _loaded(code: CodeType, name: str, line: int, of_self: bool) -> Iterator[Hazard]:
    if name == "__class__" and not of_self:
        yield Hazard(line, ".__class__", "a value of the state is a symbol while it is traced", "use isinstance()")
    elif name in CHANGING:
        yield Hazard(line, f".{name}", "it reaches what is no variable", _OUTSIDE[1], state=True)
    elif _is_special(name) and name != "__class__" and name != code.co_name:
        yield Hazard(line, f".{name}", "it goes round what values say of themselves", "use operators and functions")
    elif name in INSIDE or name in PRIVATE:
        yield Hazard(line, f".{name}", "it belongs to how a spec is executed", "use the values themselves")


def _asks_self(code: CodeType, instructions: list[dis.Instruction], at: int) -> bool:
    """Whether the instruction before, or after, loads `self`, the first parameter: self.__class__, type(self)."""
    first = code.co_varnames[0] if code.co_argcount else ""
    if any(s.argval == first and s.opname.startswith(("STORE", "DELETE")) for s in instructions):
        return False
    beside = instructions[at - 1] if instructions[at].argval == "__class__" else instructions[at + 1]
    return first == "self" and beside.opname.startswith("LOAD_FAST") and beside.argval == first


def asks_type_of_self(code: CodeType, name: str) -> bool:
    """Whether a method calls `type`, whatever name it has there, only as type(self)."""
    steps = _steps(code)
    places = [i for i, s in enumerate(steps) if s.argval == name and s.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    return all(_asks_self(code, steps, at) and steps[at + 2].opname == "CALL" for at in places)


_BY_TEXT = frozenset({"getattr", "hasattr", "setattr", "delattr", "attrgetter", "methodcaller"})


def asks_by_text(code: CodeType) -> bool:
    """Whether a code object names a function that takes the name of an attribute as a text."""
    return not _BY_TEXT.isdisjoint(code.co_names)


@lru_cache(maxsize=4096)
def texts(code: CodeType) -> frozenset[str]:
    """The texts of a code object that could be names: also "a.b", and those in tuples."""
    found: set[str] = set()
    todo: list[Any] = list(code.co_consts)
    while todo:
        const = todo.pop()
        if isinstance(const, (tuple, frozenset)):
            todo += const
        elif isinstance(const, str):
            found |= {part for part in const.split(".") if part.isidentifier()}
    return frozenset(found)


@lru_cache(maxsize=4096)
def asks_by_computed_text(code: CodeType) -> bool:
    """Whether one of the functions of `asks_by_text` may be given a text that does not stand there."""
    steps = _steps(code)
    asked = [s for s in steps if s.argval in _BY_TEXT and s.opname in _LOADS]
    return not all(any(_constant_name(steps, s, at) for at in range(len(steps))) for s in asked)


def _constant_name(steps: list[dis.Instruction], asked: dis.Instruction, at: int) -> bool:
    """Whether the step at a place calls what `asked` loads, with a text that stands there as the name."""
    call, start = _range(steps[at]), _range(asked)
    if steps[at].opname != "CALL" or call is None or start is None or call[0] != start[0]:
        return False
    given = steps[at].arg or 0
    back = {"methodcaller": given, "setattr": given - 1, "getattr": given - 1}.get(str(asked.argval), 1)
    name = steps[at - max(back, 1)]
    return name.opname == "LOAD_CONST" and isinstance(name.argval, str) and _within(_range(name), [call])


def line_of(code: CodeType, name: str) -> int:
    """The first line of a code object, or of a function in it, that names something."""
    line = code.co_firstlineno
    for step in dis.get_instructions(code):
        line = _line(step) or line
        if step.argval == name and isinstance(name, str):
            return line
    for inner in nested(code):
        if name in inner.co_names:
            return line_of(inner, name)
    return code.co_firstlineno


@lru_cache(maxsize=4096)
def global_names(code: CodeType) -> frozenset[str]:
    """What a code object loads as globals, and not just as attributes."""
    return frozenset(str(i.argval) for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


def assigned(code: CodeType, names: set[str]) -> list[int]:
    """The lines at which a code object assigns an attribute of one of the names."""
    if names.isdisjoint(code.co_names):
        return []
    return [_line(i) or 0 for i in dis.get_instructions(code) if i.opname == "STORE_ATTR" and i.argval in names]


def imports(code: CodeType) -> list[str]:
    """The modules that a code object imports itself."""
    if dis.opmap["IMPORT_NAME"] not in code.co_code[::2]:
        return []
    return [str(i.argval) for i in dis.get_instructions(code) if i.opname == "IMPORT_NAME"]


def place(code: CodeType, line: int) -> Where:
    """A line of a code object, as errors name it."""
    return describe(code.co_filename, line, code.co_name)


def nested(code: CodeType, names: frozenset[str] = frozenset()) -> list[CodeType]:
    """The functions, lambdas and comprehensions inside a code object, but not what narrate(lambda: ...) calls only
    when a story is told."""
    told = [r for r in _told(code, names) if not _stores_within(code, r)]
    made = {i.argval: i for i in dis.get_instructions(code) if isinstance(i.argval, CodeType)} if told else {}
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [c for c in inner if c not in made or c.co_name != "<lambda>" or not _told_later(code, made[c], told)]


def _told_later(code: CodeType, made: dis.Instruction, told: list[Range]) -> bool:
    """Whether a lambda is an argument of narrate(...) itself."""
    here = _range(made)
    around = [c for c in _calls(code) if here is not None and _within(here, [c])]
    return bool(around) and all(c in told for c in around)


def _stores_within(code: CodeType, whole: Range) -> bool:
    """Whether something is assigned in the arguments of a call."""
    return any(i.opname.startswith("STORE_") and _within(_range(i), [whole]) for i in dis.get_instructions(code))


def _line(step: dis.Instruction) -> int | None:
    return step.positions.lineno if step.positions is not None else None


# -- texts for a reader ------------------------------------------------------------------------------------

Range = tuple[tuple[int, int], tuple[int, int]]


def tellers(names: dict[str, Any]) -> frozenset[str]:
    """Under which of the names print and narrate a module really has these functions."""
    found = {"narrate"} if names.get("narrate") is narrate else set()
    return frozenset(found | ({"print"} if names.get("print", print) is print else set()))


def tells(frame: FrameType) -> bool:
    """Whether what a frame computes at the moment is only told to somebody: an argument of narrate(...) or print(...),
    or the text of an assertion that failed or an exception that is raised; or if it is a helper that only puts a text
    together, and its caller is such a place."""
    code = frame.f_code
    if _only_a_text(code):
        caller: FrameType | None = frame.f_back
        if caller is not None and caller.f_code.co_filename == methods.__file__:
            caller = caller.f_back
        return caller is not None and tells(caller)
    if is_of_pytest(code.co_filename):
        return True
    here = _range_at(code, frame.f_lasti)
    if here is None:
        return False
    if any(first <= frame.f_lasti <= last for first, last in _raising(code)):
        return True
    whole = [r for r in _told(code, tellers(frame.f_globals)) if _within(here, [r])]
    return any(_only_goes_to(code, frame.f_lasti, here, outer) for outer in whole)


_TEXT = {"RESUME", "NOP", "CACHE", "PUSH_NULL", "POP_TOP", "COPY_FREE_VARS", "EXTENDED_ARG", "BUILD_STRING"}
_TEXT |= {"FORMAT_VALUE", "FORMAT_SIMPLE", "FORMAT_WITH_SPEC", "CONVERT_VALUE", "RETURN_VALUE", "STORE_FAST"}
_TEXT |= {"LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "LOAD_DEREF"}
_TEXT |= {"LOAD_CONST", "LOAD_SMALL_INT", "LOAD_GLOBAL", "LOAD_ATTR"}


@lru_cache(maxsize=1024)
def _only_a_text(code: CodeType) -> bool:
    """Whether a function has one way through it, and calls, compares and changes nothing: it returns an f-string."""
    names = [i.opname for i in dis.get_instructions(code)]
    return set(names) <= _TEXT and "RETURN_VALUE" in names and not code.co_flags & inspect.CO_GENERATOR


_PASSING = ("FORMAT_", "CONVERT_VALUE", "BUILD_STRING", "BINARY_OP", "BUILD_TUPLE", "KW_NAMES", "CACHE", "PRECALL")
"""Instructions that put a text into a longer one, and so to the reader."""


def _only_goes_to(code: CodeType, at: int, here: Range, reader: Range) -> bool:
    """Whether all that is made of the text at an offset is a longer text for the reader: nothing is called with it,
    assigned, compared or looked up."""
    for step in dis.get_instructions(code):
        found = _range(step)
        if step.offset <= at or found is None or not (_within(here, [found]) and _within(found, [reader])):
            continue
        if found == reader and step.opname in ("CALL", "CALL_KW"):
            return True
        if not step.opname.startswith(_PASSING):
            return False
    return False


def _within(inner: Range | None, outer: list[Range]) -> bool:
    return inner is not None and any(o[0] <= inner[0] and inner[1] <= o[1] for o in outer)


def _range(step: dis.Instruction) -> Range | None:
    p = step.positions
    if p is None or None in (p.lineno, p.end_lineno, p.col_offset, p.end_col_offset):
        return None
    return (p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)  # type: ignore[return-value]


@lru_cache(maxsize=1024)
def _ranges(code: CodeType) -> dict[int, Range | None]:
    return {i.offset: _range(i) for i in dis.get_instructions(code)}


def _range_at(code: CodeType, offset: int) -> Range | None:
    return _ranges(code).get(offset)


@lru_cache(maxsize=1024)
def _calls(code: CodeType) -> list[Range]:
    """Where calls stand in the source."""
    found = (_range(i) for i in dis.get_instructions(code) if i.opname.startswith("CALL"))
    return list(dict.fromkeys(r for r in found if r is not None))


@lru_cache(maxsize=1024)
def _told(code: CodeType, names: frozenset[str]) -> list[Range]:
    """Where calls of narrate(...) and print(...) stand in the source."""
    if "file" in texts(code):
        names -= {"print"}  # print(..., file=...) may write to what somebody reads again
    if names.isdisjoint(code.co_names):
        return []
    starts = set()
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and step.argval in names:
            found = _range(step)
            starts |= {found[0]} if found else set()
    return [r for r in _calls(code) if r[0] in starts]


@lru_cache(maxsize=1024)
def _raising(code: CodeType) -> list[tuple[int, int]]:
    """The instructions that make the text of a failed assertion, or the exception of a `raise`."""
    found: list[tuple[int, int]] = []
    steps = list(dis.get_instructions(code))
    begins: int | None = None
    for step in steps:
        if step.opname == "LOAD_ASSERTION_ERROR" or step.argval is AssertionError:
            begins = step.offset
        elif step.opname == "RAISE_VARARGS":
            first = begins if begins is not None else _first_within(steps, _range(step), step.offset)
            found.append((first, step.offset))
            begins = None
    return found


def _first_within(steps: list[dis.Instruction], statement: Range | None, last: int) -> int:
    """The first instruction of the statement that ends at an offset."""
    inside = [s.offset for s in steps if s.offset <= last and statement and _within(_range(s), [statement])]
    return min(inside, default=last)


def is_of_pytest(path: str) -> bool:
    """Whether a file belongs to pytest, which writes `assert` anew so that its message shows the values."""
    pytest = getattr(sys.modules.get("_pytest"), "__file__", None)
    return pytest is not None and path.startswith(os.path.dirname(pytest) + os.sep)


def user_frame(frame: Any) -> FrameType | None:
    """The innermost frame from here outwards that is not the checker's own."""
    while frame is not None and is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return frame  # type: ignore[no-any-return]
