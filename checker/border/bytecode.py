"""What a code object does that tracing cannot see, and whether a text is made for a reader only.

CPython answers `is`, `type()` and exception handlers without asking the objects involved, so they are looked
for in the instructions. The scan is conservative: it does not know which values are symbols.
"""

from __future__ import annotations

import dis
import os
import re
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any

from ..errors import WRITTEN, Where, describe, is_ours
from ..language.instructions import instructions
from .sources import all_codes


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
_CASE = "write the condition itself: `if x`, `case _ if x`, or compare with =="
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

_ITEMS = {"__getitem__", "__setitem__", "__delitem__", "__contains__", "__len__", "__iter__", "__next__"}
READABLE = {*_ITEMS, "__post_init__", "__init__", "__name__", "__qualname__", "__members__", "__import__"}
READABLE |= {"__conditional_annotations__"}
"""Special names that say nothing about how a value is represented, or are refused where they lead."""

_NOT_ASKED = {*PROTOCOLS, "__eq__", "__ne__"} - _ITEMS
"""What methods in C answer with NotImplemented where operators would ask the symbol; Python takes that for true."""

_TELLING = {"__doc__", "__module__", "__slots__", "__annotations__", "__sizeof__", "__dir__", "__getstate__"}
_TELLING |= {"__reduce__", "__reduce_ex__", "__subclasshook__", "__weakref__", "__text_signature__"}
"""What tells a symbol from its value also in a function that has this name itself."""

CHANGING = {"__dict__", "__setattr__", "__delattr__", "__globals__", "__builtins__"}
"""Special attributes by which anything can be changed."""

INSIDE = {"gi_frame", "f_locals", "f_globals", "f_back", "f_code", "tb_frame", "_value2member_map_"}
_LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}
_STORES = {"STORE_GLOBAL", "DELETE_GLOBAL"}
_SUSPECT = {
    "STORE_ATTR",
    "DELETE_ATTR",
    "IS_OP",
    "PUSH_EXC_INFO",
    "STORE_GLOBAL",
    "DELETE_GLOBAL",
    "STORE_DEREF",
    "DELETE_DEREF",
}
_SUSPECT_CODES = frozenset(dis.opmap[name] for name in _SUSPECT if name in dis.opmap)


@lru_cache(maxsize=4096)
def hazards(code: CodeType, nested: bool, method: bool) -> tuple[Hazard, ...]:
    """What a code object does that is refused, each once for a line.

    `nested`: its free variables belong to a function that is executed itself. `method`: `self` is the spec or a
    record, so type(self) is what it seems.
    """
    names = {*code.co_names, *(texts(code) if asks_by_text(code) else ())}
    special = {n for n in names if _is_special(n) or n in INSIDE or n == "type"}
    if not special and not _SUSPECT_CODES & set(code.co_code[::2]):
        return ()
    return tuple(dict.fromkeys(_hazards(code, nested, method)))


@lru_cache(maxsize=1024)
def steps_of(code: CodeType) -> tuple[dis.Instruction, ...]:
    """The instructions that do something to values."""
    return tuple(step for step in instructions(code) if step.opname != "PUSH_NULL")


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in READABLE


