"""Files given to us (E4)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E401": Entry(
        "{path} is not a complete trace: {reason}",
        "a trace file is JSON: in the Informal Trace Format (Apalache ADR-015), or as TLC writes it",
        "write it again: `everystate check ... --out DIR`, --out-itf of Apalache and Quint, or -dumpTrace json of TLC",
    ),
    "E402": Entry(
        "{path} cannot be read: {reason}",
        "the operating system refused",
        "check the path and its permissions",
    ),
    "E403": Entry(
        "{path} cannot be written: {reason}",
        "the result cannot be stored; a verdict that was printed is still valid",
        "choose another place, or free some space",
    ),
    "E404": Entry(
        "{path} is not text: {reason}",
        "the file must be text in UTF-8",
        "check the path, or store the file in UTF-8",
    ),
    "E405": Entry(
        "{path} cannot hold results: {reason}",
        "the checker tests the place before the run, so that no result is lost",
        "choose another place",
        2,
    ),
    "E406": Entry(
        "the spec of the trace is not in `everystate list`: {target}",
        "loading a spec executes its code, and the trace may come from somebody else",
        "if you trust it, name it yourself: --spec {quoted}",
    ),
    "E407": Entry(
        "{path} has no {wanted}: {reason}",
        "this needs the spec of the trace; an explanation also needs a violation at the end of the trace",
        "name the spec of the trace with --spec",
    ),
    "E408": Entry(
        "{path} cannot hold states: {reason}",
        "check --spill stores states there during the search",
        "name a folder that can be created and written, on a disk with enough space",
        2,
    ),
    # E42: matrices and maps -------------------------------------------------------------------------------
    "E420": Entry(
        "{place} is not TOML: {reason}",
        "a matrix is written in TOML 1.0",
        "fix the line; docs/how-to/ci.md shows a whole file",
        2,
    ),
    "E421": Entry(
        "{place}: {table} has no key {key!r}{hint}",
        "unknown keys are errors, since a mistyped key would check something else",
        "use one of: {known}",
        2,
    ),
    "E422": Entry(
        "{place}: {key} in {table} must be {expected}, not {value!r}",
        "each key of a matrix holds one kind of value",
        "fix the line; docs/how-to/ci.md lists every key",
        2,
    ),
    "E423": Entry(
        "{place}: {table} lacks the key {key!r}",
        "the key is required",
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
        "{place}: a second variant has the name {name!r} (the first is in line {first})",
        "reports and baselines identify a variant by its name",
        "rename one, or leave one out with `except`",
        2,
    ),
    "E426": Entry(
        "{path} has no variant{tag}",
        "a run without variants would pass without checking anything",
        "use one of the tags: {tags}",
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
        "an axis is a whole-number constant of the target with a range of values, both ends included",
        "write for example: -x window=1..6",
        2,
    ),
    "E429": Entry(
        "{target} has no property {name!r}{suggestion}",
        "properties are what the spec declares with @invariant, @step_invariant or @reachable, and deadlock",
        "use one of: {names}",
        2,
    ),
    # E44: logs that are followed -------------------------------------------------------------------------------
    "E440": Entry(
        "{place} is not an event: {reason}",
        "unknown entries are errors, so that the whole log is compared",
        "an event is an object with some of {keys}; --map FILE translates another format",
    ),
    "E441": Entry(
        "{place}: {what}",
        "an event can only name what {spec} has",
        "fix the event, or translate it with --map FILE",
    ),
    "E442": Entry(
        "{path} contains no {what}",
        "an empty log agrees with every spec, so the result would be meaningless",
        "check the path and the output of the --map file{needs}",
    ),
    "E443": Entry(
        "{name} in {path} failed on {place}: {error}",
        "it reads the entries of the log, and an entry that it cannot read may be relevant",
        "fix the log or the function",
    ),
    "E444": Entry(
        "{path} translates nothing: {reason}",
        "the file given to --map is a Python module with one function that reads the entries of the log",
        "define event(entry), line(text) for lines that are not JSON, or log(lines); "
        "docs/how-to/follow-a-log.md shows them",
    ),
    "E445": Entry(
        "{spec} has no reachability property",
        "--cover goals finds a test for every property marked @reachable",
        "mark one, or cover something else: --cover actions, --cover steps",
        2,
    ),
    "E446": Entry(
        "{place} cannot be put in order: {what}",
        "events in a wrong order would be reported as a deviation",
        "follow runs separately (--runs); or omit --clock, or increase its SKEW",
    ),
    # E45: pages that are served -----------------------------------------------------------------------------
    "E450": Entry(
        "port {port} of this machine cannot be used: {reason}",
        "the page is served at this port, on this machine only",
        "choose another port, or omit --port to use a free one",
        2,
    ),
    # E46: modules of TLA+ ----------------------------------------------------------------------------------
    "E460": Entry(
        "{place}: {construct} cannot be translated",
        "the reader of TLA+ refuses what it does not understand, rather than guess its meaning",
        "{remedy}",
    ),
    "E461": Entry(
        "{place}: this is not TLA+: {line}",
        "the file has to be a module that SANY parses, too",
        "correct the line; a PlusCal algorithm must have been translated",
    ),
    "E462": Entry(
        "{place}: {problem}",
        "a model consists of a module and of a configuration file that gives values to its constants",
        "{remedy}",
    ),
    "E463": Entry(
        "the translation of {module} has {found}, and the module has {expected}",
        "the states of a small module are counted by direct evaluation, too; a difference is our mistake",
        "report it with the module; no verdict is given",
        255,
    ),
    "E464": Entry(
        "{problem}, and the domain of {names} is a guess",
        "a variable without a bound in the type invariant has a domain as large as the first states need, and a margin",
        "give a larger one: --bound {name}=N; no verdict is given",
        3,
    ),
}
