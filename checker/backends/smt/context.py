"""Runs the z3 queries of each check in a context of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import z3


@contextmanager
def own_context() -> Iterator[None]:
    """Use a new z3 context in the body; also a decorator.

    Which solution z3 finds depends on the content of its context. In a shared one, results would depend on earlier
    queries of the process, and every formula would be kept until it ends.
    """
    before = z3.z3._main_ctx
    z3.z3._main_ctx = z3.Context()
    try:
        yield
    finally:
        z3.z3._main_ctx = before
