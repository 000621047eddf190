"""What an engine makes of a spec's text: its verdict, or the error with which it is refused."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from tests.agreement.readers import load


def outcome(source: str, engine: str, folder: Path) -> tuple[object, ...]:
    """("refused", code), or verdict, violations with their lengths, and counts."""
    try:
        spec = load(source, folder)
        result = python.check(spec) if engine == "python" else exhaustive.check(build(spec))
    except EverystateError as error:
        assert error.where is not None or error.code == "E217", "the error names no line"
        return ("refused", error.code)
    return (result.verdict, tuple((v.property, v.length) for v in result.violations), result.distinct, result.generated)


def meaning(source: str, folder: Path) -> tuple[object, ...]:
    """The same of plain Python, for a spec that another engine has examined and taken.

    To examine a spec is to switch a cache of `singledispatchmethod` off, which first releases of Python 3.13 have.
    """
    if "singledispatchmethod" in source:
        return outcome(source, "python", folder)
    with patch.object(python, "executed", nullcontext):
        return outcome(source, "python", folder)


def outcome_apart(source: str, engine: str, folder: Path) -> tuple[object, ...]:
    """The same from a fresh process, which has loaded few modules."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(outcome, source, engine, folder).result()
