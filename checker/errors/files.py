"""Files given to us (E4)."""

from __future__ import annotations

from .entry import Entry

ENTRIES: dict[str, Entry] = {
    "E401": Entry(
        "{path} is not a complete trace: {reason}",
        "a trace file is JSON: in the Informal Trace Format (Apalache ADR-015), or as TLC writes it",
        "write it again: `everystate check ... --out DIR`; Apalache and Quint write ITF with --out-itf FILE, "
        "TLC writes JSON with -dumpTrace json FILE",
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
    "E404": Entry(
        "{path} is not text: {reason}",
        "what is read here is text in UTF-8",
        "check that it is the file that you mean, or store it in UTF-8",
    ),
    "E405": Entry(
        "{path} cannot hold results: {reason}",
        "it is tried before the run begins, so that no result is lost at its end",
        "choose another place",
        2,
    ),
    "E406": Entry(
        "the spec of the trace is not one of `everystate list`: {target}",
        "a trace may come from somebody else, and loading a file or a module runs it",
        "if you trust it, name it yourself: --spec {quoted}",
    ),
    "E407": Entry(
        "{path} has no {wanted}: {reason}",
        "it is made from a trace of a spec that is at hand; an explanation needs a violation at its end, too",
        "name the spec of the trace with --spec; `everystate show {quoted}` shows what the file holds",
    ),
    "E408": Entry(
        "{path} cannot hold states: {reason}",
        "check --spill keeps states of the search there while it runs",
        "name a folder that can be made and written, on a disk with enough room",
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
        "what is not understood is not ignored: a mistyped key would check something else than was meant",
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
        "fix the event, or translate it with --map FILE; `everystate show` on a trace of the spec shows its names",
    ),
    "E442": Entry(
        "{path} holds no {what}",
        "a log that says nothing is a behaviour of every spec, so that it follows would prove nothing",
        "check the path, and what the file given to --map makes of it{needs}",
    ),
    "E443": Entry(
        "{name} in {path} failed on {place}: {error}",
        "it reads the entries of the log, and what it cannot read may be what matters",
        "fix the log, or the function; for an entry that says nothing of the spec it gives nothing",
    ),
    "E444": Entry(
        "{path} translates nothing: {reason}",
        "the file given to --map is a Python module with one function that reads the entries of the log",
        "define event(entry), line(text) for lines that are not JSON, or log(lines); "
        "docs/how-to/follow-a-log.md shows them",
    ),
    "E445": Entry(
        "{spec} has no goal",
        "the cases are to reach every property that is marked @reachable",
        "mark one, or cover something else: --cover actions, --cover steps",
        2,
    ),
    "E446": Entry(
        "{place} cannot be put in order: {what}",
        "an order that is not the one in which things happened makes a deviation where there is none",
        "--runs follows each run by itself; without --clock, or with a larger SKEW, clocks matter less",
    ),
    # E45: pages that are served -----------------------------------------------------------------------------
    "E450": Entry(
        "port {port} of this machine cannot be used: {reason}",
        "the page is served there, for this machine alone",
        "choose another with --port N, or leave it out: then a free one is taken",
        2,
    ),
}
