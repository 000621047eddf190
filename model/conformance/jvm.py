"""A JVM with the classes of one release of Kafka, in this process. A process can start one only, and only once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from ...checker import java
from ...checker.errors import EverystateError
from ...checker.extras import require

OLDEST = 17
"""The oldest Java that the broker of Kafka 4 runs on."""
OPTIONS = [
    "-Xrs",  # Ctrl-C stays Python's
    "-Xmx512m",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+DisplayVMOutputToStderr",
    "-XX:-CreateCoredumpOnCrash",
    "--enable-native-access=ALL-UNNAMED",
]


def start(version: str, paths: Sequence[Path], scratch: Path) -> java.Java:
    """Start the JVM of this process with a class path; returns its Java. E709 when it does not start.

    `scratch` is a folder for its temporary files. EVERYSTATE_KAFKA_LOG (off, error, ... trace) is the level at which
    Kafka's classes log to the standard error.
    """
    require("everystate conform", "jpype")
    import jpype

    found = java.find("Kafka", OLDEST, "kafka")
    level = os.environ.get("EVERYSTATE_KAFKA_LOG", "off")
    places = [f"-Djava.io.tmpdir={scratch}", f"-XX:ErrorFile={scratch / 'jvm.log'}"]
    logging = [f"-Dorg.slf4j.simpleLogger.defaultLogLevel={level}"]
    jars = [str(path) for path in paths]
    try:
        jpype.startJVM(str(library(found)), *OPTIONS, *places, *logging, classpath=jars, convertStrings=True)
    except (OSError, RuntimeError) as problem:
        raise EverystateError("E709", None, version=version, how=f"at its start: {found}", log=problem) from None
    _hush(level)
    return found


def _hush(level: str) -> None:
    """Set the level of log4j, with which brokers before 2.0 log."""
    import jpype

    try:
        logger = jpype.JClass("org.apache.log4j.Logger")
    except TypeError:
        return
    logger.getRootLogger().setLevel(jpype.JClass("org.apache.log4j.Level").toLevel(level.upper()))
    if level != "off":
        jpype.JClass("org.apache.log4j.BasicConfigurator").configure()


def library(found: java.Java) -> Path:
    """The shared library of a Java."""
    names = {"darwin": "lib/server/libjvm.dylib", "win32": "bin/server/jvm.dll"}
    return found.home / names.get(sys.platform, "lib/server/libjvm.so")
