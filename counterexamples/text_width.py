"""Text widths without a font: those of DejaVu Sans, one of the widest fallback fonts of browsers.

Boxes made for it hold the same text in Arial, Helvetica or Segoe UI, with some space to spare.
"""

from __future__ import annotations

from itertools import accumulate

_WIDTHS = (
    "32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 53 "
    "100 68 69 70 77 63 58 77 75 29 29 66 56 86 75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 "
    "50 61 63 55 63 62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 34 64 84"
)
ADVANCE = {chr(32 + at): int(width) / 100 for at, width in enumerate(_WIDTHS.split())}
"""Width of each printable ASCII character, in units of the font size."""
BOLD = 1.2


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of a text, in the unit of `size`."""
    return sum(ADVANCE.get(character, 1.0) for character in text) * size * (BOLD if bold else 1.0)


def wrap(text: str, size: float, room: float, bold: bool = False) -> list[str]:
    """The text in lines of at most the width `room`; a longer word is cut, after a _ where it has one."""
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and width(joined, size, bold) <= room:
            lines[-1] = joined
        else:
            lines += _cut(word, size, room, bold)
    return lines or [""]


def balanced(text: str, size: float, room: float) -> list[str]:
    """The text in as few lines as `wrap` needs, of about equal length."""
    lines = wrap(text, size, room)
    narrow = room
    while len(lines) > 1 and len(narrower := wrap(text, size, narrow - size)) == len(lines):
        lines, narrow = narrower, narrow - size
    return lines


def _cut(word: str, size: float, room: float, bold: bool) -> list[str]:
    pieces = []
    while width(word, size, bold) > room and len(word) > 1:
        ends = accumulate(width(character, size, bold) for character in word)
        most = max(1, sum(end <= room for end in ends))
        most = word.rfind("_", 0, most) + 1 or most
        pieces.append(word[:most])
        word = word[most:]
    return [*pieces, word]


def fitting(lines: list[str], size: float, bold: bool = False) -> float:
    """The width of the longest line."""
    return max(width(line, size, bold) for line in lines)
