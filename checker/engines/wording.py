"""Numbers in sentences."""

from __future__ import annotations


def plural(number: int, noun: str) -> str:
    """`1 state`, `2,000 states`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