def _hazards(code: CodeType, nested: bool, method: bool) -> Iterator[Hazard]:
    line = code.co_firstlineno
    previous: dis.Instruction | None = None
    steps = steps_of(code)
    for at, step in enumerate(steps):
        line = line_at(step) or line
        if step.opname == "IS_OP":
            joined = step.is_jump_target  # `x is (y if z else None)`
            constant = previous.argval if previous is not None and previous.opname == "LOAD_CONST" else ...
            none = constant is None
            if not joined and not step.arg and type(constant) is bool:
                yield Hazard(line, f"`is {constant}` (and so `case {constant}`)", _IS[0], _CASE)
            elif joined or not (none or _by_python(previous)):
                yield Hazard(line, "`is not`" if step.arg else "`is`", *_IS)
        elif step.opname == "PUSH_EXC_INFO":
            yield _handler(steps[at : at + 6], line)
        elif step.opname in ("STORE_ATTR", "DELETE_ATTR") and previous is not None and previous.opname == "LOAD_GLOBAL":
            name = f"the assignment of {previous.argval}.{step.argval}"
            yield Hazard(line, name, *_OUTSIDE, state=True)
        elif step.opname in _STORES:
            yield Hazard(line, f"the assignment of the global {step.argval}", *_OUTSIDE, state=True)
        elif step.opname in ("STORE_DEREF", "DELETE_DEREF"):
            if step.argval in code.co_freevars and not nested:
                yield Hazard(line, f"the assignment of the outer variable {step.argval}", *_OUTSIDE, state=True)
        elif step.opname in _LOADS:
            yield from loaded(code, str(step.argval), line, method and _asks_self(code, steps, at))
        elif step.opname == "LOAD_CONST" and asks_by_text(code):
            for name in names_in(step.argval):
                yield from loaded(code, name, line)
        previous = step


def _by_python(step: dis.Instruction | None) -> bool:
    """Whether an `is` after this instruction is Python's own: 3.14 asks whether `all` is still the one it knows."""
    return step is not None and step.opname == "LOAD_COMMON_CONSTANT"


def _handler(steps: Sequence[dis.Instruction], line: int) -> Hazard:
    """An exception handler, at the line of its `except` or `with` where it has one."""
    for step in steps:
        if step.opname in ("CHECK_EXC_MATCH", "WITH_EXCEPT_START"):
            name = "`except`" if step.opname == "CHECK_EXC_MATCH" else "`with`"
            return Hazard(line_at(step) or line, name, *_HANDLER)
    return Hazard(line, "`try`", *_HANDLER)


def loaded(code: CodeType, name: str, line: int, of_self: bool = False) -> Iterator[Hazard]:
    """What is refused of asking for an attribute of a name; `of_self` says that it is asked of the spec itself."""
    if name == "__class__" and not of_self:
        yield Hazard(line, ".__class__", "a value of the state is a symbol while it is traced", "use isinstance()")
    elif name in CHANGING:
        yield Hazard(line, f".{name}", "it reaches what is no variable", _OUTSIDE[1], state=True)
    elif _is_special(name) and name != "__class__" and (name != code.co_name or name in _NOT_ASKED | _TELLING):
        yield Hazard(line, f".{name}", "it goes round what values say of themselves", "use operators and functions")
    elif name in INSIDE:
        yield Hazard(line, f".{name}", "it belongs to how a spec is executed", "use the values themselves")


def _asks_self(code: CodeType, steps: Sequence[dis.Instruction], at: int) -> bool:
    """Whether the instruction before, or after, loads `self`, the first parameter: self.__class__, type(self)."""
    first = code.co_varnames[0] if code.co_argcount else ""
    beside = steps[at - 1] if steps[at].argval == "__class__" else steps[at + 1]
    if first != "self" or not beside.opname.startswith("LOAD_FAST") or beside.argval != first:
        return False
    return not stores(code, first)


@lru_cache(maxsize=4096)
def stores(code: CodeType, name: str) -> bool:
    """Whether a code object, or one in it, may give a local name another value."""
    steps = (step for inner in all_codes(code) for step in steps_of(inner))
    return any(step.opname.startswith(("STORE", "DELETE")) and step.argval == name for step in steps)


def asks_type_of_self(code: CodeType, name: str) -> bool:
    """Whether a method calls `type`, whatever name it has there, only as type(self)."""
    steps = steps_of(code)
    places = [i for i, s in enumerate(steps) if s.argval == name and s.opname in ("LOAD_GLOBAL", "LOAD_NAME")]
    return all(_asks_self(code, steps, at) and steps[at + 2].opname == "CALL" for at in places)


