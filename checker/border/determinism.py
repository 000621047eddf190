"""A spec is the same whenever it is made: what is executed once, at the beginning, throws no dice and asks no clock.

Nobody sees `variables()`, the values of parameters, or the bodies of classes and modules once a spec is made; a verdict
on one that would be another spec the next time says nothing.
"""

from __future__ import annotations

import builtins
import enum
import sys
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from ..errors import EverystateError, from_here
from ..language import marks
from ..language.declarations import class_place
from ..language.domains import Domain
from ..language.integrity import Held, borrowed, noted
from ..language.methods import function_of
from ..language.spec import Spec
from ..language.values import RecordValue
from . import hooks
from .answers import Answers
from .environment import Asked, asked
from .nondeterminism import Begun, heard, know_others
from .ownership import beside, module_of, mro_of, user_class, vars_of
from .questions import Names, first
from .reach import Reach
from .takers import Takers


class Made(NamedTuple):
    """The modules that a spec is made of, and what is asked where it is made and names tell nobody who keeps it."""

    modules: list[ModuleType]
    asked: Asked | None


def check(spec: Spec, reach: Reach) -> Made:
    """E138 where making the spec depends on when, where or how often it is made."""
    _check_loaded(spec)
    know_others()
    seen: set[CodeType] = set()
    for code, names in functions(spec):
        question = first(code, names, seen)
        if question is not None:
            raise question.error
    heard_of, again, begun = None, spec, list[Begun]()
    try:
        again, begun = _made_again(spec)
    except EverystateError as error:
        heard_of = error  # told where nobody says by name whom it asks
    making = [*((code, None) for code in seen), *((code, names) for code, names in begun if not beside(code, names))]
    takers = Takers(spec, reach, making)
    answers = Answers(takers)
    for module in takers.modules:
        answers.check(module)
        for taking, _ in takers.codes_of(module):
            answers.check_taken(taking, module, spec)
    if heard_of is not None:
        raise heard_of
    _compare(spec, again)
    return Made(takers.modules, asked(takers))


def _check_loaded(spec: Spec) -> None:
    """E147 where a class of the spec comes of a file whose module is no longer there, or never was."""
    for cls in filter(user_class, mro_of(type(spec))):
        for function in map(function_of, vars_of(cls).values()):
            names = function.__globals__ if isinstance(function, FunctionType) else {}
            name, found = names.get("__name__"), names.get("__spec__")
            origin = getattr(found, "origin", None)
            if origin is not None and getattr(sys.modules.get(str(name)), "__spec__", None) is not found:
                shown = from_here(str(origin))
                raise EverystateError("E147", class_place(cls), spec=cls.__name__, file=shown, module=name)


# -- what is executed ------------------------------------------------------------------------------------------


def functions(spec: Spec) -> Iterator[tuple[CodeType, Names]]:
    """The methods that make a spec, and the functions that decorators name."""
    ranging = spec.marked(marks.ACTION, marks.REACHABLE, *marks.TEMPORAL)
    given = [value for found in ranging for value in found.mark.parameters.values()]
    made = [vars(base).get("variables") for base in type(spec).__mro__]
    methods = [found.method for found in spec.marked(marks.ASSUMPTION)]
    for function in map(function_of, (*made, *methods, *given)):
        if isinstance(function, FunctionType):
            yield function.__code__, function.__globals__


# -- what comes of it ------------------------------------------------------------------------------------------


def _made_again(spec: Spec) -> tuple[Spec, list[Begun]]:
    """A spec, made once more, and the code that began meanwhile, with its globals."""
    builtin = dict(vars(builtins))
    notes: list[Held] = [*noted(), *borrowed()]
    made, begun = heard(lambda: type(spec)(**spec.constants), lambda: class_place(type(spec)))
    hooks.check_replaced(sys.modules.get(module_of(type(spec))), notes, builtin)
    return made, begun


def _compare(spec: Spec, made: Spec) -> None:
    """E138 where the spec, made once more, is another one."""
    once, again = _parts(spec), _parts(made)
    for what in dict.fromkeys((*once, *again)):
        if what not in once or what not in again or once[what] != again[what]:
            reason = f"{what} is not what it was"
            raise EverystateError("E138", class_place(type(spec)), reason=reason)


def _parts(spec: Spec) -> dict[str, Any]:
    """What makes a spec: variables, derived constants, whether it may end, actions and properties, to be compared."""
    found = {name: _told(domain) for name, domain in spec.domains.items()} | {"may_terminate": spec._ends}
    own = {name: value for name, value in vars(spec).items() if not name.startswith("_")}
    found |= {name: _told(value) for name, value in own.items() if name not in ("instances", "properties")}
    for number, instance in enumerate(spec.instances):
        found[f"instance {number} of the actions"] = (instance.name, _told(instance.arguments))
    for number, prop in enumerate(spec.properties):
        found[f"property {number}"] = (prop.name, _told(prop.arguments))
    return found


def _told(value: Any) -> Any:
    """A value as something to compare; of objects of an author's own only the class."""
    if isinstance(value, Domain):
        inner = [getattr(value, name, None) for name in ("element", "fields", "members", "keys")]
        return type(value), repr(value), _told(value.init), [_told(part) for part in inner]
    if isinstance(value, (int, float, complex, str, bytes, range, type(None))):
        return type(value), repr(value)
    if isinstance(value, enum.Enum):
        return type(value), value.name
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(map(repr, map(_told, value)))
    if isinstance(value, Mapping):
        return type(value), [(_told(k), _told(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [_told(part) for part in value]
    if isinstance(value, RecordValue):
        return type(value), _told(vars(value))
    values = getattr(value, "values", None)
    return type(value), _told(values) if isinstance(values, tuple) else None
