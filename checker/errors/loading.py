"""Loading a spec (E1)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E101": Entry(
        "no target is called {target!r}{suggestion}",
        "a target is a name from `everystate list`, a file (path/to/spec.py), path/to/spec.py:Class, or "
        "package.module:Class",
        "run `everystate list` to see the names",
    ),
    "E102": Entry(
        "the spec file {target} does not exist",
        "a target that ends in .py is read as a path",
        "check the path, or use a name from `everystate list`",
    ),
    "E103": Entry(
        "{target} cannot be imported: {error}",
        "the file raised an exception while Python was executing it:\n{trace}",
        "fix the line that Python names",
    ),
    "E104": Entry(
        "{target} contains no spec",
        "a spec is a class that derives from everystate.checker.Spec and is defined in this file",
        "define `class MySpec(Spec)` in it",
    ),
    "E105": Entry(
        "{target} contains several specs: {names}",
        "a target names exactly one spec",
        "name one of them: {target}:{first}",
    ),
    "E106": Entry(
        "{target} has no class {name!r}{suggestion}",
        "the part of a target after the colon is the name of a Spec class in that file",
        "use one of: {names}",
    ),
    "E107": Entry(
        "{spec} has no constant {name!r}{suggestion}",
        "only the constants that the spec declares can be set",
        "use one of: {names}",
    ),
    "E108": Entry(
        "constant {name} of {spec} must be {expected}, not {value!r}",
        "a constant has the type of its default value, {default!r}",
        "give it a value of that type: -c {name}={default}",
    ),
    "E109": Entry(
        "-c {text!r} is not of the form NAME=VALUE",
        "each -c sets one constant",
        "write for example: -c {example}",
    ),
    "E110": Entry(
        "{spec} has no action{detail}",
        "without an action no state has a successor, so there is nothing to explore",
        "mark at least one method with @action, and give its parameters values",
    ),
    "E111": Entry(
        "{spec} declares no variable{detail}",
        "a state is what variables() declares; without variables there is only one state",
        "declare them in `def variables(self)`, for example: self.{example}",
    ),
    "E112": Entry(
        "the assumption {name} of {spec} is false for {constants}",
        "{doc}",
        "choose other constants",
        10,
    ),
    "E113": Entry(
        "{spec}.variables() failed: {error}",
        "the checker executes it once, when it creates the spec, to find the variables and their domains",
        "fix the exception; variables() may read constants only",
    ),
    "E114": Entry(
        "{spec}.{name}: the values of parameter {parameter!r} are missing",
        "every parameter needs a finite set of values in the decorator",
        "write @{mark}({parameter}=range(3)), or @{mark}({parameter}=lambda self: range(self.n))",
    ),
    "E115": Entry(
        "{spec} has {count} {kind}; one check is limited to {limit}",
        "{reason}",
        "split the spec, or check fewer of them at a time",
    ),
    "E116": Entry(
        "{name!r} of {spec} has the name of {other}",
        "self.{name} would be ambiguous",
        "rename one of them",
    ),
    "E117": Entry(
        "{spec}.{name}() failed: {error}",
        "the checker evaluates it once, when it creates the spec, with constants only",
        "fix the exception",
    ),
    "E118": Entry(
        "{spec} has no initial state",
        "init= and @initial exclude every state, so there is nothing to check",
        "relax the require(...) of its @initial methods",
    ),
    "E119": Entry(
        "the values of parameter {parameter!r} of {spec}.{name} cannot be listed: {error}",
        "the decorator takes a domain, a finite collection, a function of the spec, or the name of a constant",
        "write for example @{mark}({parameter}=range(3)), or @{mark}({parameter}=lambda self: range(self.n))",
    ),
    "E120": Entry(
        "{spec} overrides {name}",
        "a spec is created by the checker, which binds the constants and lists the actions",
        "make inputs class attributes with Constant(...), and declare the state in variables()",
    ),
    "E121": Entry(
        "{spec}.{name} takes {given}, but {kind} takes {expected}",
        "the checker passes the state as self; a method about steps also gets the state before the step",
        "write `def {name}({signature})`",
    ),
    "E122": Entry(
        "a property of {spec} is called {name!r}",
        "reports use this name for one of the checker's own checks",
        "give it another name",
    ),
    "E134": Entry(
        "{constraints} every initial state of {spec}",
        "the checker takes no step from a state outside a constraint, so it would explore nothing",
        "relax the constraint, or start inside it",
    ),
    "E135": Entry(
        "{name}, which must map a state to a state of {abstract}, {problem}",
        "@refines(Abstract) takes a spec and marks a method that returns a value for each variable of that spec",
        "{remedy}",
    ),
    "E136": Entry(
        "{what}: {engine} cannot check that",
        "a verdict covers every declaration of the spec",
        "use `everystate check` with its native engine",
    ),
    "E139": Entry(
        "{spec} distinguishes the values of {sets}, or may do so: {problem}",
        "symmetry reduction explores one of all states that differ by a permutation of these values, so no method "
        "may distinguish them",
        "do not order, single out or count with these values; or use range(n)",
    ),
    "E123": Entry(
        "{spec}.{name} is marked as fair but is not an action: it is marked as {kind}",
        "fairness means that an action is not neglected for ever",
        "remove @fair or @strongly_fair, or put @action below it",
    ),
    "E124": Entry(
        "{spec} has the temporal property {name} and a view",
        "a view treats states with equal views as one state, which can hide behaviours that a temporal property is "
        "about",
        "remove @view, or move the temporal property to a subclass without it",
    ),
    "E125": Entry(
        "{name} is marked as {kind}, but it is {what}",
        "such a decorator belongs on a method that the checker can call on a state",
        "{remedy}",
    ),
    "E126": Entry(
        "{cls}.{name} is defined twice in one class: the definition in line {first} is lost",
        "Python keeps only the last definition of a name, without a warning",
        "rename one of them, or remove it",
    ),
    "E127": Entry(
        "{name} is marked as {kind}, but the class has no such method",
        "the name was assigned again, or a decorator above this one replaced the method",
        "use another name, or put this decorator above the others",
    ),
    "E128": Entry(
        "{spec}.{name} is marked as {kind}, but it overrides what is marked as {base}",
        "an override replaces the inherited method, so the inherited declaration would be lost",
        "keep the kind (the override inherits the decorator), or use another name",
    ),
    "E129": Entry(
        "{name} is marked twice: as {first} and as {second}",
        "a method has exactly one kind",
        "write one method for each",
    ),
    "E130": Entry(
        "{name} is marked as {kind} {place}, where it is not checked",
        "only methods of a spec and of its base classes are checked",
        "move it into the class of the spec",
    ),
    "E131": Entry(
        "self.{name} = {value} in variables(): {problem}",
        "variables() declares a variable if the value is a domain, and a derived constant otherwise",
        "{remedy}",
    ),
    "E132": Entry(
        "{spec}.{name} is a domain in the body of the class",
        "here it would be a Python object that is the same in every state and counts as true",
        "move it: `def variables(self): self.{name} = ...`",
    ),
    "E133": Entry(
        "{spec}.{name} has no decorator, and it is not a name that the checker knows",
        "it looks like {meant}, but the checker would never call it",
        "{remedy}",
    ),
    "E142": Entry(
        "{spec} cannot be checked with --spill: {reason}",
        "a search on disk finds states in another order and does not store the graph of steps",
        "check it without --spill, with more memory or with --compress",
    ),
    "E137": Entry(
        "the fairness of {name} is {fairness}: {problem}",
        "actions with the same together=NAME share one fairness condition (one for each value of each=PARAMETER), "
        "so they must agree on each= and on weak or strong",
        "write the same above each of them, or use another name",
    ),
    "E143": Entry(
        "may_terminate of {spec} is {value}, not True or False",
        "it decides whether a state without successors is a normal end or a deadlock; any other value would hide "
        "deadlocks or report normal ends",
        "write True or False; if only some states are ends, give them an action that changes nothing",
    ),
    "E144": Entry(
        "{spec} has {number} combinations of initial values, more than the {most} that a search can try",
        "every combination is tried, to see whether it is an initial state; so many would take hours",
        "name fewer values in init=, or choose values in an @initial method, after require(...) where possible",
    ),
}
