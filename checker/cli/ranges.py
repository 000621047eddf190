"""Constants left open on the command line: --open window=1..4,max_in_flight=1..4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import EverystateError, suggestion
from ..language.spec import Spec
from ..results.plain import show_constants

if TYPE_CHECKING:
    from ..engines.opened import Opened


def ranges(cls: type[Spec], text: str) -> dict[str, range]:
    """The ranges of --open; E512 when malformed, E107 for an unknown constant."""
    declared = cls.declared_constants()
    whole = {n: c.default for n, c in declared.items() if type(c.default) is int}
    found: dict[str, range] = {}
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\w+)\s*=\s*(-?\d+)\s*\.\.\s*(-?\d+)\s*", part)
        if match is None or int(match[2]) > int(match[3]):
            example = next((f"{n}={v}..{v + 2}" for n, v in whole.items()), "n=1..3")
            raise EverystateError("E512", None, text=text, example=example)
        if match[1] not in whole:
            facts = {"suggestion": suggestion(match[1], list(whole)), "names": ", ".join(whole)}
            raise EverystateError("E107", None, spec=cls.__name__, name=match[1], **facts)
        found[match[1]] = range(int(match[2]), int(match[3]) + 1)
    return found


def told(opened: Opened) -> str:
    """Which choices of the open constants violate something."""
    lines = [
        f"  {show_constants(choice)}: {', '.join(names)} after {length} steps"
        for choice, names, length in opened.violating
    ]
    if not lines:
        return ""
    title = "every violating choice:" if opened.complete else "violating choices of least length:"
    end = [f"safe exactly where {opened.relation}"] if opened.relation else []
    return "\n".join([title, *lines, *end]) + "\n"
