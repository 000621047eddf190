"""What a spec may reach of Python and its library, and what is refused, with the reasons."""

from __future__ import annotations

import enum
import operator
import re
import types
import typing
from collections import deque
from decimal import Decimal
from fractions import Fraction

from ..language import marks
from ..language.domains import Domain
from ..language.marks import Constant
from ..language.methods import Method

TRUSTED = {
    "_collections_abc",
    "_weakrefset",
    "abc",
    "bisect",
    "collections",
    "collections.abc",
    "copy",
    "dataclasses",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "numbers",
    "operator",
    "reprlib",
    "types",
    "typing",
}
"""Modules of Python's library that were read: what they do with symbols is what they do with values."""

COMPUTING = {"_bisect", "_collections", "_functools", "_heapq", "_operator", "builtins", "itertools", "math"}
"""Modules in C whose functions ask values by the protocols of Python only."""

REFUSED = {
    "__import__": "what it loads cannot be examined",
    "breakpoint": "it stops the search",
    "compile": "code that does not exist yet cannot be examined",
    "dir": "a value of the state is a symbol while it is traced",
    "eval": "code that does not exist yet cannot be examined",
    "exec": "code that does not exist yet cannot be examined",
    "globals": "it goes round what is examined",
    "hash": "that of a text differs from one run of Python to the next",
    "id": "it is where Python keeps an object, not its value",
    "input": "what it returns is no part of the state",
    "is_": "it compares which objects Python holds, not their values",
    "is_not": "it compares which objects Python holds, not their values",
    "locals": "it goes round what is examined",
    "memoryview": "a value of the state is a symbol while it is traced",
    "open": "what it returns is no part of the state",
    "type": "a value of the state is a symbol while it is traced",
    "vars": "a value of the state is a symbol while it is traced",
}
UNLIKE = {
    *("__bool__", "__class_getitem__", "__getattr__", "__getnewargs__", "__orig_bases__", "__setstate__"),
    *(f"__{r}{name}__" for name in ("and", "or", "sub", "xor") for r in ("", "r")),
    *("__contains__", "__hash__"),
}
"""Special methods that some symbol has and the value that it stands for has not, or the other way round."""

_DICE = ("it throws dice", "use choose(...)")
_PATTERNS = (
    "it keeps patterns in a cache",
    "compile the pattern where the spec begins, PATTERN = re.compile(...), and use PATTERN.match(str(...))",
)
_TEXT = (
    "it is machine code that wants plain values",
    "compare the values themselves; narrate(...) tells them",
)
_LOG = ("where it writes to is no part of the state", "tell it with narrate(...)")
_CLOCK = ("it depends on when it is executed", "make time a variable, and its passing an action")
_MACHINE = ("what it does or returns depends on the machine", "compute it in variables(), or make it a variable")
DEPENDS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("re",), _PATTERNS),
    **dict.fromkeys(("json", "pickle", "_pickle", "marshal", "pprint"), _TEXT),
    **dict.fromkeys(("logging", "warnings", "_warnings"), _LOG),
    **dict.fromkeys(("random", "_random", "secrets", "uuid"), _DICE),
    **dict.fromkeys(("time", "datetime", "_datetime"), _CLOCK),
    **dict.fromkeys(("importlib", "runpy"), ("what it loads cannot be examined", "import it where the spec begins")),
    **dict.fromkeys(("os", "posix", "io", "_io", "pathlib", "socket", "subprocess", "threading", "_thread"), _MACHINE),
}
"""Modules of Python's library whose functions depend on more than their arguments: why, and what to do."""

INTERNAL = tuple(__name__.split(".border")[0] + part for part in (".ir", ".border", ".engines", ".backends"))
"""Our own packages that know how a spec is executed."""

CHANGING = {"breakpoint", "compile", "eval", "exec", "globals", "hash", "input", "locals", "open", "vars"}
"""Those of REFUSED that depend on, or reach, what is no part of the state."""
INSTEAD = {"type": "use isinstance(), or type(self) for the spec itself", "hash": "use the value itself"}

NO_CACHE = ("call the function only", "E232")
NO_PRINT = ("leave sys.stdout alone", "E232")

IMPLICIT = ("keys", "write", "flush", "mro")
"""Methods without a special name that Python's own functions in C call: dict(), print(), the making of a class."""

OF_EXCEPTIONS: tuple[str, ...] = ("args", "value", "code", "name", "path", "msg", "filename", "errno", "strerror")
OF_EXCEPTIONS += ("filename2", "obj", "reason", "start", "end", "object", "encoding", "characters_written")
OF_EXCEPTIONS += ("lineno", "offset", "text", "end_lineno", "end_offset", "print_file_and_line", "name_from")
OF_EXCEPTIONS += ("message", "exceptions")
"""The fields that exceptions have in C."""

EVALUATING = ("evaluate", "get_type_hints", "_eval_type", "_evaluate", "evaluate_forward_ref")

LAZY = ("__annotate__", "__annotate_func__", "__annotations_cache__", "__conditional_annotations__")
"""Where Python 3.14 keeps annotations, and the functions that make them: nobody may ask for these by any name."""

EVALUATES = ("it evaluates texts", "name the types themselves")

EVALUATED = (typing.ForwardRef,)
"""Annotations that could not be made, as dataclasses keep them since Python 3.14: texts, unless they are evaluated."""

ASKING = (operator.attrgetter, operator.methodcaller)

OWN = (
    "_frame",
    "_assumed",
    "_declared",
    "_variables",
    "_constants",
    "_declaring",
    "_refinements",
    "_step_bounds",
    "instances",
    "properties",
)
"""The attributes that a spec has from us."""

EXECUTED = (
    *(marks.ACTION, marks.INITIAL, marks.INVARIANT, marks.STEP_INVARIANT, marks.REACHABLE, *marks.TEMPORAL),
    *(marks.CONSTRAINT, marks.VIEW, marks.LEMMA, marks.REFINEMENT, marks.ACTION_CONSTRAINT),
)
"""The kinds of methods that are executed while a spec is checked."""

DATA: tuple[type, ...] = (
    int,
    float,
    complex,
    str,
    bytes,
    range,
    slice,
    re.Pattern,
    Fraction,
    Decimal,
    enum.Enum,
    type(None),
)
DATA += (type(Ellipsis), type(NotImplemented), Domain, Constant, property, types.GenericAlias)
HOLDING: tuple[type, ...] = (property, slice, types.GenericAlias, Constant)
"""Those of DATA that may hold anything."""
CONTAINERS = (list, tuple, set, frozenset, deque)
MAPPINGS = (dict, types.MappingProxyType)
UNORDERED: tuple[type, ...] = (set, frozenset, type({}.keys()), type({}.items()))
"""What may be in another order with the next start of Python; views of dictionaries as far as operators make sets."""

SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
WRAPPERS = (types.WrapperDescriptorType, types.MethodWrapperType)
FUNCTIONS = (types.FunctionType, Method, staticmethod, classmethod)
SCALARS = frozenset({int, float, complex, str, bytes, bool, type(None)})
