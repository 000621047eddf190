"""Spec: a specification as an ordinary Python class.

Creating an instance fixes the constants, runs `variables()` once to learn the state, and lists the action
instances and properties. The instance then runs concretely (`initial_states()`, `successors(state)`), and
engines read the same lists to trace it.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import EverystateError, place_of, suggestion, user_place
from . import marks
from .domains import Cell, Domain, as_domain, options
from .machine import Frame
from .marks import Constant, Mark
from .record import Record

if TYPE_CHECKING:
    from .concrete import Step
    from .state import State


@dataclass(frozen=True)
class ActionInstance:
    """An action with one value for each of its parameters."""

    name: str
    arguments: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{n}={_show(v)}' for n, v in self.arguments)})"


@dataclass(frozen=True)
class Property:
    """A method that says something about states: its kind (see marks), name and the author's sentence."""

    kind: str
    name: str
    text: str


class Spec:
    """Base class of specifications; see the module text."""

    may_terminate: bool = False
    """Whether a state without successors is an end (True) or a deadlock, which is an error (False)."""

    def __init__(self, **constants: Any) -> None:
        self._frame: Frame | None = None
        self._variables: dict[str, Domain] = {}
        self._constants = self._bind(constants)
        self._check_assumptions()
        self._declare()
        self.instances = self._list_instances()
        self.properties = list(self._list_properties())
        if not self._variables:
            raise EverystateError("E111", class_place(type(self)), spec=type(self).__name__)
        if not self.instances:
            raise EverystateError("E110", class_place(type(self)), spec=type(self).__name__)

    def __init_subclass__(cls) -> None:
        if "__init__" in vars(cls):
            raise EverystateError("E120", class_place(cls), spec=cls.__name__)
        taken = {n for n in vars(Spec) if not n.startswith("_")} - {"variables", "may_terminate"}
        for name in taken & vars(cls).keys():
            other = "something that every spec has"
            raise EverystateError("E116", class_place(cls), spec=cls.__name__, name=name, other=other)

    def variables(self) -> None:
        """Declare the state: self.name = Domain(...). Other assignments become derived constants."""

    # -- what a user calls ---------------------------------------------------------------------------------

    def initial_states(self) -> list[State]:
        """Every initial state; duplicates stay."""
        from .concrete import initial_states

        return initial_states(self)

    def successors(self, state: State) -> list[Step]:
        """Every step that is enabled in a state, in the order in which the actions are written."""
        from .concrete import successors

        return successors(self, state)

    def holds(self, name: str, state: State, before: State | None = None) -> bool:
        """Whether a property holds in a state (a step invariant also needs the state before)."""
        from .concrete import evaluate

        return bool(evaluate(self, name, state, before).value)

    def shown(self, state: State) -> dict[str, Any]:
        """What the methods marked @display make of a state: tables by title, or groups of them."""
        from .concrete import evaluate

        found: dict[str, Any] = {}
        for name, _, mark in _marked(type(self)):
            if mark.kind == marks.DISPLAY:
                found.update(evaluate(self, name, state).value)
        return found

    @classmethod
    def title(cls) -> str:
        """The first line of the docstring."""
        return next(iter((inspect.getdoc(cls) or "").strip().splitlines()), "")

    # -- what engines read ---------------------------------------------------------------------------------

    @property
    def constants(self) -> dict[str, Any]:
        """The value of every constant."""
        return dict(self._constants)

    @property
    def domains(self) -> dict[str, Domain]:
        """The domain of every variable, in the order of declaration."""
        return self._variables

    def state_cells(self) -> list[Cell]:
        """The integer cells of a state, in order."""
        return list(itertools.chain.from_iterable(d.cells(n) for n, d in self._variables.items()))

    def named(self, kind: str) -> list[str]:
        """The names of the methods of one kind, in the order of definition."""
        return [p.name for p in self.properties if p.kind == kind]

    def fairness(self, instance: ActionInstance) -> str:
        """What is assumed of an action: weak fairness, strong fairness, or nothing, which is empty."""
        return getattr(getattr(type(self), instance.name), "__fairness__", "")

    def method(self, instance: ActionInstance) -> Callable[[], None]:
        """An action instance as a function without arguments, to be executed under `reading(frame)`."""
        bound = getattr(self, instance.name)
        return lambda: bound(**dict(instance.arguments))

    @contextlib.contextmanager
    def reading(self, frame: Frame) -> Iterator[None]:
        """Read and write variables through `frame` in the body."""
        outer = self._frame
        object.__setattr__(self, "_frame", frame)
        try:
            yield
        finally:
            object.__setattr__(self, "_frame", outer)

    # -- attribute access ----------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in self._variables:
            if self._frame is None:
                raise EverystateError("E213", user_place(), name=name)
            return self._frame.read(name)
        hint = suggestion(name, [*self._variables, *self._constants])
        if self._frame is not None:
            raise EverystateError("E201", user_place(), spec=type(self).__name__, name=name, suggestion=hint)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("instances", "properties"):
            object.__setattr__(self, name, value)
        elif self.__dict__.get("_declaring"):
            self._declare_one(name, value)
        elif self._frame is not None and name in self._variables:
            self._frame.write(name, value)
        elif name in self._variables:
            raise EverystateError("E213", user_place(), name=name)
        else:
            hint = suggestion(name, list(self._variables))
            raise EverystateError("E201", user_place(), spec=type(self).__name__, name=name, suggestion=hint)

    # -- construction --------------------------------------------------------------------------------------

    @classmethod
    def declared_constants(cls) -> dict[str, Constant[Any]]:
        """The constants of the class, in the order of definition."""
        found: dict[str, Constant[Any]] = {}
        for base in reversed(cls.__mro__):
            found.update({n: v for n, v in vars(base).items() if isinstance(v, Constant)})
        return found

    @classmethod
    def _bind(cls, given: dict[str, Any]) -> dict[str, Any]:
        declared = cls.declared_constants()
        for name, value in given.items():
            if name not in declared:
                hint, names = suggestion(name, list(declared)), ", ".join(declared) or "(it has none)"
                raise EverystateError("E107", None, spec=cls.__name__, name=name, suggestion=hint, names=names)
            default = declared[name].default
            if type(value) is not type(default):
                expected = {int: "a whole number", bool: "True or False", str: "a text"}.get(
                    type(default), f"a {type(default).__name__}"
                )
                raise EverystateError(
                    "E108", None, spec=cls.__name__, name=name, value=value, expected=expected, default=default
                )
        return {name: given.get(name, constant.default) for name, constant in declared.items()}

    def _check_assumptions(self) -> None:
        for name, method, mark in _marked(type(self)):
            if mark.kind != marks.ASSUMPTION:
                continue
            try:
                held = method(self)
            except EverystateError:
                raise
            except Exception as error:
                raise self._failed("E117", error, name=name) from error
            if not held:
                doc = _sentence(method) or "the author requires it"
                text = ", ".join(f"{n}={v!r}" for n, v in self._constants.items())
                raise EverystateError(
                    "E112", method_place(method), name=name, spec=type(self).__name__, constants=text, doc=doc
                )

    def _failed(self, code: str, error: Exception, **facts: Any) -> EverystateError:
        text = f"{type(error).__name__}: {error}"
        return EverystateError(code, place_of(error.__traceback__), spec=type(self).__name__, error=text, **facts)

    def _declare(self) -> None:
        self._declaring = True
        try:
            self.variables()
        except EverystateError:
            raise
        except Exception as error:
            raise self._failed("E113", error) from error
        finally:
            del self.__dict__["_declaring"]

    def _declare_one(self, name: str, value: Any) -> None:
        if isinstance(value, Domain) or (isinstance(value, type) and issubclass(value, Record)):
            known = getattr(type(self), name, None)
            if known is not None or name in ("instances", "properties"):
                other = "a constant" if isinstance(known, Constant) else "a method or attribute of the class"
                raise EverystateError("E116", user_place(), spec=type(self).__name__, name=name, other=other)
            self._variables[name] = as_domain(value)
        else:
            self.__dict__[name] = value

    def _list_instances(self) -> list[ActionInstance]:
        found: list[ActionInstance] = []
        for name, method, mark in _marked(type(self)):
            if mark.kind != marks.ACTION:
                continue
            parameters = list(inspect.signature(method).parameters)[1:]
            for parameter in (*parameters, *mark.parameters):
                if parameter not in mark.parameters or parameter not in parameters:
                    raise EverystateError(
                        "E114", method_place(method), spec=type(self).__name__, name=name, parameter=parameter
                    )
            ranges = [self._range(method, p, mark.parameters[p]) for p in parameters]
            for values in itertools.product(*ranges):
                found.append(ActionInstance(name, tuple(zip(parameters, values, strict=True))))
        return found

    def _range(self, method: Callable[..., Any], parameter: str, given: Any) -> list[Any]:
        try:
            if isinstance(given, str):
                given = getattr(self, given)
            elif callable(given) and not isinstance(given, type):
                given = given(self)
            return list(options(given))
        except EverystateError:
            raise
        except Exception as error:
            facts = {"spec": type(self).__name__, "name": method.__name__, "parameter": parameter}
            text = f"{type(error).__name__}: {error}"
            raise EverystateError("E119", method_place(method), **facts, error=text) from error

    def _list_properties(self) -> Iterator[Property]:
        views, temporal = [], ""
        for name, method, mark in _marked(type(self)):
            if mark.kind != marks.ACTION and hasattr(method, "__fairness__"):
                raise EverystateError("E123", method_place(method), spec=type(self).__name__, name=name, kind=mark.kind)
            views += [method] if mark.kind == marks.VIEW else []
            temporal = temporal or (name if mark.kind in marks.TEMPORAL else "")
            if mark.kind not in (marks.ACTION, marks.ASSUMPTION, marks.DISPLAY):
                _check_property(type(self).__name__, name, method, mark.kind)
                yield Property(mark.kind, name, _sentence(method))
        if views and temporal:
            raise EverystateError("E124", method_place(views[0]), spec=type(self).__name__, name=temporal)