ASKED_FOR = frozenset({"getattr", "hasattr", "setattr", "delattr"})
MADE = frozenset({"attrgetter", "methodcaller"})
BY_TEXT = ASKED_FOR | MADE
"""Functions that take the name of an attribute as a text."""

FORMATS = frozenset({"format", "format_map", "vformat"})
"""Methods of texts that may look attributes up: "{0.name}"."""

_IDENTIFIER = re.compile(r"[^\W\d]\w*")


@lru_cache(maxsize=4096)
def asks_by_text(code: CodeType) -> bool:
    """Whether a code object may ask for attributes whose names stand in texts; patterns of `match` have such texts."""
    if not (BY_TEXT | FORMATS).isdisjoint(code.co_names):
        return True
    return any(isinstance(c, tuple) for c in code.co_consts) and dis.opmap["MATCH_CLASS"] in code.co_code[::2]


@lru_cache(maxsize=4096)
def texts(code: CodeType) -> frozenset[str]:
    """What could be a name in the texts of a code object: also in "a.b" and "{0.a}", and in tuples."""
    return frozenset(name for const in code.co_consts for name in names_in(const))


def names_in(const: Any) -> Iterator[str]:
    if isinstance(const, (tuple, frozenset)):
        for part in const:
            yield from names_in(part)
    elif isinstance(const, str):
        yield from _IDENTIFIER.findall(const)


@lru_cache(maxsize=4096)
def computes(code: CodeType, functions: frozenset[str]) -> bool:
    """Whether one of some functions of BY_TEXT or FORMATS may be given a text that does not stand there."""
    if functions.isdisjoint(code.co_names):
        return False
    steps = steps_of(code)
    asked = [at for at, s in enumerate(steps) if s.argval in functions and s.opname in _LOADS]
    return not all(_by_constant(steps, at) for at in asked)


def _by_constant(steps: Sequence[dis.Instruction], at: int) -> bool:
    """Whether a function of BY_TEXT or FORMATS is called at once, with a name or format that stands there."""
    asked = steps[at]
    if asked.argval in FORMATS:
        owner = steps[at - 1]
        return asked.opname in ("LOAD_GLOBAL", "LOAD_NAME") or isinstance(_constant(owner), str)
    return any(_constant_name(steps, asked, call) for call in range(len(steps)))


def _constant(step: dis.Instruction) -> Any:
    return step.argval if step.opname == "LOAD_CONST" else None


def _constant_name(steps: Sequence[dis.Instruction], asked: dis.Instruction, at: int) -> bool:
    """Whether the step at a place calls what `asked` loads, with a text that stands there as the name."""
    call, start = range_of(steps[at]), range_of(asked)
    if steps[at].opname != "CALL" or call is None or start is None or call[0] != start[0]:
        return False
    given = steps[at].arg or 0
    back = {"methodcaller": given, "setattr": given - 1, "getattr": given - 1}.get(str(asked.argval), 1)
    name = steps[at - max(back, 1)]
    return isinstance(_constant(name), str) and within(range_of(name), [call])


@lru_cache(maxsize=256)
def names_of_module(name: str) -> frozenset[str]:
    """Every name that the functions and methods of a module mention."""
    found: set[str] = set()
    todo: list[Any] = [v for v in vars(sys.modules[name]).values() if getattr(v, "__module__", None) == name]
    while todo:
        value = todo.pop()
        if isinstance(value, type):
            todo += vars(value).values()
        elif isinstance(value, CodeType):
            found.update(value.co_names, texts(value) if asks_by_text(value) else ())
            todo += value.co_consts
        else:
            function = getattr(value, "__func__", getattr(value, "fget", value))
            todo += [function.__code__] if isinstance(function, FunctionType) else []
    return frozenset(found)


def depends_on_values(error: TypeError) -> bool:
    """Whether an error may be due to what was handed over, and is not a mistake in the text: it was raised by a
    library, or in a call with *values."""
    trace = error.__traceback__
    while trace is not None:
        code, at = trace.tb_frame.f_code, trace.tb_lasti
        if of_library(code.co_filename):
            return True
        steps = () if is_ours(code.co_filename) else instructions(code)
        if any(step.offset == at and step.opname == "CALL_FUNCTION_EX" for step in steps):
            return True
        trace = trace.tb_next
    return False


