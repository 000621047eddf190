"""Where a key stands in a TOML text: tomllib forgets lines, and an error should name one."""

from __future__ import annotations

import re
from collections.abc import Iterator

HEADER = re.compile(r"\s*\[\[?\s*([\w.\"'-]+)\s*\]\]?\s*(#.*)?")


def line_of(text: str, table: str, index: int, key: str = "") -> int:
    """The line of a key in the index-th [[table]] (or in [table]); that of the table if the key is not found."""
    section = list(_section(text, table, index))
    first = section[0][0] if section else 1
    if not key:
        return first
    name = rf"[\"']?{re.escape(key)}[\"']?"
    for pattern in (rf"\s*{name}\s*[=.]", rf"\s*\[[\w.]*\.{name}\s*\]", rf".*[{{,]\s*{name}\s*="):
        for number, line in section:
            if re.match(pattern, line):
                return number
    return first


def _section(text: str, table: str, index: int) -> Iterator[tuple[int, str]]:
    """The lines of one table, those of its sub-tables included."""
    seen, inside = -1, False
    for number, line in enumerate(text.splitlines(), start=1):
        match = HEADER.fullmatch(line)
        if match:
            name = match[1]
            if name == table:
                seen += 1
            inside = seen == index and (name == table or name.startswith(table + "."))
        if inside:
            yield number, line
