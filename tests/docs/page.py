"""Pages of the documentation that are executed, from the first block to the last, in one folder.

    console       commands (`$ everystate ...`), each with its output and, where it is not 0, its exit code: [exit 12]
    pycon         a session at the Python prompt; all sessions of a page share their names
    python        executed, with the same names
    python FILE   the content of FILE: compared where the repository has that file, written where it does not
    diff FILE     an edit of a file that the page has written; no line numbers
    text FILE     likewise, and so are yaml, toml and others

A line `...` in an output or in a file stands for lines that are left out. Times, speeds and sizes are not compared.
UPDATE_TRANSCRIPTS=1 rewrites the outputs of console blocks.
"""

from __future__ import annotations

import difflib
import doctest
import io
import linecache
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.cli.transcript import Run, masked

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)[ ]?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def execute(text: str, names: dict[str, Any], path: str = "") -> None:
    """Execute Python of a page; its source is kept, so that what it defines can be compiled."""
    path = path or f"<{hash(text):x}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    exec(compile(text, path, "exec", dont_inherit=True), names)


class Page:
    """One page, and what its blocks have in common; it is executed in the current folder."""

    def __init__(self, path: Path, run: Run) -> None:
        self.path, self.run = path, run
        self.names: dict[str, Any] = {"__name__": path.stem}

    def play(self) -> tuple[str, str]:
        """Execute every block: (the page as it stands, the page as it should be)."""
        text = self.path.read_text("utf-8")
        played = BLOCK.sub(self._block, text)
        if os.environ.get("UPDATE_TRANSCRIPTS"):
            self.path.write_text(played, "utf-8")
        return text, played

    def write_files(self) -> None:
        """Write the files of the page, as its last block leaves them; nothing is executed."""
        for kind, name, body in BLOCK.findall(self.path.read_text("utf-8")):
            if kind == "diff":
                self._edit(Path(name), body)
            elif name:
                self._file(name, body)

    def _block(self, found: re.Match[str]) -> str:
        kind, name, body = found.groups()
        line = found.string.count("\n", 0, found.start()) + 1
        if kind == "console":
            body = self._console(body)
        elif kind == "pycon":
            self._session(body, line)
        elif kind == "diff":
            self._edit(Path(name), body)
        elif name:
            self._file(name, body)
        elif kind == "python":
            execute(body, self.names, f"{self.path.name}:{line}")
        return f"```{kind}{' ' + name if name else ''}\n{body}```"

    # -- commands ------------------------------------------------------------------------------------------

    def _console(self, body: str) -> str:
        parts = re.split(r"^(?=\$ )", body, flags=re.MULTILINE)
        return "".join([parts[0], *map(self._command, parts[1:])])

    def _command(self, part: str) -> str:
        line, _, told = part.partition("\n")
        words = shlex.split(line[2:])
        assert words[0] == "everystate", f"only everystate is run on a page, not {words[0]}"
        forget_files()
        output, code = self.run(words[1:])
        output += f"[exit {code}]\n" if code else ""
        expected, actual = (masked(text).rstrip("\n").split("\n") for text in (told, output))
        if is_excerpt(expected, actual):
            return part
        blank = "\n" if part.endswith("\n\n") else ""
        return "\n".join([line, *shortened(output.rstrip().split("\n"), told.rstrip().split("\n"))]) + f"\n{blank}"

    # -- Python --------------------------------------------------------------------------------------------

    def _session(self, body: str, line: int) -> None:
        test = doctest.DocTestParser().get_doctest(body, self.names, self.path.name, str(self.path), line)
        said = io.StringIO()
        results = doctest.DocTestRunner(verbose=False).run(test, out=said.write, clear_globs=False)
        assert results.attempted, f"{self.path.name}:{line} has no session"
        assert not results.failed, said.getvalue()
        self.names.update(test.globs)

    def _file(self, name: str, body: str) -> None:
        if (ROOT / name).exists():
            whole = (ROOT / name).read_text("utf-8")
            assert is_excerpt(body.splitlines(), whole.splitlines()), f"{name} does not read like this:\n{body}"
            return
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(body, "utf-8")

    def _edit(self, path: Path, body: str) -> None:
        lines = [(line[:1], line[1:]) for line in body.splitlines()]
        old = "".join(f"{text}\n" for mark, text in lines if mark != "+")
        new = "".join(f"{text}\n" for mark, text in lines if mark != "-")
        before = path.read_text("utf-8")
        assert before.count(old) == 1, f"{path} does not hold exactly once:\n{old}"
        path.write_text(before.replace(old, new), "utf-8")


def forget_files() -> None:
    """As in a new process: files that changed are read again."""
    linecache.clearcache()
    for name in [name for name in sys.modules if name.startswith("everystate_target_")]:
        del sys.modules[name]


def is_excerpt(told: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether some lines are all of `whole`, in order, but for omissions that are marked by a line `...`."""
    runs: list[list[str]] = [[]]
    for line in told:
        if line.strip() == "...":
            runs.append([])
        else:
            runs[-1].append(line)
    at, (first, *others) = 0, runs
    if list(whole[: len(first)]) != first:
        return False
    at = len(first)
    for run in others[:-1]:
        found = [i for i in range(at, len(whole)) if list(whole[i : i + len(run)]) == run]
        if not found:
            return False
        at = found[0] + len(run)
    rest, last = whole[at:], runs[-1] if others else []
    return list(rest[len(rest) - len(last) :]) == last and (bool(others) or not rest)


def shortened(output: Sequence[str], told: Sequence[str]) -> Sequence[str]:
    """An output with the omissions that the page had so far, where they are still easy to find."""
    found: list[str] = []
    for _, i, j, k, m in difflib.SequenceMatcher(None, told, output, autojunk=False).get_opcodes():
        found += ["..."] if [line.strip() for line in told[i:j]] == ["..."] else output[k:m]
    return found if is_excerpt(found, output) else output
