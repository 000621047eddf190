"""The decorators that mark the methods of a spec for the checker.

Each function here has no body: it is the name, the signature and the help() text of a mark. `marks` implements them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from . import marks

F = TypeVar("F", bound=Callable[..., Any])


@marks.ranging(marks.ACTION)
def action(**parameters: Any) -> Any:
    """A step of the system: one atomic change of the state, enabled where its `require(...)` hold.

    Each parameter of the method ranges over what the decorator names for it: a domain, an iterable, the name of a
    constant (a whole number n means range(n)), or a function of the spec. Each combination of values is an action of
    its own. A parameter without values is an error (E114). A false `require` undoes all that the method has written.

        @action(worker=range(3))
        def start(self, worker: int) -> None:
            require(not self.busy)
            self.busy = True
    """


@marks.plain(marks.INVARIANT)
def invariant() -> Any:
    """A condition that holds in every reachable state.

    The method returns a boolean (E209 for anything else). The first sentence of its docstring is printed with a
    violation, as what was expected. The counterexample is a shortest trace to a state where it is false.

        @invariant
        def in_bounds(self) -> bool:
            return self.count <= 3
    """


@marks.plain(marks.STEP_INVARIANT)
def step_invariant() -> Any:
    """An action property: a condition on every step, from the state `before` to the state `self`.

    The method takes the state before the step, and returns a boolean.

        @step_invariant
        def only_grows(self, before: Self) -> bool:
            return self.count >= before.count
    """


@marks.asking(marks.REACHABLE)
def reachable(*, when: str | Callable[[Any], object] = ...) -> Any:
    """A reachability property: a condition that holds in at least one reachable state.

    It is violated when the whole state space has no such state; there is no trace to show. With `when`, the name of a
    constant or a function of the spec, it is a property only where that is true.

        @reachable
        def gets_full(self) -> bool:
            return self.count == 3
    """


@marks.mark_or_formula
def eventually(**parameters: Any) -> Any:
    """Liveness: a condition that holds at some time in every fair behaviour (<>P).

    With parameters, as of an action, it is one property for each combination of their values. With `before` as its
    first parameter it is about steps. The counterexample is a trace that ends in a loop. In the formula of a @temporal
    method, `eventually(what)` holds where a condition or a formula holds now or later.

        @eventually
        def gets_full(self) -> bool:
            return self.count == 3
    """


@marks.ranging(marks.TEMPORAL_FORMULA)
def temporal(**parameters: Any) -> Any:
    """Liveness: a formula that holds in every fair behaviour, from its first state on.

    The method joins conditions by `always`, `eventually`, `until`, `implies`, `&`, `|` and `~`. The formula has the
    same form in all states (E238). Parameters as of @eventually.

        @temporal
        def busy_again_and_again(self) -> Formula:
            return always(eventually(self.busy))

    With `before` as its first parameter, conditions are about steps: `before` is the current state, `self` the next
    one. A behaviour may stay in a state at any time; then both are the same.
    """


@marks.ranging(marks.TEMPORAL_ASSUMPTION)
def temporal_assumption(**parameters: Any) -> Any:
    """An assumption about behaviours, beside @fair: temporal properties are judged on those that satisfy it.

    The method returns a formula, as of @temporal, with parameters and `before` as there. Weak fairness of some steps is
    `implies(eventually(always(enabled)), always(eventually(taken)))`, strong fairness has `always(eventually(enabled))`
    on the left; these and `always(eventually(taken))` cost no more than @fair. Where no behaviour satisfies all
    assumptions, temporal properties are undecided.

        @temporal_assumption
        def starts_again_and_again(self, before: Self) -> Formula:
            return always(eventually(self.busy and not before.busy))
    """


@marks.ranging(marks.LEADS_TO)
def leads_to(**parameters: Any) -> Any:
    """Liveness: whenever a first condition holds, a second one holds then or later (P ~> Q).

    The method returns both, `return asked, answered`; it is never about steps. Parameters as of @eventually.

        @leads_to
        def ends(self) -> tuple[bool, bool]:
            return self.busy, not self.busy
    """


@marks.ranging(marks.EVENTUALLY_ALWAYS)
def eventually_always(**parameters: Any) -> Any:
    """Liveness: a condition that holds from some time on for ever, in every fair behaviour (stability, <>[]P).

    Parameters and `before` as of @eventually.

        @eventually_always
        def stays_full(self) -> bool:
            return self.count == 3
    """


@marks.ranging(marks.INFINITELY_OFTEN)
def infinitely_often(**parameters: Any) -> Any:
    """Liveness: a condition that holds again and again, in every fair behaviour ([]<>P).

    Parameters as of @eventually. With `before` it is about steps, and such steps are taken again and again.

        @infinitely_often
        def gets_free(self) -> bool:
            return not self.busy
    """


@marks.ranging(marks.ALWAYS_REACHABLE)
def always_reachable(**parameters: Any) -> Any:
    """A condition that can be reached from every reachable state (AG EF P).

    No step leads to where it is lost for ever. It need not come true, and fairness does not matter. The counterexample
    is a trace to a state from which it cannot be reached. Parameters as of @eventually.

        @always_reachable
        def can_get_free(self) -> bool:
            return not self.busy
    """


@marks.plain(marks.CONSTRAINT)
def constraint() -> Any:
    """A bound of the search: a state where it is false is checked, but neither counted nor expanded.

    The verdict then holds only within the bound, and says so.

        @constraint
        def few(self) -> bool:
            return self.count <= 2
    """


@marks.plain(marks.ACTION_CONSTRAINT)
def action_constraint() -> Any:
    """A bound of the search on steps: a step from `before` to `self` is not taken where it is false.

    The verdict then holds only within the bound, and says so.

        @action_constraint
        def one_at_a_time(self, before: Self) -> bool:
            return self.count <= before.count + 1
    """


@marks.plain(marks.VIEW)
def view() -> Any:
    """What identifies a state: states with equal views are explored once.

    The method returns a value, or a tuple of values. The verdict then holds up to the view, and says so. A spec with a
    view has no liveness properties (E124).

        @view
        def what_counts(self) -> object:
            return self.count, self.busy
    """


@marks.plain(marks.ASSUMPTION)
def assumption() -> Any:
    """A condition on the constants, evaluated before anything else.

    Where it is false the spec is not checked (E112, exit code 10).

        @assumption
        def somebody_works(self) -> bool:
            return self.workers > 0
    """


@marks.plain(marks.LEMMA)
def lemma() -> Any:
    """A condition that helps an inductive proof, `everystate prove`.

    It is proved together with the properties, or dropped. `check` does not look at it.

        @lemma
        def not_negative(self) -> bool:
            return self.count >= 0
    """


@marks.plain(marks.DISPLAY)
def display() -> Any:
    """Tables that show a state to people: a dictionary of a title and its rows, each row a dictionary.

    A dictionary in place of the rows groups tables: {"broker 0": {"log": [...]}}. It is plain Python, never compiled;
    anything else than tables is E225.

        @display
        def tables(self) -> dict[str, object]:
            return {"workers": [{"count": self.count, "busy": self.busy}]}
    """


@marks.plain(marks.INITIAL)
def initial() -> Any:
    """Completes the initial states: it runs like an action on every combination of the declared `init=`.

    `require` drops a combination, `choose` makes several of one. A spec without an initial state is an error (E115).

        @initial
        def begins_low(self) -> None:
            self.count = choose(range(2))
    """


def refines(abstract: type, **constants: Any) -> Callable[[F], F]:
    """The mapping of this spec's states to those of the spec `abstract`, which it implements.

    The method returns a value for each variable of `abstract`. Every initial state must map to an initial state of it,
    and every step to one of its steps, or to none where both states map to the same one. This is safety only: the
    fairness of `abstract` is not checked. Constants of the same name are passed on; `constants` gives others, as values
    or as functions of the spec.

        @refines(Switch)
        def is_a_switch(self) -> dict[str, object]:
            return {"on": self.busy}
    """
    return lambda method: marks.mark(method, marks.REFINEMENT, {"abstract": abstract, "constants": constants})


@marks.fairly(marks.WEAK)
def fair(*, together: str = "", each: str | tuple[str, ...] = ()) -> Any:
    """Weak fairness of an action: none of its instances is enabled for ever and never taken.

    `@fair(together="name")` on several actions is fairness of their disjunction: it cannot be that at every time one of
    them is enabled, and none is ever taken. With `each="n"` there is one disjunction for each value of n, whatever the
    other parameters are; without `together` it is of the instances of this action.

        @fair
        @action
        def finish(self) -> None:
            self.busy = False
    """


@marks.fairly(marks.STRONG)
def strongly_fair(*, together: str = "", each: str | tuple[str, ...] = ()) -> Any:
    """Strong fairness of an action: none of its instances is enabled again and again and never taken.

    `together` and `each` as of @fair.

        @strongly_fair
        @action
        def finish(self) -> None:
            self.busy = False
    """
