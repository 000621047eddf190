"""Fetches pinned jars from Maven Central: with Maven where it is installed, else with the Ivy that PySpark ships.

Both fetch only the jars, without their dependencies, since all of it is pinned. Maven reads the user's own settings.xml
(mirrors, proxies, credentials); Ivy reads ~/.ivy2/ivysettings.xml where there is one.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from ...checker import java
from ...checker.errors import EverystateError
from ...checker.extras import command
from .versions import Jar

OLDEST_FOR_IVY = 8
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>everystate</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
{dependencies}  </dependencies>
</project>
"""
ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"
IVY = """\
<ivy-module version="2.0">
  <info organisation="everystate" module="kafka"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>
{dependencies}  </dependencies>
</ivy-module>
"""


def plugin(goal: str) -> str:
    """A goal of the dependency plugin, whose version is pinned too."""
    return f"org.apache.maven.plugins:maven-dependency-plugin:3.6.1:{goal}"


def dependency(jar: Jar, alone: bool = True) -> str:
    """A jar in a POM, with or without what it needs."""
    return (
        f"    <dependency><groupId>{jar.group}</groupId><artifactId>{jar.artifact}</artifactId>"
        f"<version>{jar.version}</version>{ALONE if alone else ''}</dependency>\n"
    )


def fetch(jars: Iterable[Jar], folder: Path) -> None:
    """Put jars into an empty folder, by their own names; E702 when no tool is there, E703 when it fails."""
    maven = shutil.which("mvn")
    if maven is not None:
        return _by_maven(maven, jars, folder)
    ivy = _ivy()
    if ivy is None:
        raise EverystateError("E702", None, command=command("spark"))
    return _by_ivy(ivy, jars, folder)


def _by_maven(maven: str, jars: Iterable[Jar], folder: Path) -> None:
    (folder / "pom.xml").write_text(POM.format(dependencies="".join(map(dependency, jars))), "utf-8")
    _run("Maven", [maven, "-B", "-q", plugin("copy-dependencies"), f"-DoutputDirectory={folder}"], folder)


def _by_ivy(ivy: Path, jars: Iterable[Jar], folder: Path) -> None:
    lines = (
        f'    <dependency org="{jar.group}" name="{jar.artifact}" rev="{jar.version}" transitive="false">'
        f'<artifact name="{jar.artifact}" type="jar" ext="jar"/></dependency>\n'
        for jar in jars
    )
    (folder / "ivy.xml").write_text(IVY.format(dependencies="".join(lines)), "utf-8")
    own = Path.home() / ".ivy2" / "ivysettings.xml"
    settings = ["-settings", str(own)] if own.exists() else []
    command = [str(java.find("Ivy", OLDEST_FOR_IVY, "kafka").program), "-jar", str(ivy), *settings, "-warn"]
    wanted = ["-ivy", str(folder / "ivy.xml"), "-retrieve", str(folder / "[artifact]-[revision].[ext]")]
    _run("Ivy", [*command, *wanted], folder)


def _ivy() -> Path | None:
    """The jar of Ivy that PySpark ships."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        return None
    return next(iter(sorted(Path(found.origin).parent.glob("jars/ivy-*.jar"))), None)


def _run(tool: str, command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise EverystateError("E703", None, tool=tool, reason=_reason(done.stdout + done.stderr))


def _reason(said: str) -> str:
    """The first complaint: of Maven a line that begins with [ERROR], of Ivy the one below its headings."""
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line).strip() for line in said.splitlines()]
    complaints = [line.removeprefix("[ERROR]").strip() for line in lines if line.startswith("[ERROR]")]
    if ":: problems summary ::" in lines:
        complaints = [line for line in lines[lines.index(":: problems summary ::") :] if not line.startswith("::")]
    found = next((line for line in complaints or reversed(lines) if line), "it did not say why")
    return found.removesuffix(" -> [Help 1]")
