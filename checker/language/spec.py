"""Spec: a specification as an ordinary Python class.

Creating an instance fixes the constants, runs `variables()` once to learn the state, and lists the action
instances and properties. The instance then runs concretely (`initial_states()`, `successors(state)`), and
engines read the same lists to trace it.
"""

from __future__ import annotations

import inspect
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ..errors import EverystateError, note_written, place_of, suggestion, user_place
from . import marks, variables
from .annotations import signature_of
from .conditions import check_returned, kind_of, with_article
from .content import is_known
from .declarations import (
    ActionInstance,
    Declared,
    Declaring,
    Property,
    class_place,
    declared,
    method_name,
    method_place,
    parameters_of,
    takes_anything,
)
from .displays import tables
from .domains import Cell, Domain, as_domain, fresh, options, shown
from .fairness import Disjunction, disjunctions
from .formulas import is_formula
from .machine import Disabled, Frame, Reading
from .marks import Constant, Constants
from .misspellings import check_assigned, check_forgotten, check_words, domain_for, no_variable
from .origin import Origin
from .refinement import Refinement, refinement
from .reserved_names import check_class, check_variables

if TYPE_CHECKING:
    from .concrete import Step
    from .state import State


class Spec(metaclass=Declaring):
    """Base class of specifications: constants, `variables()`, actions and properties.

    An instance fixes the constants by name: `Counter(most=5)`. It can be executed as plain Python, `initial_states()`
    and `successors(state)`, and `everystate.check` visits all its states. EverystateError, with code and place, where
    the class is no spec or a constant has a wrong value (E107, E108).

        class Counter(Spec):
            most = Constant(3, "where it stops")

            def variables(self) -> None:
                self.n = Int(0, self.most)

            @action
            def up(self) -> None:
                require(self.n < self.most)
                self.n += 1

            @invariant
            def stays_low(self) -> bool:
                return self.n < 3
    """

    may_terminate: bool = False
    """Whether a state without successors is an end (True) or a deadlock, which is an error (False)."""
    conformance: str = ""
    """The driver for comparison with a real system, as package.module:NAME (see conformance.py); "" for none."""

    def __init__(self, **constants: Any) -> None:
        check_class(type(self), Spec)
        self._frame: Frame | None = None
        self._assumed: tuple[str, ...] = ()
        self._declared = {found.name: found for found in declared(type(self))}
        self._variables: dict[str, Domain] = {}
        self._constants = self._bind(constants)
        self._check_assumptions()
        self._declare()
        if not is_known(self):
            check_assigned(self)
            check_forgotten(self)
        self._ends = self._whether_it_ends()
        self.instances = self._list_instances()
        self.properties = list(self._list_properties())
        self._refinements = self._list_refinements()
        self._step_bounds = tuple(self._named(marks.ACTION_CONSTRAINT))
        if not self._variables:
            raise no_variable(self)
        if not self.instances:
            detail = "".join(f": {said}" for said in _disabled("action", "actions", self._empty(marks.ACTION)))
            raise EverystateError("E110", class_place(type(self)), spec=type(self).__name__, detail=detail)
        self._fairness()

    _origin = Origin()
    """The model that the class was translated from, if it was."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        check_class(cls, Spec)
        check_words(cls)
        note_written(sys.modules.get(cls.__module__))

    def variables(self) -> None:
        """Declare the state: self.name = Domain(...). Other assignments become derived constants."""

    # -- public methods ------------------------------------------------------------------------------------

    def initial_states(self) -> list[State]:
        """Every initial state; duplicates stay."""
        from .concrete import initial_states

        return initial_states(self)

    def successors(self, state: State) -> list[Step]:
        """Every step that is enabled in a state, in the order in which the actions are written."""
        from .concrete import successors

        return successors(self, state)

    def property_holds(self, name: str, state: State, before: State | None = None) -> bool:
        """Whether a property holds in a state (a step invariant also needs the state before)."""
        from .concrete import evaluate

        value = evaluate(self, name, state, before).value
        return is_formula(value) or bool(value)  # a formula is about traces

    def _shown(self, state: State) -> dict[str, Any]:
        """What the methods marked @display make of a state: tables by title, or groups of them; else E225."""
        from .concrete import evaluate

        found: dict[str, Any] = {}
        for method in self._marked(marks.DISPLAY):
            found.update(tables(evaluate(self, method.name, state).value, method))
        return found

    @classmethod
    def _title(cls) -> str:
        """The first line of the docstring, empty where a spec has none: that of `Spec` itself does not count."""
        doc = inspect.getdoc(cls)
        return next(iter((doc or "").strip().splitlines()), "") if doc != inspect.getdoc(Spec) else ""

    # -- for engines ---------------------------------------------------------------------------------------

    @property
    def constants(self) -> Constants:
        """The value of every constant."""
        declared = self._declared_constants()
        changed = [n for n, value in self._constants.items() if value != declared[n].default]
        return Constants(self._constants, changed, {n: found.text for n, found in declared.items() if found.text})

    @property
    def domains(self) -> dict[str, Domain]:
        """The domain of every variable, in the order of declaration."""
        return self._variables

    def _with(self, constants: dict[str, Any]) -> Spec:
        """The same spec with other constants."""
        again = self._origin.again
        made: Spec = again(constants) if again is not None else type(self)(**constants)
        return made

    def _state_cells(self) -> list[Cell]:
        """The integer cells of a state, in order."""
        return list(itertools.chain.from_iterable(d.cells(n) for n, d in self._variables.items()))

    def _marked(self, *kinds: str) -> list[Declared]:
        """The marked methods of some kinds, in the order of definition."""
        return [found for found in self._declared.values() if found.mark.kind in kinds]

    def _declaration(self, name: str) -> Declared:
        """The marked method of a name; the name of a property with parameters may include their values."""
        return self._declared[method_name(name)]

    def _question(self, name: str) -> Callable[..., Any]:
        """The condition of a property, as a function of nothing or of the state before, for use under `reading`."""
        bound: Callable[..., Any] = getattr(self, method_name(name))
        if method_name(name) == name:
            return bound
        arguments = dict(next(p.arguments for p in self.properties if p.name == name))

        def asked(*before: Any) -> Any:
            return bound(*before, **{parameter: fresh(value) for parameter, value in arguments.items()})

        return asked

    def _named(self, kind: str) -> list[str]:
        """The names of the methods of one kind, in the order of definition."""
        return [p.name for p in self.properties if p.kind == kind]

    def _fairness(self) -> list[Disjunction]:
        """The fairness assumptions, in the order of the instances."""
        return disjunctions(self.instances, self._declared)

    def _method(self, instance: ActionInstance) -> Callable[[], None]:
        """An action instance as a function without arguments, to be executed under `reading(frame)`."""
        return self._step(instance.name, dict(instance.arguments))

    def _beginning(self, name: str) -> Callable[[], None]:
        """An @initial method as such a function."""
        return self._step(name, {})

    def _step(self, name: str, arguments: dict[str, Any]) -> Callable[[], None]:
        bound, found = getattr(self, name), self._declared[name]

        def step() -> None:
            given = {parameter: fresh(value) for parameter, value in arguments.items()}
            check_returned(found.mark.kind, found.method, bound(**given))

        return step

    def _reading(self, frame: Frame) -> Reading:
        """Read and write variables through `frame` in the body."""
        return Reading(self, frame)

    # -- attribute access ----------------------------------------------------------------------------------

    if not TYPE_CHECKING:  # a name that is no variable, constant or method is an error to a type checker, too

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(name)
            if name in self._variables:
                if self._frame is None:
                    raise self._nowhere(name)
                return self._frame.read(name)
            hint = suggestion(name, [*self._variables, *self._constants])
            if self._frame is not None:
                raise EverystateError("E201", user_place(), spec=type(self).__name__, name=name, suggestion=hint)
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        if self.__dict__.get("_declaring") and name not in ("_frame", "_declaring"):
            self._declare_one(name, value)
        elif name.startswith("_") or name in ("instances", "properties"):
            if self.__dict__.get("_frame") is not None:
                raise self._outside(f"self.{name}", "it is not a variable, so it is not stored with the state")
            object.__setattr__(self, name, value)
        elif self._frame is not None and name in self._variables:
            self._frame.write(name, value)
        elif isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif name in self._variables:
            raise self._nowhere(name)
        elif name in self.__dict__ or hasattr(type(self), name):
            raise self._no_variable(name)
        else:
            hint = suggestion(name, list(self._variables))
            raise EverystateError("E201", user_place(), spec=type(self).__name__, name=name, suggestion=hint)

    def _nowhere(self, name: str) -> EverystateError:
        remedy = f"read it from a state: spec.initial_states()[0].{name}"
        if "_declaring" in self.__dict__:
            remedy = f"self.{name} is a variable; a domain that others are made of is kept without it: {name} = ..."
        return EverystateError("E213", user_place(), name=name, remedy=remedy)

    def _no_variable(self, name: str) -> EverystateError:
        spec, what, remedy = type(self).__name__, "a method or attribute of the class", "use another name"
        if name in self.__dict__:
            what = f"a derived constant: variables() gave it {self.__dict__[name]!r}"
            remedy = f"if it is state, give it a domain there: self.{name} = {domain_for(self.__dict__[name])}"
        elif name in self._constants:
            what, remedy = "a constant", f"declare a variable with that value: self.now = Int(0, 9, init=self.{name})"
        return EverystateError("E222", user_place(), spec=spec, name=name, what=what, remedy=remedy)

    def __hash__(self) -> int:
        if self.__dict__.get("_frame") is not None:
            raise self._outside("the spec as a key", "a value stored under it would belong to another state")
        return object.__hash__(self)

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.get("_constants", {}).items())
        return f"{type(self).__name__}({given})"

    def _outside(self, expression: str, reason: str) -> EverystateError:
        remedy = "make it a variable of the spec, declared in variables()"
        return EverystateError("E232", user_place(), expression=expression, reason=reason, remedy=remedy)

    def __dir__(self) -> list[str]:
        """What an author may use: variables, constants, methods, and the public names of every spec."""
        return sorted({name for name in object.__dir__(self) if not name.startswith("_")} | self._variables.keys())

    # -- construction --------------------------------------------------------------------------------------

    @classmethod
    def _declared_constants(cls) -> dict[str, Constant[Any]]:
        """The constants of the class, in the order of definition; one that is overridden by a plain value is none."""
        found: dict[str, Constant[Any]] = {}
        for base in reversed(cls.__mro__):
            found.update({n: v for n, v in vars(base).items() if n in found or isinstance(v, Constant)})
            found = {name: value for name, value in found.items() if isinstance(value, Constant)}
        return {**cls._origin.constants, **found}

    @classmethod
    def _bind(cls, given: dict[str, Any]) -> dict[str, Any]:
        declared = cls._declared_constants()
        for name, value in given.items():
            if name not in declared:
                hint, names = suggestion(name, list(declared)), ", ".join(declared) or "(it has none)"
                raise EverystateError("E107", None, spec=cls.__name__, name=name, suggestion=hint, names=names)
            default = declared[name].default
            if type(value) is not type(default):
                expected = {int: "a whole number", bool: "True or False", str: "a string"}.get(
                    type(default), f"a {type(default).__name__}"
                )
                raise EverystateError(
                    "E108", None, spec=cls.__name__, name=name, value=value, expected=expected, default=default
                )
        return {name: given.get(name, constant.default) for name, constant in declared.items()}

    def _check_assumptions(self) -> None:
        for found in self._marked(marks.ASSUMPTION):
            name, where = found.name, method_place(found.method)
            try:
                held = found.method(self)
            except (EverystateError, KeyboardInterrupt):
                raise
            except Disabled:
                raise EverystateError("E221", where, name=name, kind=with_article(marks.ASSUMPTION)) from None
            except BaseException as error:
                raise self._failed("E117", error, name=name) from error
            check_returned(marks.ASSUMPTION, found.method, held)
            if not held:
                doc = found.text or "the author requires it"
                text = ", ".join(f"{n}={v!r}" for n, v in self._constants.items())
                raise EverystateError("E112", where, name=name, spec=type(self).__name__, constants=text, doc=doc)

    def _failed(self, code: str, error: BaseException, **facts: Any) -> EverystateError:
        text = f"{type(error).__name__}: {error}"
        return EverystateError(code, place_of(error.__traceback__), spec=type(self).__name__, error=text, **facts)

    def _declare(self) -> None:
        self._declaring = True
        try:
            self.variables()
        except (EverystateError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self._failed("E113", error) from error
        finally:
            del self.__dict__["_declaring"]
        check_variables(self)

    def _declare_one(self, name: str, value: Any) -> None:
        variables.check(self, name, value)
        if variables.is_domain(value):
            self._variables[name] = as_domain(value)
        else:
            self.__dict__[name] = value

    def _whether_it_ends(self) -> bool:
        """The value of may_terminate, evaluated once; E143 where it is neither True nor False."""
        said: Any = self.may_terminate
        if not isinstance(said, bool):
            raise EverystateError("E143", class_place(type(self)), spec=type(self).__name__, value=kind_of(said))
        return said

    def _list_instances(self) -> list[ActionInstance]:
        found: list[ActionInstance] = []
        for action in self._marked(marks.ACTION):
            parameters = self._parameters(action, parameters_of(action.method)[0])
            found += [ActionInstance(action.name, values) for values in self._combinations(action, parameters)]
        return found

    def _parameters(self, found: Declared, parameters: list[str]) -> list[str]:
        """The parameters of an action or a property; E114 unless each has values, and nothing else has."""
        ranged = found.mark.parameters
        if parameters_of(found.method)[1]:
            parameters = [*parameters, *(p for p in ranged if p not in parameters)]
        for parameter in (*parameters, *ranged):
            if parameter not in ranged or parameter not in parameters:
                facts = {"spec": type(self).__name__, "name": found.name, "parameter": parameter}
                raise EverystateError("E114", method_place(found.method), mark=_decorator(found), **facts)
        return parameters

    def _combinations(self, found: Declared, parameters: list[str]) -> Iterator[tuple[tuple[str, Any], ...]]:
        """Every combination of values of some parameters."""
        ranges = [self._range(found, p, found.mark.parameters[p]) for p in parameters]
        for values in itertools.product(*ranges):
            yield tuple(zip(parameters, values, strict=True))

    def _without_instances(self) -> list[str]:
        """Actions and temporal properties that the constants disable, in a sentence for each kind."""
        kinds = (("action", "actions", (marks.ACTION,)), ("property", "properties", marks.ON_GRAPHS))
        return [said for one, many, kind in kinds for said in _disabled(one, many, self._empty(*kind))]

    def _empty(self, *kinds: str) -> dict[str, str]:
        """The methods of some kinds that have no instance, each with the parameters for which there are no values."""
        found = {}
        for method in self._marked(*kinds):
            empty = [p for p, values in method.mark.parameters.items() if not self._range(method, p, values)]
            if empty:
                found[method.name] = " and ".join(empty)
        return found

    def _given(self, given: Any) -> Any:
        """The values that a decorator names: a value, the name of a constant, or a function of the spec."""
        if isinstance(given, str):
            if not hasattr(self, given):
                raise AttributeError(f"{type(self).__name__} has no constant {given!r}{suggestion(given, dir(self))}")
            return getattr(self, given)
        return given(self) if callable(given) and not isinstance(given, type) else given

    def _is_asked(self, found: Declared) -> bool:
        """Whether the `when` of a @reachable is true of the constants, if it has one."""
        try:
            return bool(self._given(found.mark.parameters.get("when", True)))
        except (EverystateError, KeyboardInterrupt):
            raise
        except BaseException as error:
            raise self._failed("E117", error, name=found.name) from error

    def _range(self, found: Declared, parameter: str, given: Any) -> list[Any]:
        try:
            values = list(options(self._given(given)))
            for value in values:
                shown(value)  # in the name of the instance
            return values
        except EverystateError as error:
            if error.code == "E213":
                error.where = error.where or method_place(found.method)
                error.remedy = f"give {parameter} all its values, and guard the action: require({parameter} < ...)"
            raise
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            facts = {"spec": type(self).__name__, "name": found.name, "parameter": parameter, "mark": _decorator(found)}
            text = str(error) if isinstance(error, AttributeError) else f"{type(error).__name__}: {error}"
            raise EverystateError("E119", method_place(found.method), **facts, error=text) from error

    def _list_properties(self) -> Iterator[Property]:
        for found in self._declared.values():
            if found.mark.kind not in (marks.ACTION, marks.ASSUMPTION, marks.DISPLAY):
                yield from self._properties_of(found)
        views, temporal = self._marked(marks.VIEW), self._marked(*marks.ON_GRAPHS)
        if views and temporal:
            where = method_place(views[0].method)
            raise EverystateError("E124", where, spec=type(self).__name__, name=temporal[0].name)

    def _properties_of(self, found: Declared) -> Iterator[Property]:
        """The properties of a method, one for each combination of the values of its parameters."""
        kind, given = found.mark.kind, parameters_of(found.method)[0]
        if kind == marks.REFINEMENT:
            _check_property(type(self).__name__, found, False, [])
            yield Property(marks.STEP_INVARIANT, found.name, found.text, (), True)
            return
        if kind == marks.REACHABLE:
            _check_property(type(self).__name__, found, False, [])
            if self._is_asked(found):
                yield Property(kind, found.name, found.text)
            return
        steps = kind in (marks.STEP_INVARIANT, marks.ACTION_CONSTRAINT) or (
            kind in marks.OF_STEPS and given[:1] == ["before"]
        )
        ranged = given[steps:] if found.mark.parameters else []
        _check_property(type(self).__name__, found, steps, ranged)
        for arguments in self._combinations(found, self._parameters(found, ranged)):
            name = str(ActionInstance(found.name, arguments)) if arguments else found.name
            yield Property(kind, name, found.text, arguments, steps)

    def _list_refinements(self) -> dict[str, Refinement]:
        found = self._marked(marks.REFINEMENT)
        return {f.name: refinement(self, f.name, f.method, f.mark.parameters, Spec) for f in found}


def made_anew(spec: type[Spec] | Spec, function: str) -> Spec:
    """A new instance of a class, or with the constants of an instance; TypeError for anything else."""
    if isinstance(spec, Spec):
        return type(spec)(**spec.constants)
    if not (isinstance(spec, type) and issubclass(spec, Spec)):
        raise TypeError(f"{function} takes a spec, {function}(Lock) or {function}(Lock(workers=3)); {spec!r} is none")
    return spec()


def _disabled(one: str, many: str, empty: dict[str, str]) -> Iterator[str]:
    """That the constants disable some actions or properties."""
    for name, parameters in empty.items():
        if len(empty) == 1:
            yield f"{one} {name} is disabled by the constants: there are no values for {parameters}"
    if len(empty) > 1:
        names = ", ".join(empty)
        yield f"{len(empty)} {many} are disabled by the constants, which leave no values for their parameters: {names}"


def _decorator(found: Declared) -> str:
    return found.mark.kind.replace(" ", "_")


def _check_property(cls_name: str, found: Declared, steps: bool, ranged: list[str]) -> None:
    """E121 for a property with the wrong parameters, E122 for a reserved name."""
    name, method = found.name, found.method
    if name in ("deadlock", "error"):
        raise EverystateError("E122", method_place(method), spec=cls_name, name=name)
    given = list(signature_of(method).parameters)[1:]
    expected = [*(["before"] if steps else []), *ranged]
    if len(given) != len(expected) and not takes_anything(method):
        facts = {"given": f"{', '.join(given) or 'nothing'} after self", "expected": ", ".join(expected) or "nothing"}
        signature = ", ".join(["self", *expected])
        where, article = method_place(method), with_article(found.mark.kind)
        raise EverystateError("E121", where, spec=cls_name, name=name, kind=article, signature=signature, **facts)
