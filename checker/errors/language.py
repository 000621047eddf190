"""The language and its tracing (E2)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E201": Entry(
        "{spec} has no variable {name!r}{suggestion}",
        "self has the variables that variables() declares, the constants and the methods; nothing else",
        "declare it in variables(), or use a local name without self",
    ),
    "E202": Entry(
        "malformed domain {domain}: {reason}",
        "a domain is a finite set of distinct values",
        "{remedy}",
    ),
    "E203": Entry(
        "{value!r} is not a value of {domain}",
        "the initial value of a variable must be in its domain",
        "correct init=, or widen the domain",
    ),
    "E204": Entry(
        "{action} splits into more than {limit} paths",
        "each value of choose(...) is a path, and so is each side of a condition whose values cannot be merged; the "
        "path splits {lines}",
        "choose from fewer values, choose once instead of in a loop, or give both sides values of one kind",
    ),
    "E205": Entry(
        "{action} takes more than {limit} decisions on one path: it seems to loop without end",
        "an action is one atomic step and must return",
        "bound the loop; a `while` over state must change that state",
    ),
    "E206": Entry(
        "{action} did not return within {seconds} s",
        "an action is one atomic step and must return; it was executing this line",
        "bound the loop",
    ),
    "E207": Entry(
        "{action} is not deterministic: executed again on the same values, it had another result",
        "an action may depend on the state, the constants and choose() only",
        "use choose(...) for non-determinism; keep data in state variables",
    ),
    "E208": Entry(
        "{action} raised {error}",
        "the error occurs while the checker compiles the action, so there is no trace to it",
        "fix the line",
    ),
    "E209": Entry(
        "{name} must be a condition (true or false), but returned {value}",
        "a property is a condition on a state",
        "return a comparison; a property without `return` returns None",
    ),
    "E218": Entry(
        "{name} must return two conditions, but returned {value}",
        "@leads_to means: after the first condition holds, the second one holds then or later",
        "write `return first, second`",
    ),
    "E219": Entry(
        "{value} is used as a condition or a value",
        "Python treats it as true in every state, so the condition has no effect",
        "{remedy}",
    ),
    "E220": Entry(
        "{name} returned {value}",
        "{kind} changes the state or is disabled; its return value would be ignored",
        "assign it, or guard with require(...)",
    ),
    "E221": Entry(
        "require() was used in {name}, which is {kind}",
        "require(...) disables an action; a property cannot be disabled",
        "return the condition, or `implies(guard, condition)`",
    ),
    "E222": Entry(
        "{name!r} of {spec} is not a variable, but {what}",
        "an action assigns variables; everything else is the same in all states",
        "{remedy}",
    ),
    "E223": Entry(
        "{function}() calls itself without a bound",
        "the checker executes every path, so the recursion must end on each of them",
        "bound its depth by a constant, or write a loop",
    ),
    "E210": Entry(
        "a property assigned to a state variable",
        "a property, a view or a text for readers must not change the state",
        "assign in an action; use a local name for a value that is computed here",
    ),
    "E211": Entry(
        "the two sides of a merge differ in kind: {left} and {right}",
        "both sides of a condition become one value, so they must be of one kind: both numbers, both enum members, ...",
        "use an `if` statement where the kinds differ",
    ),
    "E212": Entry(
        "{value!r} is not a member of {domain}{suggestion}",
        "the enum has no such member, so this is probably a typing mistake",
        "use one of: {members}",
    ),
    "E213": Entry(
        "variable {name!r} was used where there is no state",
        "state exists only while an action or a property is executing",
        "{remedy}",
    ),
    "E214": Entry(
        "choose() was used outside an action",
        "only actions and @initial methods may be non-deterministic",
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
        "the cross-check executes a sample of the states as plain Python and found a difference, so there is no "
        "verdict",
        "report this mistake of Everystate with the spec",
    ),
    "E225": Entry(
        "the display {name} returned {value}, which is not a table",
        "@display returns tables by title, or groups of them; a table is a list of rows, and a row is a dictionary "
        "of columns",
        "return for example {{'queue': [{{'place': 0, 'letter': self.letter}}]}}",
    ),
    "E226": Entry(
        "the view {name} returned {value}, which cannot identify a state",
        "states with equal views count as one state, so a view returns values that == compares: numbers, booleans, "
        "enum members, strings, None, records, and tuples, lists, sets and dicts of these",
        "return for example a tuple of the relevant variables",
    ),
    "E230": Entry(
        "{expression} cannot be used here: {reason}",
        "actions and properties are compiled from their source, and the compiler refuses what it does not support",
        "{remedy}",
    ),
    "E232": Entry(
        "{expression} is not part of the state: {reason}",
        "a step may depend on the state, the constants and choose() only; otherwise a verdict is meaningless",
        "{remedy}",
    ),
    "E237": Entry(
        "{name} must return a formula over conditions, but returned {value}",
        "a temporal property is about whole behaviours: its method combines conditions with always, eventually and "
        "until",
        "write for example `return always(implies(self.asked, eventually(self.answered)))`, or use @invariant",
    ),
    "E238": Entry(
        "the formula of {name} has different operators in different states",
        "the operators of a formula are fixed; only the values of its conditions differ between states",
        "combine formulas with &, |, ~ and implies(a, b)",
    ),
    "E239": Entry(
        "compiling {action} needs more than {limit} decisions",
        "each condition on the state is a decision, on each path again; nested loops over parts of the state, and "
        "lists or queues of elements that may be missing, need many",
        "use fewer elements or fewer nested loops, or keep in a variable what the loop computes",
    ),
}
