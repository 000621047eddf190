"""A folder on any Hadoop file system, through the JVM of the driver."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ...errors import EverystateError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Folder:
    """Files by their names relative to a folder; a file is written as a whole or not at all."""

    def __init__(self, spark: SparkSession, place: str) -> None:
        jvm: Any = spark.sparkContext._jvm
        self._jvm = jvm
        self._path = jvm.org.apache.hadoop.fs.Path
        try:
            root = self._path(place)
            self._files = root.getFileSystem(spark.sparkContext._jsc.hadoopConfiguration())
            self.root = self._files.makeQualified(root)
        except Exception as error:
            raise EverystateError("E620", None, work=place, reason=reason(error)) from None

    def uri(self, name: str) -> str:
        """The full name of a file or folder, for Spark."""
        return str(self._at(name).toString())

    def _at(self, name: str) -> Any:
        return self._path(self.root, name) if name else self.root

    def exists(self, name: str = "") -> bool:
        """Whether there is such a file or folder."""
        return bool(self._files.exists(self._at(name)))

    def names(self, name: str = "") -> list[str]:
        """The names in a folder, sorted; empty if it does not exist."""
        if not self.exists(name):
            return []
        return sorted(str(status.getPath().getName()) for status in self._files.listStatus(self._at(name)))

    def make(self) -> None:
        """Make the folder, and try whether it can be written to; E620 when not."""
        try:
            self._files.mkdirs(self.root)
            self.write("probe", {})
            self.remove("probe.json")
        except Exception as error:
            raise EverystateError("E620", None, work=str(self.root), reason=reason(error)) from None

    def write(self, name: str, facts: dict[str, Any]) -> None:
        """A JSON file: under another name first, then renamed."""
        final, partial = self._at(f"{name}.json"), self._at(f"_{name.replace('/', '-')}.part")
        stream = self._files.create(partial, True)
        try:
            stream.write(bytearray(json.dumps(facts).encode()))
        finally:
            stream.close()
        self._files.delete(final, False)
        if not self._files.rename(partial, final):
            raise OSError(f"{final} cannot be written")

    def read(self, name: str) -> dict[str, Any]:
        """The facts of a JSON file."""
        stream = self._files.open(self._at(f"{name}.json"))
        try:
            text = self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()
        found: dict[str, Any] = json.loads(text)
        return found

    def remove(self, name: str = "") -> None:
        """Delete a file, or a folder with all that it holds."""
        self._files.delete(self._at(name), True)


def reason(error: Exception) -> str:
    """What Java complains of, in one line."""
    cause: Any = getattr(error, "java_exception", None)
    text = str(cause.getMessage() if cause is not None else error)
    return " ".join((text or type(error).__name__).split())[:200]
