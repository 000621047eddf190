"""Which parameters of a test belong to `make test`, and which to `make test-all` alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def quick(chosen: Iterable[Any], values: Iterable[Any]) -> list[Any]:
    """All values as parameters of a test; those that are not among the chosen ones are marked as thorough."""
    kept = list(chosen)
    return [value if value in kept else pytest.param(value, marks=pytest.mark.thorough) for value in values]
