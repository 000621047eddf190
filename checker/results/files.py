"""The names of files that hold a trace."""

from __future__ import annotations

import hashlib
import re


def file_stem(target: str, prop: str, mark: str = "") -> str:
    """Target, property and mark, in characters that every file system and every link takes; each may be empty.

    What this would take from two members of a property, `p(c=-1)` and `p(c=1)`, becomes a part of the mark.
    """
    if prop and not re.fullmatch(r"\w+(\(\w+=\w+(, \w+=\w+)*\))?", prop, re.ASCII):
        mark = hashlib.sha256(prop.encode()).hexdigest()[:6] + mark
    parts = (re.sub(r"[^A-Za-z0-9_]+", "-", part).strip("-") for part in (target.replace(".py", ""), prop, mark))
    return "-".join(part for part in parts if part)
