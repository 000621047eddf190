"""docs/reference/errors.md: an entry for each code of the catalogue, with an example from the transcripts of bad input.

An example is the shortest command of tests/cli/bad_input that ends in this error, with the files that it names.
Those transcripts are executed, so the examples are what happens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from everystate.checker.errors import CATALOGUE, Entry

from .page import BLOCK, ROOT

PATH = ROOT / "docs" / "reference" / "errors.md"
TRANSCRIPTS = ROOT / "tests" / "cli" / "bad_input"
GROUPS = {
    "E1": "Loading a spec",
    "E2": "The language, and running a spec on symbols",
    "E3": "Errors of a spec in a state that it reaches",
    "E4": "Files",
    "E5": "The machine, and proofs",
    "E6": "Spark, and the audit of logs",
    "E7": "Kafka's own classes and brokers",
}
DISK, SPARK = "a disk that is full", "a run on Spark"
KAFKA, BROKERS = "jars of Kafka and a Java", "brokers of Kafka"
UNSHOWN = {
    "E115": "a spec with more than 60,000 actions",
    "E206": "an action that computes for ten seconds",
    "E211": "a mistake in the checker",
    "E212": "an initial value that an enum does not have",
    "E232": "a program that changes a spec while it is executed",
    "E207": "a mistake in the checker",
    "E225": "a page that draws a state",
    "E217": "a mistake in the checker",
    "E404": "a file in another encoding",
    "E450": "a port that is taken",
    "E502": "a process with little address space",
    "E503": "a mistake in the checker",
    "E505": "a mistake in the checker",
    "E506": "a text for readers that ends the process",
    "E515": "an installation without its sources",
    "E520": "a JAVA_HOME that is of no use",
    "E603": "a broken Spark",
    "E606": SPARK,
    "E607": SPARK,
    "E620": SPARK,
    "E621": SPARK,
    "E622": SPARK,
    "E623": SPARK,
    "E624": SPARK,
    "E625": "an executor that is killed",
    "E626": DISK,
    "E627": "a run on Spark whose files are damaged",
    "E628": SPARK,
    "E703": "a repository that cannot be reached",
    "E704": "a jar of Kafka that was changed",
    "E706": DISK,
    "E709": KAFKA,
    "E710": KAFKA,
    "E711": DISK,
    "E712": "a mistake in the driver of Kafka",
    "E731": BROKERS,
    "E732": BROKERS,
    "E733": BROKERS,
    "E734": DISK,
    "E736": "a machine on which everything listens",
}
"""What it takes to meet the errors that have no example, in words for the page."""
HEAD = """\
# Errors

Every error that Everystate tells has a code. It ends with the address of its entry here, which the prompt shows as
well: `everystate errors E204`, and `everystate errors` for a list. Words in *italics* stand for what an error
names. This page is made from the catalogue in `checker/errors/`; its examples are executed by the tests.

After an error the exit code is 150 unless its entry says something else.
"""


@dataclass(frozen=True)
class Example:
    """A command that ends in an error: the files that it needs, and what is typed and printed."""

    files: tuple[str, ...]
    console: str

    def __str__(self) -> str:
        return "\n\n".join([*self.files, f"```console\n{self.console}```"])


def page() -> str:
    """The page as it should be."""
    shown = examples()
    parts = [HEAD]
    for group, title in GROUPS.items():
        parts.append(f"## {group}: {title}\n")
        codes = sorted(code for code in CATALOGUE if code.startswith(group))
        parts += [entry(code, CATALOGUE[code], shown.get(code)) for code in codes]
    return "\n".join(parts)


def entry(code: str, found: Entry, example: Example | None) -> str:
    """One entry: what, why, what to do, the exit code where it is a special one, the example."""
    lines = [f"### {code}", "", plain(found.what), "", f"- why: {plain(found.why)}", f"- do: {plain(found.remedy)}"]
    if found.exit_code != 150:
        lines.append(f"- exit code: {found.exit_code}")
    shown = str(example) if example is not None else f"No example: it takes {UNSHOWN.get(code, '?')}."
    return "\n".join([*lines, "", shown, ""])


def plain(template: str) -> str:
    """A template as a sentence: facts in italics, hints left out."""
    text = re.sub(r"\{(suggestion|hint|detail|before|now)\}", "", template)
    text = re.sub(r":?\n\s*\{\w+\}", "", text)
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(re.sub(r"\{(\w+)(?:!r)?\}", _in_code if part[:1] == "`" else r"*\1*", part) for part in parts)


def _in_code(fact: re.Match[str]) -> str:
    return fact.group(1).upper()


def examples() -> dict[str, Example]:
    """For each code the shortest example of the transcripts; the first of those that are equally long."""
    found: dict[str, Example] = {}
    for path in sorted(TRANSCRIPTS.glob("*.md")):
        for code, example in _in(path.read_text("utf-8")):
            if code not in found or len(str(example)) < len(str(found[code])):
                found[code] = example
    return found


def _in(text: str) -> Iterator[tuple[str, Example]]:
    """The examples of one transcript: (code, example)."""
    files: dict[str, str] = {}
    for block in BLOCK.finditer(text):
        kind, name, body = block.groups()
        if kind != "console":
            files[name] = block.group()
            continue
        for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE)[1:]:
            code = re.search(r"^error (E\d+):", part, re.MULTILINE)
            if code is not None:
                command = part.partition("\n")[0]
                needed = tuple(file for name, file in files.items() if name and name in command)
                yield code.group(1), Example(needed, part.rstrip("\n") + "\n")