CHANGING_METHODS = {"append", "appendleft", "extend", "extendleft", "insert", "pop", "popleft", "popitem", "remove"}
CHANGING_METHODS |= {"clear", "add", "discard", "update", "setdefault", "sort", "reverse", "rotate", "send", "throw"}
CHANGING_METHODS |= {"write", "writelines", "choose", "setattr", "delattr"}


def changes(code: CodeType) -> list[Hazard]:
    """What a function for a reader does that could change something; it is called only when a story is told."""
    why = ("narrate(lambda: ...) is called only when a story is told", "change it before, outside of narrate(...)")
    named = [(n, f".{n}(...)") for n in code.co_names if n in CHANGING_METHODS]
    stored = [(s.opname, "an assignment") for s in steps_of(code) if s.opname in _CHANGES]
    return [Hazard(code.co_firstlineno, text, *why) for _, text in named + stored]


_CHANGES = {"STORE_ATTR", "DELETE_ATTR", "STORE_SUBSCR", "DELETE_SUBSCR", "STORE_DEREF", "STORE_GLOBAL", "STORE_SLICE"}


@lru_cache(maxsize=4096)
def tested(code: CodeType) -> tuple[tuple[int, str], ...]:
    """The lines at which a name itself, or a tuple (which has no name), decides what is done."""
    steps, found = steps_of(code), list[tuple[int, str]]()
    for step, following, later in zip(steps, steps[1:], (*steps[2:], steps[-1]), strict=False):
        decides = later if following.opname == "COPY" else following
        if not decides.opname.startswith(_TESTS) or "NONE" in decides.opname:
            continue
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") or (step.opname == "BUILD_TUPLE" and step.arg):
            found.append((line_at(step) or 0, str(step.argval) if step.opname != "BUILD_TUPLE" else ""))
    return tuple(found)


_TESTS = ("POP_JUMP", "JUMP_IF", "TO_BOOL", "UNARY_NOT")


@lru_cache(maxsize=4096)
def stored(code: CodeType) -> frozenset[str]:
    """The names of the attributes that a code object may assign or delete."""
    if not _ATTRIBUTE_CODES & set(code.co_code[::2]):
        return texts(code) if "setattr" in code.co_names or "delattr" in code.co_names else frozenset()
    found = {str(s.argval) for s in steps_of(code) if s.opname in ("STORE_ATTR", "DELETE_ATTR")}
    return frozenset(found | (texts(code) if "setattr" in code.co_names else frozenset()))


_ATTRIBUTE_CODES = frozenset(dis.opmap[name] for name in ("STORE_ATTR", "DELETE_ATTR"))


def line_of(code: CodeType, name: str) -> int:
    """The first line of a code object, or of a function in it, that names something."""
    line = code.co_firstlineno
    for step in steps_of(code):
        line = line_at(step) or line
        if step.argval == name and isinstance(name, str):
            return line
    for inner in code.co_consts:
        if isinstance(inner, CodeType) and name in inner.co_names:
            return line_of(inner, name)
    return code.co_firstlineno


