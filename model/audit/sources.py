"""Finds the input: folders and files named by the user, on a local disk or any Hadoop file system.

A unit is what one task reads from beginning to end: a segment (its batches can only be found one after the other), a
dump, or some MiB of a large plain-text dump on a local disk. Executors open local paths themselves. Other file systems
are read through `hadoop fs -cat` in the Java and with the jars of the executor's Spark, as a stream: so memory is
bounded for segments of any size, and anything that Spark can reach can be audited.
"""

from __future__ import annotations

import contextlib
import gzip
import mmap
import os
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import unquote, urlsplit

from ...checker.errors import EverystateError
from .dump import PREFIX, read_dump
from .schema import Flaw, Items
from .segment import read_segment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PART = 64 << 20
"""Bytes of a plain local dump that are one unit."""
NAMES = re.compile(r"\.(log|txt|dump)(\.gz)?$")
"""The files that are read in a folder; a file that is named itself may have any name."""
WORDS = rb"(?:Dumping |Log starting offset: |Starting offset: |baseOffset: |offset: |\| offset: )"
TEXT = re.compile(rb"^(?P<indent>" + PREFIX + rb")" + WORDS, re.MULTILINE)
NUMBERED = re.compile(rb"^\s*\d+\W*\s" + WORDS, re.MULTILINE)
HEADER = b"Dumping "
GZIP = b"\x1f\x8b"
SNIFFED = 1 << 12


@dataclass(frozen=True)
class Unit:
    """The input of one task: a path or URI and its size in bytes.

    For a part of a dump also where it begins and ends, and the segment at its beginning.
    """

    path: str
    size: int
    start: int = 0
    end: int | None = None
    segment: str | None = None


def check_paths(paths: Iterable[str]) -> None:
    """Check local paths before Spark starts: E640 for one that does not exist, E641 where nothing is to be read."""
    given = list(paths)
    local = [path for path in map(local_path, given) if path is not None]
    found = [unit for path in local for unit in _local_files(path)]
    if len(local) == len(given) and not found:
        raise EverystateError("E641", None, paths=", ".join(given))


def local_units(paths: Iterable[str]) -> list[Unit]:
    """The units of local paths, each file as a whole."""
    found = dict.fromkeys(unit for path in paths for unit in _local_files(local_path(path) or path))
    return sorted(found, key=lambda unit: (-unit.size, unit.path))


def units(spark: SparkSession, paths: Iterable[str]) -> list[Unit]:
    """The units of paths, largest first; E640 for a path that does not exist, E641 where there is nothing to read."""
    given = list(paths)
    found = dict.fromkeys(unit for path in given for unit in _files(spark, path))
    if not found:
        raise EverystateError("E641", None, paths=", ".join(given))
    parts = [part for unit in found for part in _parts(unit)]
    return sorted(parts, key=lambda unit: (unit.start - (unit.end or unit.size), unit.path, unit.start))


def local_path(path: str) -> str | None:
    """The path on a local disk; None for another file system."""
    address = urlsplit(path)
    if address.scheme == "file":
        return unquote(address.path)
    return None if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]+://", path) else path


def _files(spark: SparkSession, path: str) -> Iterator[Unit]:
    local = local_path(path)
    yield from _hadoop_files(spark, path) if local is None else _local_files(local)


def _local_files(path: str) -> Iterator[Unit]:
    if not os.path.isdir(path):
        yield _unit(path)
        return
    for folder, inner, names in os.walk(path):
        inner.sort()
        for name in sorted(filter(NAMES.search, names)):
            path = os.path.abspath(os.path.join(folder, name))
            yield Unit(path, os.path.getsize(path) if os.path.exists(path) else 0)


def _unit(path: str) -> Unit:
    try:
        return Unit(os.path.abspath(path), os.stat(path).st_size)
    except OSError as error:
        raise EverystateError("E640", None, path=path, reason=_said(error)) from None


def _hadoop_files(spark: SparkSession, uri: str) -> Iterator[Unit]:
    """The files below a URI, listed by Hadoop; hidden names count too, since internal topics begin with __."""
    context: Any = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(uri)
    try:
        system = path.getFileSystem(context._jsc.hadoopConfiguration())
        folder = system.getFileStatus(path).isDirectory()
        listed = system.listFiles(path, True)
        while listed.hasNext():
            status = listed.next()
            name = status.getPath().toString()
            if not folder or NAMES.search(name):
                yield Unit(name, int(status.getLen()))
    except Exception as error:
        cause = getattr(error, "java_exception", None)
        reason = str(cause.getMessage() if cause is not None else error).split("\n")[0]
        raise EverystateError("E640", None, path=uri, reason=reason[:300]) from None


def _parts(unit: Unit) -> Iterator[Unit]:
    if unit.size <= 2 * PART or local_path(unit.path) is None or not _divisible(unit.path):
        yield unit
        return
    heads = iter([*headers(unit.path), (unit.size, "")])
    segment, (at, following) = None, next(heads)
    for start in range(0, unit.size, PART):
        while at < start:
            segment, (at, following) = following, next(heads)
        yield Unit(unit.path, unit.size, start, min(start + PART, unit.size), segment)


