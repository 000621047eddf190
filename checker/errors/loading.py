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
        "{target} holds no spec",
        "a spec is a class that derives from everystate.checker.Spec and is defined in this file",
        "define `class MySpec(Spec)` in it",
    ),
    "E105": Entry(
        "{target} holds several specs: {names}",
        "one target is one spec",
        "name one of them: {target}:{first}",
    ),
    "E106": Entry(
        "{target} has no class {name!r}{suggestion}",
        "the part of a target after the colon is the name of a Spec class in that file",
        "use one of: {names}",
    ),
    "E107": Entry(
        "{spec} has no constant {name!r}{suggestion}",
        "only the class attributes made with Constant(...) can be set from outside",
        "use one of: {names}",
    ),
    "E108": Entry(
        "constant {name} of {spec} must be {expected}, not {value!r}",
        "a constant has the type of its default value, {default!r}",
        "give it a value of that type: -c {name}={default}",
    ),
    "E109": Entry(
        "-c {text!r} is not of the form NAME=VALUE",
        "constants are set one by one",
        "write for example: -c {example}",
    ),
    "E110": Entry(
        "{spec} has no action{detail}",
        "without an action no state has a successor, so there is nothing to explore",
        "mark at least one method with @action, and give its parameters values",
    ),
    "E111": Entry(
        "{spec} declares no variable",
        "a state is what variables() declares; without variables there is only one state",
        "declare them in `def variables(self)`, for example: self.count = Int(0, 3)",
    ),
    "E112": Entry(
        "the assumption {name} of {spec} is false for {constants}",
        "{doc}",
        "choose other constants",
        10,
    ),
    "E113": Entry(
        "{spec}.variables() failed: {error}",
        "it is run once, when the spec is created, to learn the variables and their domains",
        "fix it; only constants may be read in it",
    ),
    "E114": Entry(
        "{spec}.{name}: the values of parameter {parameter!r} are missing",
        "every parameter ranges over a finite set that the decorator names",
        "write @{mark}({parameter}=range(3)), or @{mark}({parameter}=lambda self: range(self.n))",
    ),
    "E115": Entry(
        "{spec} has {count} {kind}, more than the {limit} that one check can hold",
        "{reason}",
        "split the spec, or check some of them at a time",
    ),
    "E116": Entry(
        "{name!r} of {spec} has the name of {other}",
        "self.{name} can mean one thing only",
        "rename one of them",
    ),
    "E117": Entry(
        "{spec}.{name}() failed: {error}",
        "it is evaluated once, when the spec is created, on constants alone",
        "fix it",
    ),
    "E118": Entry(
        "{spec} has no initial state",
        "init= and @initial leave no state to begin with, so every property would hold of nothing",
        "relax the require(...) of its @initial methods",
    ),
    "E119": Entry(
        "the values of parameter {parameter!r} of {spec}.{name} cannot be listed: {error}",
        "what the decorator names is a domain, a finite collection, a function of the spec, or the name of a constant",
        "write for example @{mark}({parameter}=range(3)), or @{mark}({parameter}=lambda self: range(self.n))",
    ),
    "E120": Entry(
        "{spec} overrides {name}",
        "a spec is created by the checker, which binds the constants and lists the actions",
        "make inputs class attributes with Constant(...), and declare the state in variables()",
    ),
    "E121": Entry(
        "{spec}.{name} takes {given} after self, but {kind} takes {expected}",
        "the checker calls it with the state as self and, for what is about steps, the state before as its argument",
        "write `def {name}({signature})`",
    ),
    "E122": Entry(
        "a property of {spec} is called {name!r}",
        "reports use this name for what the checker itself finds",
        "give it another name",
    ),
    "E134": Entry(
        "{constraints} every initial state of {spec}",
        "a state outside a constraint is checked, but no step is taken from it, so nothing would be explored and every "
        "property would hold of nothing",
        "widen the constraint, or begin inside it",
    ),
    "E135": Entry(
        "{name}, which is to map a state to one of {abstract}, {problem}",
        "@refines(Abstract) takes a spec, and below it stands a method that returns a value for each of its variables",
        "{remedy}",
    ),
    "E136": Entry(
        "{what}: {engine} cannot judge that",
        "a verdict never leaves out what a spec says without a word",
        "use `everystate check` with its native engine",
    ),
    "E139": Entry(
        "{spec} treats the values of {sets} differently, or may: {problem}",
        "of states that differ by a permutation of interchangeable values only one is explored, so nothing may depend "
        "on which of them it is, in no state of the domains",
        "do not compare them by order, single one out or count with them; index by them with Map(nodes, ...); or write "
        "range(n) instead, and every state is explored",
    ),
    "E123": Entry(
        "{spec}.{name} is marked as fair, but it is no action: its mark is {kind}",
        "fairness says of an action that it is not neglected for ever",
        "remove @fair or @strongly_fair, or put @action below it",
    ),
    "E124": Entry(
        "{spec} has the temporal property {name} and a view",
        "with a view, steps between states with equal views are left out, and with them ways on which nothing happens",
        "remove @view, or put the temporal property into a subclass without it",
    ),
    "E125": Entry(
        "{name} is marked as {kind}, but it is {what}",
        "what is marked, in the class or in one that it derives from, is a method that the checker calls on a state",
        "{remedy}",
    ),
    "E126": Entry(
        "{cls}.{name} is defined twice in one class: the definition in line {first} is lost",
        "in the body of a class the last definition of a name wins, and Python says nothing",
        "rename one of them, or remove it",
    ),
    "E127": Entry(
        "{name} is marked as {kind}, but it is no method of its class in the end",
        "its name was used again, or a decorator above the mark has put something else in its place",
        "give it a name of its own, or put the mark above the other decorators",
    ),
    "E128": Entry(
        "{spec}.{name} is marked as {kind}, but it overrides what is marked as {base}",
        "an override takes the place of the method that it overrides, so what that one declares would be dropped",
        "keep the kind, which needs no mark to be stated again, or use another name",
    ),
    "E129": Entry(
        "{name} is marked twice: as {first} and as {second}",
        "a method says one thing, and of two marks one would be dropped",
        "write a method for each",
    ),
    "E130": Entry(
        "{name} is marked as {kind} {place}, where no spec sees it",
        "only methods of a spec, and of the classes that it derives from, are checked",
        "move it into the class of the spec",
    ),
    "E131": Entry(
        "self.{name} = {value} in variables(): {problem}",
        "what variables() assigns is a variable if it is a domain, and a derived constant otherwise",
        "{remedy}",
    ),
    "E132": Entry(
        "{spec}.{name} is a domain in the body of the class",
        "state is what variables() declares; here it would be a value of Python that is always the same, and true",
        "move it: `def variables(self): self.{name} = ...`",
    ),
    "E133": Entry(
        "{spec}.{name} is neither marked nor a name that the checker knows",
        "it looks like {meant}, and what only looks so is never called",
        "{remedy}",
    ),
    "E141": Entry(
        "{spec} cannot be checked with --reduce: {reason}",
        "partial-order reduction leaves out states; that is proved to change no answer about states and steps, but not "
        "about whole behaviours, nor where states count as one that have different values",
        "check it without --reduce",
    ),
    "E142": Entry(
        "{spec} cannot be checked with --spill: {reason}",
        "on disk states are found in another order than in memory, and the graph of their steps is not kept",
        "check it without --spill, with more memory or with --compress",
    ),
    "E137": Entry(
        "the fairness of {name} is {fairness}: {problem}",
        "@fair(together=NAME) makes one disjunction of all actions with that name, with each=PARAMETER one for each of "
        "its values; so they must agree on both, and on weak or strong",
        "write the same above each of them, or use another name",
    ),
    "E143": Entry(
        "may_terminate of {spec} is {value}, and neither True nor False",
        "it says whether a state without successors is an end or a deadlock; asked as a condition this would be the "
        "same in every state, so deadlocks would be passed over, or ends reported as deadlocks, without a word",
        "write `may_terminate = True` or `False` in the class; where only some states are an end, give these an action "
        "that changes nothing",
    ),
}