def _check_property(cls_name: str, name: str, method: Callable[..., Any], kind: str) -> None:
    """E121 for a property with the wrong parameters, E122 for a reserved name."""
    if name in ("deadlock", "error"):
        raise EverystateError("E122", method_place(method), spec=cls_name, name=name)
    given = list(inspect.signature(method).parameters)[1:]
    expected = ["before"] if kind == marks.STEP_INVARIANT else []
    if len(given) != len(expected):
        facts = {"given": ", ".join(given) or "nothing", "expected": ", ".join(expected) or "nothing"}
        signature = ", ".join(["self", *expected])
        article = f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"
        raise EverystateError(
            "E121", method_place(method), spec=cls_name, name=name, kind=article, signature=signature, **facts
        )


def _marked(cls: type) -> Iterator[tuple[str, Callable[..., Any], Mark]]:
    names: dict[str, None] = {}
    for base in reversed(cls.__mro__):
        names.update(dict.fromkeys(n for n, v in vars(base).items() if hasattr(v, "__everystate__")))
    for name in names:
        method = getattr(cls, name)
        mark = getattr(method, "__everystate__", None)
        if mark is not None:
            yield name, method, mark


def _sentence(method: Callable[..., Any]) -> str:
    return " ".join((inspect.getdoc(method) or "").split("\n\n")[0].split())


def method_place(method: Callable[..., Any]) -> Any:
    """Where a method is defined."""
    from ..errors import describe

    code = method.__code__
    return describe(code.co_filename, code.co_firstlineno, code.co_name)


def class_place(cls: type) -> Any:
    """Where a class is defined, as far as Python knows."""
    from ..errors import describe

    try:
        return describe(inspect.getsourcefile(cls) or "?", inspect.getsourcelines(cls)[1], cls.__name__)
    except (OSError, TypeError):
        return None


def _show(value: Any) -> str:
    return str(getattr(value, "name", value))
