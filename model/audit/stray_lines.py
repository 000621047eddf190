"""Lines of a dump that say nothing of a batch: the end of a dump that died, errors, lines of another program.

Keys and payloads are printed as they are and may hold line ends. So lines behind a record with a key or a payload are
taken for a part of it, except those with which Java reports that the dump has died.
"""

from __future__ import annotations

import re

from .schema import Flaw, Items

KNOWN = (
    rb"baseOffset:|offset: |\| |\|$|Dumping |Starting offset:|Log starting offset:|Found \d+ invalid bytes|"
    rb"Mismatches in :|Non-secutive|Non-consecutive|Index offset:|log4j:|SLF4J|WARNING:|Picked up "
)
"""How lines begin that tell of batches, and those with which Java and its logging start."""
STRAY = re.compile(rb"^(?!" + KNOWN + rb").*$", re.MULTILINE)
DIED = re.compile(rb"Exception in thread |java\.lang\.OutOfMemoryError|Caused by: |Killed$|Terminated$")
HELD = re.compile(rb" (?:payload|key): ")
SHOWN = 100


class StrayLines:
    """The lines of a dump that were not understood; those that follow each other are one flaw.

    Where a dump is read in parts, the first lines of a part may belong to a record of the part before.
    """

    def __init__(self, whole: bool) -> None:
        self.line, self.whole, self.of_log = 1, whole, True
        self.held = not whole
        self.open: Flaw | None = None
        self.end = -1

    def begin(self, path: str) -> None:
        """Another file begins; only lines of segments are judged."""
        self.of_log = ".log" in path.rpartition("/")[2] or "." not in path.rpartition("/")[2]
        self.held = False

    def pass_line(self) -> None:
        """A line was read elsewhere."""
        self.line += 1

    def read(self, text: bytes, at: int) -> Items:
        """The flaws that these lines of one segment complete."""
        content, end = self.held, -1
        for match in STRAY.finditer(text) if self.of_log else ():
            if match.start() == len(text):
                break
            content = content if match.start() == end else self._is_content(text, match.start())
            content = content and DIED.match(match[0]) is None
            end = match.end() + 1
            if not content and match[0].strip():
                yield from self._stray(match[0], at + match.start(), text.count(b"\n", 0, match.start()))
        if text:
            last = text.rstrip(b"\n").rpartition(b"\n")[2]
            self.held = content if end == len(text) else bool(HELD.search(last))
            self.line += text.count(b"\n")

    def _stray(self, line: bytes, start: int, lines: int) -> Items:
        if self.open is not None and start <= self.end + 2:
            self.open = Flaw("stray-line", self.open.position, self.open.amount + 1, self.open.text)
        else:
            yield from self.flush()
            words = line[:SHOWN].decode("utf-8", "backslashreplace").strip() + ("..." if len(line) > SHOWN else "")
            self.open = Flaw("stray-line", start, 1, f"line {self.line + lines:,}: {words}" if self.whole else words)
        self.end = start + len(line)

    def _is_content(self, text: bytes, at: int) -> bool:
        """Whether a line may belong to the record before it."""
        if at:
            return bool(HELD.search(text[text.rfind(b"\n", 0, at - 1) + 1 : at - 1]))
        return self.held

    def flush(self) -> Items:
        """The flaw that is open."""
        if self.open is not None:
            yield self.open
        self.open = None