def headers(path: str) -> Iterator[tuple[int, str]]:
    """The lines of a local dump that start a segment: their positions, and the segments."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        at = 0 if text[: len(HEADER)] == HEADER else text.find(b"\n" + HEADER) + 1
        while at or text[: len(HEADER)] == HEADER:
            end = text.find(b"\n", at)
            yield at, text[at + len(HEADER) : end if end >= 0 else None].decode("utf-8", "replace").strip()
            at = text.find(b"\n" + HEADER, at) + 1
            if not at:
                return


def _divisible(path: str) -> bool:
    """Whether a file is a plain dump with a line for each batch: such lines can be read from anywhere on."""
    try:
        with open(path, "rb") as file:
            head = file.read(SNIFFED)
    except OSError:
        return False
    begun = TEXT.search(head)
    return begun is not None and not begun["indent"] and b"baseOffset: " in head


# -- on an executor ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OpenStream:
    """The stream of a unit, the first bytes of its file, and the process that writes it, if one does."""

    stream: BinaryIO
    head: bytes
    writer: subprocess.Popen[bytes] | None


def read(unit: Unit) -> tuple[str | None, Items]:
    """The path of the segment at the beginning of the unit, where it is known, and the content of the unit.

    Errors in the input are flaws, not exceptions.
    """
    with contextlib.ExitStack() as held:
        try:
            opened = _open(unit, held)
        except (OSError, EOFError, zlib.error) as error:
            return unit.path, iter([Flaw("unreadable", 0, unit.size, _said(error))])
        kept = held.pop_all()
    if begun := TEXT.search(opened.head):
        items = read_dump(opened.stream, unit.start, unit.end, bool(begun["indent"]))
        return unit.segment, _guarded(items, kept, opened)
    if not opened.head:
        return unit.path, _guarded(iter([Flaw("empty", 0, 0, "the file is empty")]), kept, opened)
    if other := _other_text(opened.head):
        return unit.path, _guarded(iter([Flaw("not-a-log", 0, unit.size, other)]), kept, opened)
    size = None if isinstance(opened.stream, gzip.GzipFile) else unit.size
    return unit.path, _guarded(read_segment(opened.stream, size), kept, opened)


def _other_text(head: bytes) -> str:
    """The kind of text in a file that is no dump, and how to use it; empty where it is no text."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "text in UTF-16: write it in UTF-8 (in PowerShell with `| Out-File -Encoding utf8`)"
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:  # not only the last character is cut
            return ""
        text = head[: error.start].decode("utf-8")
    if any(ord(character) < 32 and character not in "\t\n\r\f\x1b" for character in text):
        return ""
    if NUMBERED.search(head):
        return "text whose lines are numbered: remove the numbers"
    return "text, but no line begins with Dumping or baseOffset, as those of kafka-dump-log.sh do"


def _guarded(items: Items, held: contextlib.ExitStack, opened: OpenStream) -> Items:
    """Items until their file ends or fails; a failure is reported after the last batch."""
    with held:
        try:
            yield from items
            writer = opened.writer
            if writer is not None and not opened.stream.read(1) and writer.wait():
                yield Flaw("unreadable", -1, 0, "the Hadoop file system ended too early")
        except (OSError, EOFError, zlib.error) as error:
            yield Flaw("unreadable", -1, 0, _said(error))


def _open(unit: Unit, held: contextlib.ExitStack) -> OpenStream:
    raw, writer = _stream(unit.path, held)
    head = raw.peek(SNIFFED)[:SNIFFED] if unit.size else b""
    if head.startswith(GZIP):
        inflated = held.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
        return OpenStream(cast(BinaryIO, inflated), inflated.peek(SNIFFED)[:SNIFFED], writer)
    if unit.start:
        raw.seek(unit.start - 1)
    return OpenStream(raw, head, writer)


def _stream(path: str, held: contextlib.ExitStack) -> tuple[Any, subprocess.Popen[bytes] | None]:
    local = local_path(path)
    if local is not None:
        return held.enter_context(open(local, "rb")), None
    writer = subprocess.Popen(_cat(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    held.callback(_end, writer)
    stream: Any = writer.stdout
    if not stream.peek(1):
        _, said = writer.communicate()
        if writer.returncode:
            words = said.decode("utf-8", "replace").strip().split("\n")
            raise OSError(words[-1][:300])
    return stream, writer


def _end(writer: subprocess.Popen[bytes]) -> None:
    writer.kill()
    writer.wait()
    for pipe in (writer.stdout, writer.stderr):
        if pipe is not None:
            pipe.close()


def _cat(uri: str) -> list[str]:
    """The command that writes a file of a Hadoop file system to its standard output."""
    from pyspark.find_spark_home import _find_spark_home

    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None or not os.path.exists(java):
        raise OSError("there is no Java on the executor: neither JAVA_HOME nor `java` on the PATH")
    settings = [os.environ[name] for name in ("HADOOP_CONF_DIR", "HADOOP_CLASSPATH") if os.environ.get(name)]
    classes = os.pathsep.join([*settings, str(Path(_find_spark_home()) / "jars" / "*")])
    return [java, "-Xmx256m", "-cp", classes, "org.apache.hadoop.fs.FsShell", "-cat", uri]


def _said(error: BaseException) -> str:
    """What went wrong, in a few words."""
    text = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return str(text)[:1].lower() + str(text)[1:]
