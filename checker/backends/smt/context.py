"""What z3 is asked in one check is asked in a context of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import z3


@contextmanager
def own_context() -> Iterator[None]:
    """Formulas that are made in the body know nothing of others; a decorator, too.

    Which solution z3 finds depends on what else its context holds: in a common one, what is told would depend on what
    the process was asked before, and every formula would be kept until it ends.
    """
    before = z3.z3._main_ctx
    z3.z3._main_ctx = z3.Context()
    try:
        yield
    finally:
        z3.z3._main_ctx = before
