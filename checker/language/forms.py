"""Forms of values: how values are written, read or typed somewhere else, as in a trace, in ITF, in a log or in a table.

A domain names the shape of its values (`Domain.shape`). A form has a method for each shape: `number`, `boolean`,
`name`, `option`, `array`, `sequence`, `members`, `pairs`, `parts` and `fields`. So a form knows no domains, and a new
domain needs no form of its own.
"""

from __future__ import annotations

from typing import Any

from .domains import Domain


class Mismatch(Exception):
    """Data is no value of a domain; the text says where and why."""


class Form:
    """A form of values; calling it with a domain, and what else its methods take, applies the method of the shape."""

    def __call__(self, domain: Domain, *given: Any) -> Any:
        return getattr(self, domain.shape)(domain, *given)


def brief(data: Any) -> str:
    """Data in JSON in a few words, for messages."""
    import json  # a search writes none

    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else f"{text[:57]}..."
