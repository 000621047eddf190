"""The language and its tracing (E2)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E201": Entry(
        "{spec} has no variable {name!r}{suggestion}",
        "the state consists of what variables() declares, and self has nothing else but constants and methods",
        "declare it there, or use a local name without self",
    ),
    "E202": Entry(
        "malformed domain {domain}: {reason}",
        "a domain is a finite set of values that differ from each other, in Python and in traces",
        "{remedy}",
    ),
    "E203": Entry(
        "{value!r} is not a value of {domain}",
        "the initial value of a variable lies in its domain",
        "correct init=, or widen the domain",
    ),
    "E204": Entry(
        "{action} splits into more than {limit} paths",
        "each alternative of choose(...) is a path, and so is each side of a condition whose values cannot become one "
        "value; the path has split {lines}",
        "choose from fewer values, choose once instead of in a loop, or give both sides of a condition values of one "
        "kind",
    ),
    "E205": Entry(
        "{action} takes more than {limit} decisions on one path: it seems to loop without end",
        "an action is one atomic step and must return",
        "bound the loop: `for _ in range(N)` with a `break` where bounds do not show that it ends, as in `while n % 3`;"
        " a `while` over state must change that state",
    ),
    "E206": Entry(
        "{action} did not return within {seconds} s",
        "an action is one atomic step and must return; it was executing this line",
        "bound the loop",
    ),
    "E207": Entry(
        "{action} is not deterministic: run again on the same values, it did something else",
        "an action may depend on the state, the constants and choose() only",
        "use choose(...) for non-determinism; keep data in state variables",
    ),
    "E208": Entry(
        "{action} raised {error}",
        "Python refused this line; it is a mistake in the text of the spec, so no state is shown that leads there",
        "fix the line",
    ),
    "E209": Entry(
        "{name} must be a condition (true or false), but returned {value}",
        "a property is a yes-or-no question about a state",
        "return a comparison; a property without `return` returns None",
    ),
    "E218": Entry(
        "{name} must return two conditions, but returned {value}",
        "@leads_to says that after the first the second holds, then or later",
        "write `return asked, answered`",
    ),
    "E219": Entry(
        "{value} is used as a condition or a value",
        "Python takes it for true, whatever the state, so it decides nothing",
        "{remedy}",
    ),
    "E220": Entry(
        "{name} returned {value}",
        "{kind} changes the state or is disabled; what it returns would be dropped",
        "assign it, or guard with require(...)",
    ),
    "E221": Entry(
        "require() was used in {name}, which is {kind}",
        "require(...) disables a step; nothing else can be disabled",
        "return the condition; `implies(guard, condition)` asks it only where the guard holds",
    ),
    "E222": Entry(
        "{name!r} of {spec} is no variable, but {what}",
        "an action assigns variables; everything else is the same in all states",
        "{remedy}",
    ),
    "E223": Entry(
        "{function}() calls itself without end",
        "an action or a property is executed for every way that the state can decide, so a recursion must end on all "
        "of them",
        "bound its depth by a number that is no state, or write a loop",
    ),
    "E210": Entry(
        "a predicate assigned to a state variable",
        "a condition is read only; its sides are merged, not executed step by step",
        "compute a value and assign it outside",
    ),
    "E211": Entry(
        "the two sides of a merge differ in kind: {left} and {right}",
        "both sides of a condition become one value, so both must be numbers, or both enum members, ...",
        "use an `if` statement where the kinds differ",
    ),
    "E212": Entry(
        "{value!r} is not a member of {domain}{suggestion}",
        "comparing or assigning a value that the enum does not have is a typing mistake",
        "use one of: {members}",
    ),
    "E213": Entry(
        "variable {name!r} was used where there is no state",
        "state exists only while an action or a property is executing",
        "{remedy}",
    ),
    "E214": Entry(
        "choose() was used outside an action",
        "only an action (or @initial) may be non-deterministic; a property must not be",
        "use any(...) or all(...) over the values",
    ),
    "E215": Entry(
        "{expression} is not supported on state: {reason}",
        "the compiled model knows integers, booleans, enums and the collections of the language",
        "{remedy}",
    ),
    "E216": Entry(
        "{record} has no field {name!r}{suggestion}",
        "the fields of a record are fixed by its domain",
        "use one of: {fields}",
    ),
    "E217": Entry(
        "{action} differs between compiled code and plain Python: {reason}",
        "the cross-check executes some states in plain Python as well; here the two disagree, so there is no verdict",
        "please report it with the spec: this is a mistake in Everystate",
    ),
    "E225": Entry(
        "the display {name} returned {value}, which is no tables",
        "a method marked @display draws a state for a reader: tables by title, or groups of them; a table is a list of "
        "rows, and a row a dictionary of columns",
        "return such a dictionary, as in {{'queue': [{{'place': 0, 'letter': self.letter}}]}}",
    ),
    "E226": Entry(
        "the view {name} returned {value}, which identifies nothing",
        "states whose views are equal are taken for one, so a view returns what == compares by value: numbers, "
        "booleans, enum members, strings, None, records, and tuples, lists, sets and dicts of these",
        "return such a value, for example a tuple of the variables that matter",
    ),
    "E230": Entry(
        "{expression} cannot be used here: {reason}",
        "actions and properties are compiled from their source; what the compiler does not understand it refuses, so "
        "that no verdict rests on a guess",
        "{remedy}",
    ),
    "E232": Entry(
        "{expression} lies outside of the state: {reason}",
        "a step may depend on the state, the constants and choose() only, else a verdict says nothing",
        "{remedy}",
    ),
    "E237": Entry(
        "{name} must return a formula over conditions, but returned {value}",
        "@temporal is judged on whole behaviours, so its method joins conditions by always, eventually and until",
        "write for example `return always(implies(self.asked, eventually(self.answered)))`; for one condition on all "
        "states there is @invariant",
    ),
    "E238": Entry(
        "the formula of {name} has one form in some states, and another in others",
        "the operators of a formula are the same in all states, and only the values of its conditions differ",
        "join formulas with &, |, ~ and implies(a, b), in place of `if`, `and`, `or` and `not`",
    ),
}
