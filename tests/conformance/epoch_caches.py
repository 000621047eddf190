"""What a real log says of leader epochs; it runs where there is a JVM."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from typing import Any

from everystate.model.conformance.classes import has_java_log
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.real_log import RealLog
from everystate.model.conformance.scala_log import ScalaLog


def answered(line: Any) -> tuple[bool, bool]:
    """A log with one record of epoch 5, whose broker has led in epoch 7 without a record.

    KAFKA-7415: whether it says where epoch 4 ends, which is below its first one. KAFKA-10706: whether a cut at the end
    of the log removes epoch 7.
    """
    import jpype

    with tempfile.TemporaryDirectory() as folder:
        log = (RealLog if has_java_log() else ScalaLog)(Path(folder), 0, Clock(1_000_000_000))
        log.append_foreign(7, 5)
        cache = log.log.leaderEpochCache()
        cache = cache.get() if hasattr(cache, "get") else cache
        cache.assign(jpype.JInt(7), jpype.JLong(log.end))
        [ask] = [each for each in cache.getClass().getMethods() if str(each.getName()) == "endOffsetFor"]
        more = [jpype.JLong(log.end)] if len(ask.getParameterTypes()) > 1 else []
        known = "-1" not in str(cache.endOffsetFor(jpype.JInt(4), *more))
        before = latest(cache)
        log.truncate(log.end)
        after = latest(cache)
        log.close()
    assert before == 7
    return known, after != before


def latest(cache: Any) -> int:
    """The newest epoch of the cache: a number, or one in an Option or Optional."""
    return int(re.sub(r"\D", "", str(cache.latestEpoch())))
