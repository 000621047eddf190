"""The errors page: a line for each code of the catalogue; and an example of each, from the transcripts of bad input.

An example is the shortest command of tests/cli/bad_input that ends in this error, with the files that it names.
Those transcripts are executed, so the examples are what happens.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from everystate.checker.errors import as_sentence, catalogue

from .page import BLOCK, ROOT

PATH = ROOT / "docs" / "reference" / "errors.md"
TRANSCRIPTS = ROOT / "tests" / "cli" / "bad_input"
GROUPS = {
    "E1": "Loading a spec",
    "E2": "The language and the compiler",
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
    "E463": "a mistake in the checker",
    "E464": "a module with more states than the reader looks at",
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
    "E736": "a machine without a free port",
}
"""What it takes to meet the errors that have no example, in words for the page."""
HEAD = """\
# Errors

An error prints its code, what happened, where, why it matters and what to do. `everystate errors E204` prints the entry
of one code with an example. *Italics* mark the facts of a message; the second sentence says what to do.
"""


@dataclass(frozen=True)
class Example:
    """A command that ends in an error: the files that it needs, and what is typed and printed."""

    files: tuple[str, ...]
    console: str

    def __str__(self) -> str:
        blocks = [*self.files, f"```console\n{self.console}```"]
        return "\n\n".join(BLOCK.sub(_indented, block) for block in blocks)


def page() -> str:
    """The page as it should be."""
    parts = [HEAD]
    for group, title in GROUPS.items():
        codes = sorted(code for code in catalogue() if code.startswith(group))
        parts.append(f"## {group}: {title}\n\n" + "\n".join(map(line, codes)))
    parts.append(f"## Exit codes\n\n150, except for:\n\n{exit_codes()}")
    return "\n".join(parts)


def line(code: str) -> str:
    """The line of one error: what happened and what to do."""
    entry = catalogue()[code]
    remedy = "" if re.fullmatch(r"\{\w+\}", entry.remedy) else as_sentence(entry.remedy)
    sentences = [f"{_begun(text)}." for text in (as_sentence(entry.what), remedy) if text]
    return f'<a id="{code.lower()}"></a>**{code}** {" ".join(sentences)}\n'


def _begun(text: str) -> str:
    """A sentence with a capital, unless it begins with code, such as choose()."""
    return text if re.match(r"\w+[_(.]", text) else f"{text[:1].upper()}{text[1:]}"


def exit_codes() -> str:
    """The errors with another exit code than 150; three or more that follow each other are a span."""
    spans: dict[int, list[list[str]]] = {}
    before = 0
    for code, entry in sorted(catalogue().items()):
        found = spans.setdefault(entry.exit_code, [])
        if entry.exit_code == before:
            found[-1].append(code)
        else:
            found.append([code])
        before = entry.exit_code
    texts = {
        number: ", ".join(", ".join(span) if len(span) < 3 else f"{span[0]} to {span[-1]}" for span in found)
        for number, found in spans.items()
    }
    return "".join(f"- {number}: {texts[number]}\n" for number in sorted(texts) if number != 150)


def stored_examples() -> str:
    """The file of examples as it should be: of each code an example, or what it takes to meet the error."""
    found = examples()
    texts = {code: f"No example: this error needs {needed}." for code, needed in UNSHOWN.items()}
    texts |= {code: str(example) for code, example in found.items()}
    return "".join(f"{code}\n{texts[code]}\n\n" for code in sorted(texts))


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


def _indented(block: re.Match[str]) -> str:
    """A block as the command line prints it."""
    _, file, body = block.groups()
    return (f"{file}:\n" if file else "") + textwrap.indent(body, "    ").rstrip("\n")
