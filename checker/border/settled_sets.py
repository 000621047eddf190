"""Where a plain set meets a Set of the state, which has no order: nobody can go through such a set in between.

`self.SET = {...}`, `self.SETS[i] = {...}`, `self.SET | {...}`, `self.SET == {...}`, and `x in {...}`, in a method of
the spec. What stands on the other side must be seen to be a variable that is a Set: a sequence is extended by a set in
the order of that, and an object of a user may do with it what it likes.
"""

from __future__ import annotations

import builtins
import functools
import itertools
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dis import Instruction
from types import BuiltinFunctionType, CodeType, FunctionType

from ..errors import is_ours, name_of
from ..language.composite_domains import Array, Map, Seq, Set
from ..language.domains import Domain
from ..language.methods import Method
from ..language.spec import Spec
from .bytecode import asks_by_text, steps_of, stores, texts
from .imports import below
from .ownership import module_file, module_of
from .sources import all_codes, body_of, is_function

Place = tuple[str, int, str]
"""Where a code object stands: the same one may be compiled twice."""
_LOADS = {"LOAD_FAST", "LOAD_DEREF", "LOAD_GLOBAL", "LOAD_CONST"}


def place_of(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno, code.co_qualname


class Sets:
    """The sets of the state, as methods of a spec see them: by how many indices after `self.NAME` they are found."""

    def __init__(self, spec: Spec) -> None:
        depths = {name: _depth(domain) for name, domain in spec.domains.items()}
        self.depths = {name: depth for name, depth in depths.items() if depth is not None}
        self._spec = spec

    @functools.cached_property
    def methods(self) -> set[Place]:
        """Those whose first parameter is the spec."""
        return {place_of(code) for code in _methods(self._spec)}

    def within(self, code: CodeType) -> Settled:
        """What a code object does with sets."""
        me = code.co_varnames[0] if place_of(code) in self.methods and code.co_argcount else ""
        return Settled(self.depths if me and not stores(code, me) else {}, me)


class Settled:
    """Whether a plain set that is made at some instruction of a code object is settled at once."""

    def __init__(self, depths: Mapping[str, int], me: str) -> None:
        self.depths, self.me = depths, me

    def at(self, steps: Sequence[Instruction], at: int, after: int) -> bool:
        """`after` is the place of the instruction that has the set on top of the stack, which the one at `at` makes."""
        if after >= len(steps):
            return False
        user = steps[after].opname
        if user == "CONTAINS_OP":
            return True
        if user in ("COMPARE_OP", "BINARY_OP"):
            start = _start(steps, at)
            return start is not None and self._stands_before(steps, start, after)
        return self._is_stored(steps, after)

    def _is_stored(self, steps: Sequence[Instruction], at: int) -> bool:
        """Whether what is on top of the stack becomes `self.NAME`, or `self.NAME[i][j]`."""
        if not self._is_me(steps[at]) or self.depths.get(steps[at + 1].argval) is None:
            return False
        depth = self.depths[steps[at + 1].argval]
        following = [step.opname for step in steps[at + 1 : at + 2 + 2 * depth]]
        if not depth:
            return following == ["STORE_ATTR"]
        simple = all(opname in _LOADS for opname in following[1::2])
        return simple and following[::2] == ["LOAD_ATTR", *["BINARY_SUBSCR"] * (depth - 1), "STORE_SUBSCR"]

    def _stands_before(self, steps: Sequence[Instruction], end: int, user: int) -> bool:
        """Whether the instructions before `end` load a Set of the state, and no jump leads past them."""
        at, depth = end - 1, 0
        while steps[at].opname == "BINARY_SUBSCR":
            at -= 3 if steps[at - 1].opname == steps[at - 2].opname == "COPY" else 1  # `self.NAME[i] |= ...`
            if steps[at].opname not in _LOADS:
                return False
            at, depth = at - 1, depth + 1
        read = steps[at].opname == "LOAD_ATTR" and self.depths.get(steps[at].argval) == depth
        at -= 2 if steps[at - 1].opname == "COPY" else 1  # `self.NAME |= ...`
        return read and self._is_me(steps[at]) and not any(step.is_jump_target for step in steps[at + 1 : user + 1])

    def _is_me(self, step: Instruction) -> bool:
        return bool(self.me) and step.opname in ("LOAD_FAST", "LOAD_DEREF") and step.argval == self.me


NOWHERE = Settled({}, "")
"""Of code that is no method of the spec."""


def _start(steps: Sequence[Instruction], at: int) -> int | None:
    """The first of the instructions that make a set, None where they are not simple."""
    if steps[at].opname == "SET_UPDATE":
        return at - 2 if (steps[at - 2].opname, steps[at - 2].arg) == ("BUILD_SET", 0) else None
    if steps[at].opname != "BUILD_SET":
        return at if steps[at].opname in ("LOAD_CONST", "LOAD_GLOBAL", "LOAD_NAME") else None
    for _ in range(steps[at].arg or 0):
        at -= 1
        while steps[at].opname == "LOAD_ATTR":
            at -= 1
        if steps[at].opname not in _LOADS:
            return None
    return at


def _depth(domain: Domain) -> int | None:
    """How many indices lead to a Set in a domain, None where none do."""
    depth = 0
    while isinstance(domain, (Array, Map, Seq)):
        domain, depth = domain.element, depth + 1
    return depth if isinstance(domain, Set) else None


def _methods(spec: Spec) -> Iterator[CodeType]:
    """The methods that stand in the bodies of a spec's classes; the first parameter of these is the spec.

    What is taken from the class is called on nothing else (E230) once the spec is made. One that was put into it from
    elsewhere may be, one that its body has handed to somebody, as to a decorator, and one of which anybody else knows
    the name, or looks for names.
    """
    found = [(cls, code) for cls in type(spec).__mro__ for code in _in_body(cls)]
    known = _known({place_of(code) for _, code in found}, spec)
    if known is None:
        return
    for cls, code in found:
        if code.co_name not in known and code.co_name not in _handed_on(cls):
            yield code


def _in_body(cls: type) -> Iterator[CodeType]:
    for value in vars(cls).values():
        found = value.fget if isinstance(value, property) else value
        found = found.wrapped if isinstance(found, Method) else found
        if isinstance(found, FunctionType) and found.__code__.co_qualname == f"{cls.__qualname__}.{found.__name__}":
            yield found.__code__


_LOOKING = {"vars", "dir", "__dict__", "getmembers", "__init_subclass__", "attrgetter", "methodcaller", "globals"}
_LOOKING |= {"__getattribute__", "eval", "exec", "mro", "__mro__", "get_objects", "get_referents", "get_referrers"}


def _known(methods: Collection[Place], spec: Spec) -> set[str] | None:
    """The names that a spec's modules, and those that they import, have in texts, or ask of others than `self`; None
    where somebody looks for names."""
    found = set[str]()
    classes = {f"{module_of(cls)}.{cls.__qualname__}" for cls in type(spec).__mro__}
    homes = [sys.modules[name] for name in map(module_of, type(spec).__mro__) if name in sys.modules]
    for module in below(homes):
        body = body_of(module)
        for code in all_codes(body) if body is not None else ():
            if not _LOOKING.isdisjoint(code.co_names):
                return None
            found |= texts(code) if asks_by_text(code) or code is body else set()
            if place_of(code) in methods:
                found.update(_of_others(code))
            elif f"{name_of(module)}.{code.co_qualname}" not in classes:
                found.update(code.co_names)
    return found


def _of_others(code: CodeType) -> Iterator[str]:
    """The names that a method has, but for attributes of its `self`."""
    me = code.co_varnames[0] if code.co_argcount else ""
    own = me if me and not stores(code, me) else ""
    for before, step in itertools.pairwise(steps_of(code)):
        of_me = own and before.opname in ("LOAD_FAST", "LOAD_DEREF") and before.argval == own
        if isinstance(step.argval, str) and not of_me:
            yield step.argval


def _handed_on(cls: type) -> set[str]:
    """The methods that the body of a class hands to somebody who is not ours, so that he may keep them."""
    module = sys.modules.get(module_of(cls))
    body = body_of(module) if module is not None else None
    bodies = [] if body is None else [code for code in all_codes(body) if code.co_qualname == cls.__qualname__]
    return {name for code in bodies if not is_function(code) for name in _handed(code, vars(module))}


def _handed(body: CodeType, names: Mapping[str, object]) -> Iterator[str]:
    strange, made = False, set[str]()
    for step in steps_of(body):
        if step.opname in ("LOAD_NAME", "LOAD_GLOBAL", "LOAD_DEREF"):
            strange |= not _is_ours(names.get(step.argval, vars(builtins).get(step.argval)))
            if step.argval in made:
                yield step.argval
        elif step.opname in ("BINARY_SUBSCR", "LOAD_ATTR", "LOAD_METHOD"):
            strange = True
        elif step.opname == "STORE_NAME":
            made.add(step.argval)
            if strange:
                yield step.argval
            strange = False
        elif step.opname == "POP_TOP":
            strange = False


def _is_ours(value: object) -> bool:
    """Whether something keeps no function that it is called with: a mark, what a mark may be given, or plain data."""
    kind = value if isinstance(value, type) else type(value)
    code = getattr(value, "__code__", None) if isinstance(value, FunctionType) else None
    if code is not None:
        return is_ours(code.co_filename)
    return isinstance(value, _PLAIN) or kind in (property, BuiltinFunctionType) or is_ours(module_file(kind))


_PLAIN = (int, str, range, tuple, list, frozenset)
