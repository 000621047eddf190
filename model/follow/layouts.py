"""The layouts in which log lines of Kafka are written: a table. A new layout is a row, and a line in its test.

    log4j         [2026-11-22 15:27:42,811] DEBUG text (org.apache.kafka.clients.NetworkClient)
    logback       15:27:42.811 [thread] DEBUG o.a.k.c.NetworkClient - text         (also with a date, slf4j-simple)
    Spring Boot   2026-11-22T15:27:42.666Z DEBUG 1 --- [app] [thread] o.a.k.c.NetworkClient : text
    log4j2        2026-11-22 15:27:42,811 DEBUG [thread] NetworkClient:585 - text    (also logger before thread)
    Quarkus       2026-11-22 15:27:42,811 DEBUG [org.apa.kaf.cli.NetworkClient] (thread) text
    any other     with the logger of a producer somewhere before the text [Producer clientId=...] ...
    JSON          {"@timestamp": "...", "level": "DEBUG", "logger_name": "...", "message": "text"}

Loggers may be abbreviated: only the last part counts. What Docker Compose and kubectl put before a line is taken off.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

DATE, CLOCK = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d:\d\d[.,]\d{3}"
TIME = rf"{DATE}[ T]{CLOCK}(?:Z|[+-]\d\d:?\d\d)?"
LEVEL, LOGGER, THREAD, TEXT = r"(?P<level>[A-Z]+)", r"(?P<logger>[\w.$]+)", r"\[(?P<thread>[^\]]*)\]", r"(?P<text>.*)$"
OF_PRODUCER = "NetworkClient|RecordAccumulator|Sender|TransactionManager|KafkaProducer"
LAYOUTS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\[(?P<time>{TIME})\] +{LEVEL} +(?P<text>.*) \((?P<logger>[\w.$]+)\)(?: \[[^\]]*\])?$",
        rf"(?P<time>{TIME}) +{LEVEL} +\S* *--- (?:\[[^\]]*\] )*?{THREAD} {LOGGER} +: {TEXT}",
        rf"(?:(?P<time>{TIME}|{CLOCK}) +)?{THREAD} +{LEVEL} +{LOGGER} +-+ +{TEXT}",
        rf"(?P<time>{TIME}|{CLOCK}) +{LEVEL} +{THREAD} +{LOGGER}(?::\d+)? *(?:\([\w.]+:\d+\) *)?[-:]+ {TEXT}",
        rf"(?P<time>{TIME}|{CLOCK}) +{LEVEL} +{LOGGER}(?::\d+)? +(?:{THREAD} +)?[-:]+ {TEXT}",
        rf"(?P<time>{TIME}) +{LEVEL} +\[{LOGGER}\] \((?P<thread>[^)]*)\) {TEXT}",
        rf"(?:\[?(?P<time>{TIME}))?.*?(?P<logger>\b[\w.$]*(?:{OF_PRODUCER}))\b.*?(?P<text>\[Producer clientId=.*)$",
    )
)
STREAM = r"(?:std(?:out|err) [FP] )?"
PREFIX = re.compile(
    rf"(?:[\w.-]+ +\| |\[pod/[^\]]+\] )?(?:{DATE}T\d\d:\d\d:\d\d\.\d{{7,9}}(?:Z|[+-]\d\d:\d\d) {STREAM})?"
)
ANOTHER = re.compile(rf".\[?{DATE}[ T]{CLOCK}\]? ")
"""A second line within a line."""
MESSAGE, NAME, STAMP = ("message", "msg"), ("logger_name", "logger", "loggerName"), ("@timestamp", "timestamp", "time")


def parts(line: str) -> Mapping[str, Any] | None:
    """The parts of a line: time, level, logger and text; None for one that no logger wrote."""
    line = line[PREFIX.match(line).end() :] if PREFIX.match(line) else line  # type: ignore[union-attr]
    if line.startswith("{"):
        return _of_json(line)
    found = next(filter(None, (layout.match(line) for layout in LAYOUTS)), None)
    return None if found is None else found.groupdict()


def _of_json(line: str) -> Mapping[str, Any] | None:
    try:
        entry = json.loads(line)
    except json.JSONDecodeError:
        return None
    text, logger, time = (next((entry[key] for key in keys if key in entry), None) for keys in (MESSAGE, NAME, STAMP))
    if not isinstance(text, str) or not isinstance(logger, str):
        return None
    return {
        "text": text,
        "logger": logger,
        "time": time if isinstance(time, str) else None,
        "level": entry.get("level"),
    }
