"""Answers that are kept: a series of runs that was stopped, even by kill -9, goes on where it was.

A folder has a file to which each answer is added as soon as it is there. An answer belongs to a key: what was asked,
and what the logs of the run hold. So a run whose log has changed is followed anew.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..errors import EverystateError
from .answer import DEVIATES, FOLLOWS, VIOLATED, RunAnswer
from .events import Event
from .logs import unreadable

FILE = "answers.jsonl"
PIECE = 1 << 20
Parts = Sequence[str | Sequence[Event]]


class AnswerStore:
    """The answers in a folder; `asked` is all that the answers depend on beside the logs."""

    def __init__(self, folder: Path, asked: str) -> None:
        self.asked, self.path = asked, folder / FILE
        self._known: dict[str, RunAnswer] = {}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._read()
            self._file = self.path.open("a", encoding="utf-8")
        except OSError as error:
            raise EverystateError(
                "E403", None, path=str(folder), reason=(error.strerror or str(error)).lower()
            ) from None

    def _read(self) -> None:
        """What is there; the last line may have been cut off, and is then overwritten."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                key, code, verdict, lines, answer = json.loads(line)
                self._known[key] = RunAnswer(code, verdict, tuple(lines), answer)
            except (ValueError, TypeError, RecursionError):
                raise unreadable(str(self.path), ValueError(f"line {number} is no answer; delete the file")) from None

    def key(self, name: str, parts: Parts) -> str | None:
        """The key of a run; None where a log cannot be read, which is told when it is followed."""
        digest = hashlib.sha256(json.dumps([self.asked, name]).encode())
        for part in parts:
            try:
                digest.update(_content(part))
            except OSError:
                return None
        return digest.hexdigest()

    def __getitem__(self, key: str | None) -> RunAnswer | None:
        return self._known.get(key) if key is not None else None

    def add(self, answers: Iterable[tuple[str | None, RunAnswer]]) -> None:
        """Keep answers; of those that another try could change nothing is kept."""
        for key, answer in answers:
            if key is not None and answer.verdict in (FOLLOWS, VIOLATED, DEVIATES):
                row = [key, answer.exit_code, answer.verdict, answer.lines, answer.data]
                self._file.write(json.dumps(row) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _content(part: str | Sequence[Event]) -> bytes:
    digest = hashlib.sha256()
    if isinstance(part, str):
        with open(part, "rb") as file:
            while piece := file.read(PIECE):
                digest.update(piece)
    else:
        for event in part:
            digest.update(repr(event).encode())
    return digest.digest()
