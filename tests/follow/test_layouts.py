"""The layouts of log lines: a recorded log tells the same events in each. A new layout is a function here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from everystate.model.follow.layouts import parts

LINE = re.compile(r"(\S+) (\S+) \[([^\]]*)\] (\w+) (\S+) - (.*)")


def short(logger: str) -> str:
    """A logger as `%logger{36}` and Spring Boot print it."""
    *folders, name = logger.split(".")
    return ".".join([*(folder[0] for folder in folders), name])


LAYOUTS: dict[str, Callable[..., str]] = {
    "log4j": lambda d, t, thread, level, logger, text: f"[{d} {t}] {level} {text} ({logger})",
    "logback": lambda d, t, thread, level, logger, text: f"{t.replace(',', '.')} [{thread}] {level} {logger} -- {text}",
    "logback with a date": lambda d, t, thread, level, logger, text: (
        f"{d} {t} [{thread}] {level:<5} {short(logger)} - {text}"
    ),
    "spring": lambda d, t, thread, level, logger, text: (
        f"{d}T{t.replace(',', '.')}Z {level:>5} 1 --- [app] [{thread[-15:]:>15}] {short(logger):<40} : {text}"
    ),
    "spring 2": lambda d, t, thread, level, logger, text: (
        f"{d} {t.replace(',', '.')} {level:>5} 1234 --- [{thread[-15:]:>15}] {short(logger):<40} : {text}"
    ),
    "log4j2": lambda d, t, thread, level, logger, text: (
        f"{d} {t} {level:<5} [{thread}] {logger.rpartition('.')[2]}:585 - {text}"
    ),
    "log4j2 without a thread": lambda d, t, thread, level, logger, text: f"{d} {t} {level:<5} {logger}:58 - {text}",
    "quarkus": lambda d, t, thread, level, logger, text: f"{d} {t} {level:<5} [{short(logger)}] ({thread}) {text}",
    "json": lambda d, t, thread, level, logger, text: json.dumps(
        {"@timestamp": f"{d}T{t.replace(',', '.')}Z", "message": text, "logger_name": logger, "level": level}
    ),
    "compose": lambda d, t, thread, level, logger, text: f"app-1  | {d} {t} [{thread}] {level} {logger} - {text}",
    "kubectl": lambda d, t, thread, level, logger, text: (
        f"[pod/app-5/app] {d}T10:00:00.123456789Z {d} {t} [{thread}] {level} {logger} - {text}"
    ),
}


def test_the_parts_of_a_line() -> None:
    line = (
        "2026-11-22T15:27:42.666Z  INFO 1 --- [app] [           main] o.a.k.c.p.KafkaProducer   : [Producer a] started"
    )
    found = parts(line)
    assert found is not None
    assert (found["logger"], found["text"]) == ("o.a.k.c.p.KafkaProducer", "[Producer a] started")
    assert parts("\tat org.apache.kafka.Foo.bar(Foo.java:1)") is None
