"""What the producer does next, in the words of both sides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..wording import request_told


def next_told(requests: Sequence[Iterable[Any]]) -> str:
    """The new requests to each node."""
    message = [f"to node {node}: {request_told(each)}" for node, found in enumerate(requests) for each in found]
    return "; ".join(message) or "sends nothing"