@lru_cache(maxsize=4096)
def global_names(code: CodeType) -> frozenset[str]:
    """What a code object loads as globals, and not just as attributes."""
    return frozenset(str(i.argval) for i in steps_of(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME"))


@lru_cache(maxsize=4096)
def as_values(code: CodeType) -> frozenset[str]:
    """The names that a code object loads, as variables or as attributes, and does not call at once."""
    found, steps = set[str](), instructions(code)
    for at, step in enumerate(steps):
        beside = steps[at - 1 if _NULL_FIRST else min(at + 1, len(steps) - 1)]
        called = "NULL" in step.argrepr or (step.opname != "LOAD_ATTR" and beside.opname == "PUSH_NULL")
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR") and not called:
            found.add(str(step.argval))
    return frozenset(found)


_NULL_FIRST = sys.version_info < (3, 13)
"""Whether what says that a call follows stands before what is called."""


def assigned(code: CodeType, names: set[str]) -> list[int]:
    """The lines at which a code object assigns an attribute of one of the names."""
    if names.isdisjoint(code.co_names):
        return []
    return [line_at(i) or 0 for i in steps_of(code) if i.opname == "STORE_ATTR" and i.argval in names]


@lru_cache(maxsize=4096)
def all_names(code: CodeType) -> frozenset[str]:
    """Every name that a code object, or one inside it, mentions, also as a text."""
    inner = [all_names(c) for c in code.co_consts if isinstance(c, CodeType)]
    return frozenset().union(code.co_names, texts(code), *inner)


def imports(code: CodeType) -> list[tuple[str, tuple[str, ...]]]:
    """(a module that a code object imports itself, with a dot for each level; what it takes out of it)."""
    if dis.opmap["IMPORT_NAME"] not in code.co_code[::2]:
        return []
    steps = steps_of(code)
    found = [(steps[at - 2].argval, steps[at - 1].argval, step) for at, step in enumerate(steps)]
    return [("." * level + str(s.argval), taken or ()) for level, taken, s in found if s.opname == "IMPORT_NAME"]


def place(code: CodeType, line: int) -> Where:
    """A line of a code object, as errors name it."""
    return describe(code.co_filename, line, code.co_name)


def line_at(step: dis.Instruction) -> int | None:
    return step.positions.lineno if step.positions is not None else None


# -- places ------------------------------------------------------------------------------------------------

Range = tuple[tuple[int, int], tuple[int, int]]


def range_of(step: dis.Instruction) -> Range | None:
    """From where to where the source of an instruction stands."""
    p = step.positions
    if p is None or None in (p.lineno, p.end_lineno, p.col_offset, p.end_col_offset):
        return None
    return (p.lineno, p.col_offset), (p.end_lineno, p.end_col_offset)  # type: ignore[return-value]


def within(inner: Range | None, outer: list[Range]) -> bool:
    """Whether a piece of source is a part of one of others."""
    return inner is not None and any(o[0] <= inner[0] and inner[1] <= o[1] for o in outer)


def is_of_pytest(path: str) -> bool:
    """Whether a file belongs to pytest, which writes `assert` anew so that its message shows the values."""
    pytest = getattr(sys.modules.get("_pytest"), "__file__", None)
    installed = f"-packages{os.sep}_pytest{os.sep}" in path
    return installed and pytest is not None and path.startswith(os.path.dirname(pytest) + os.sep)


_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_SPECS = tuple(os.path.join(_ROOT, room) + os.sep for room in ("specs", "model"))


def of_library(path: str) -> bool:
    """Whether a file is of Python's own library or an installed package, and so not of who wrote the spec.

    Specs, and what is in one package with them, are specs wherever they are installed; an executor of Spark may even
    unpack a user's files below PySpark.
    """
    return _installed(path) and not path.startswith(installed_specs())


@lru_cache(maxsize=4096)
def _installed(path: str) -> bool:
    return path.startswith(_libraries())


def installed_specs() -> tuple[str, ...]:
    """Where specs are installed among libraries: it fills as their classes are made."""
    return _specs(len(WRITTEN))


@lru_cache(maxsize=1)
def _specs(number: int) -> tuple[str, ...]:
    """Where specs are installed, of so many places where they are written; a file is no folder of libraries."""
    return (*_SPECS, *(place for place in WRITTEN if _installed(place) and place not in _libraries()))


@lru_cache(maxsize=1)
def _libraries() -> tuple[str, ...]:
    """The folders of Python's own library and of installed packages."""
    paths = sysconfig.get_paths()
    folders = {paths.get(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return tuple(folder + os.sep for folder in folders if folder)
