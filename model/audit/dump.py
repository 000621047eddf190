"""Reads the text of kafka-dump-log.sh, of brokers 0.11 to 4.x: a line for each batch, or for each record.

    0.11 to 1.x   baseOffset: .. lastOffset: .. baseSequence: .. .. position: .. CreateTime: .. isvalid: .. size: ..
                  with --deep-iteration a line for each record instead: offset: .. position: .. .. sequence: ..
    2.0 and later baseOffset: .. lastOffset: .. count: .. baseSequence: .. .. isControl: .. .. isvalid: ..
                  with --deep-iteration or --print-data-log the records follow: | offset: .. payload: ..
    3.0 and later the same with deleteHorizonMs, and the codec in lower case

Fields are found by their names, so their order does not matter. A line that cannot be read is a flaw, whether it
begins like that of a batch or not (see stray_lines.py). `Dumping PATH` starts a segment.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from .batch_lines import read_lines
from .record_lines import Records
from .schema import Flaw, Header, Items
from .stray_lines import StrayLines

WINDOW = 8 << 20
LONGEST = 16 << 20
"""A line above this size is passed over; no line of a batch has more than a few hundred bytes."""
START = b"baseOffset:"
MARK = re.compile(rb"^(?:Dumping (?P<path>.+)|Found (?P<rest>\d+) invalid bytes at the end of .*)$", re.MULTILINE)
PREFIX = (
    rb"(?:[\w.\-]+ +\| ?)?(?:\[pod/[^\]\r\n]+\] )?"
    rb"(?:\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?:std(?:out|err) [FP] )?)?[ \t]*"
)
"""What Docker Compose and Kubernetes put before a line, and blanks."""
PREFIXED = re.compile(rb"^(?=[^\r\n])(" + PREFIX + rb")([^\r\n]*)", re.MULTILINE)
LINE = re.compile(rb"^baseOffset:.*$", re.MULTILINE)


def read_dump(stream: BinaryIO, start: int = 0, end: int | None = None, indented: bool = False) -> Items:
    """The items of a dump, in order; of a large one the lines that begin in [start, end), the stream being at start.

    What is before the lines of an `indented` one, blanks or the prefix of a tool, becomes blanks at their ends: all
    positions stay.

    Where a dump is read in parts, each part but the first begins in an unknown segment: items before its first Header
    belong to the last Header of the parts before it.
    """
    records, stray = Records(), StrayLines(whole=not start)
    empty = not start
    for text, at in _windows(stream, start, end):
        lines = PREFIXED.sub(_behind, text) if indented else text
        for item in _window(lines, at, records, stray):
            empty = empty and isinstance(item, Header)
            yield item
    for item in (*records.flush(), *stray.flush()):
        empty = False
        yield item
    if empty and end is None:
        yield Flaw("empty", 0, 0, "the dump has no batch")


def _behind(line: re.Match[bytes]) -> bytes:
    """A line with as many blanks behind it as there are characters before it."""
    return line[2] + b" " * len(line[1])


def _windows(stream: BinaryIO, start: int, end: int | None) -> Iterator[tuple[bytes, int]]:
    """Whole lines, some MiB at a time, and the byte at which each chunk begins."""
    rest, at = b"", start
    if start:
        at = start - 1 + _pass_line(stream)
    while end is None or at + len(rest) < end:
        part = stream.read(WINDOW if end is None else min(WINDOW, end - at - len(rest)))
        if not part:
            break
        text = rest + part
        cut = text.rfind(b"\n") + 1
        if cut:
            yield text[:cut], at
        elif len(text) > LONGEST:
            cut = len(text) + _pass_line(stream)
        rest, at = text[cut:], at + cut
    if rest:
        rest += stream.readline(LONGEST)
        yield rest.removesuffix(b"\n") + b"\n", at


def _pass_line(stream: BinaryIO) -> int:
    """Pass over the rest of a line; its length."""
    passed = 0
    while part := stream.readline(LONGEST):
        passed += len(part)
        if part.endswith(b"\n"):
            break
    return passed


def _window(text: bytes, at: int, records: Records, stray: StrayLines) -> Items:
    if b"\r\n" in text:
        text = text.replace(b"\r\n", b" \n")
    first = 0
    for mark in _marks(text):
        yield from _region(text[first : mark.start()], at + first, records, stray)
        yield from records.flush()
        yield from stray.flush()
        stray.pass_line()
        if mark["path"] is not None:
            path = mark["path"].decode("utf-8", "replace").strip()
            stray.begin(path)
            yield Header(path)
        else:
            yield Flaw("truncated", -1, int(mark["rest"]), "told by the dump")
        first = mark.end() + 1
    yield from _region(text[first:], at + first, records, stray)


def _marks(text: bytes) -> list[re.Match[bytes]]:
    """The lines that are about a segment; found by their first words, which is ten times faster than a search."""
    places = [0]
    for word in (b"\nDumping ", b"\nFound "):
        at = text.find(word)
        while at >= 0:
            places.append(at + 1)
            at = text.find(word, at + 1)
    return [mark for at in sorted(places) if (mark := MARK.match(text, at))]


def _region(text: bytes, at: int, records: Records, stray: StrayLines) -> Items:
    """Lines of one segment."""
    others = True
    if START in text:
        lines = text.count(b"\n")
        others = not text.startswith(START) or text.count(b"\n" + START) < lines - 1
        batches = b"\n".join(LINE.findall(text)) + b"\n" if others else text
        if batches != b"\n":
            yield from read_lines(batches, text, at)
    if others:
        yield from records.read(text)
    yield from stray.read(text, at)
