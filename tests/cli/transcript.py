"""Transcripts: Markdown files whose commands are executed and whose outputs are compared.

A fenced block `console` holds commands (`$ everystate ...`), each followed by its output and, if it is not 0,
by its exit code in brackets. A fenced block `python NAME` or `text NAME` is written to the file NAME first.
Times, speeds and sizes are masked. UPDATE_TRANSCRIPTS=1 rewrites the outputs.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path

from everystate.checker.cli.main import main

Run = Callable[[list[str]], tuple[str, int]]
BLOCK = re.compile(r"^```(\w+)[ ]?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MASKS = (
    (re.compile(r"\b\d+\.\d\d s\b"), "0.00 s"),
    (re.compile(r"[\d.]+[kM]? (states|events)/s"), r"1.0M \1/s"),
    (re.compile(r"\b\d+ bytes/state"), "32 bytes/state"),
    (re.compile(r'"(seconds|states_per_second|bytes_per_state)": [\d.]+'), r'"\1": 0'),
    (re.compile(r'"times": \{[^}]*\}'), '"times": {}'),
    (re.compile(r"^ +[~^]{2,} *\n", re.MULTILINE), ""),  # Python 3.13 marks more of a line than 3.11 does
    (re.compile(r"(statistics\.py):\d+"), r"\1:335"),
    (re.compile(r"\binteger division or modulo by zero"), "division by zero"),  # as Python 3.14 says it
    (re.compile(r"within 1 s\b"), "within 10 s"),
    (re.compile(r"(\S+ -m )?pip install (-e )?\S+\[(\w+)\]'"), r"pip install -e '.[\3]'"),
    (re.compile(r"(\.\./|/)\S*/(specs/\w+\.py)"), r"\2"),
)


def masked(text: str) -> str:
    """An output without what differs from run to run."""
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def play(path: Path, run: Run) -> tuple[str, str]:
    """Execute a transcript in the current folder: (the text as it stands, the text as it should be)."""
    text = path.read_text("utf-8")

    def block(found: re.Match[str]) -> str:
        kind, name, body = found.groups()
        if kind == "console":
            body = _console(body, run)
        elif name:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(body, "utf-8")
        return f"```{kind}{' ' + name if name else ''}\n{body}```"

    played = BLOCK.sub(block, text)
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        path.write_text(played, "utf-8")
    return text, played


def _console(body: str, run: Run) -> str:
    commands = [line for line in body.splitlines() if line.startswith("$ ")]
    return "\n".join(_command(line, run) for line in commands)


def _command(line: str, run: Run) -> str:
    words = shlex.split(line[2:])
    assert words[0] == "everystate", f"only everystate can be run in a transcript, not {words[0]}"
    output, code = run(words[1:])
    return f"{line}\n{masked(output)}" + (f"[exit {code}]\n" if code else "")


def runner(read: Callable[[], tuple[str, str]]) -> Run:
    """Runs a command line in this process; `read` returns what was printed since (stdout, stderr)."""

    def run(arguments: list[str]) -> tuple[str, int]:
        code = main(arguments)
        out, err = read()
        return out + err, code

    return run
