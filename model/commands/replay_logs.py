"""The logs that replays leave: where they go, and what the audit makes of them."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from ...checker.cli.spark import opened
from ...checker.errors import EverystateError
from ...checker.extras import command, missing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from ..cluster.outcome import Outcome


def room_for_logs(given: dict[str, Any], stack: ExitStack) -> Path | None:
    """The folder for logs: a new one of the user, a temporary one, or none."""
    if given["logs"] is not None:
        folder: Path = given["logs"].resolve()
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise click.UsageError(f"--logs: {given['logs']} is not an empty folder; name a new one")
        return folder
    return None if given["no_audit"] else Path(stack.enter_context(TemporaryDirectory(prefix="everystate-replay-")))


class Auditor:
    """Adds to an outcome what the audit makes of its logs; Spark is started for the first one."""

    def __init__(self, given: dict[str, Any], stack: ExitStack) -> None:
        self.given, self.stack = given, stack
        self.spark: SparkSession | None = None

    def add(self, outcome: Outcome, logs: Path | None) -> None:
        """What is not judged or differs has nothing that an audit could confirm."""
        from ..cluster.audited import judge
        from ..cluster.report import exit_code

        if self.given["no_audit"] or logs is None or exit_code(outcome) or outcome.not_audited:
            return
        outcome.not_audited = _why_not()
        if outcome.not_audited:
            return
        began = time.perf_counter()
        try:
            outcome.audited = judge(outcome, self._session(), folder_of(logs, outcome.shows))
        except EverystateError as problem:  # such as a Spark that does not start: the replay is judged all the same
            outcome.not_audited = f"{problem.what} ({problem.code})"
            return
        outcome.seconds["audit"] = time.perf_counter() - began
        outcome.not_judged = outcome.audited.disagrees

    def _session(self) -> SparkSession:
        if self.spark is None:
            given = {"workers": None, "master": None, "quiet": self.given["quiet"]}
            self.spark = self.stack.enter_context(opened(given, "everystate replay"))
        return self.spark


def _why_not() -> str:
    """Why there can be no audit here; empty where there can."""
    package = missing("pyspark", "pyarrow", "google_crc32c")
    return f"{package} is not installed: {command('spark')}" if package else ""


def folder_of(logs: Path, behaviour: str) -> Path:
    """Where the logs of one behaviour go."""
    return logs / behaviour.replace(" ", "-")
