"""The class path of a release of Kafka: jars from the user's cache folder, fetched when they are missing.

A jar is valid only with the SHA-256 that is pinned, and is renamed into the cache, so an interrupted download is never
used. One process fetches at a time; another that wants the same waits and finds them.

With a folder (--jars, EVERYSTATE_KAFKA_JARS) nothing is fetched. Pinned jars are taken from it by name and hash. A
folder whose kafka-clients is of a version that is not pinned is a custom build, and all of it is the class path.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...checker.cache import cache_folder
from ...checker.errors import EverystateError
from .fetch import fetch
from .versions import PINNED, Jar, Kafka, release

SIZE = "20 to 50 MB"
"""The maximum size of a release."""
FETCHING = "fetching-"
MEND = {
    "fetched": "try again; if it stays, the repository or a mirror in between does not serve what was released",
    "own": "take it out of the folder, or leave out --jars to have the pinned one fetched",
}


def provide(
    version: str | None = None,
    folder: Path | None = None,
    notify: Callable[[str], None] = lambda line: None,
    pinned: dict[str, Kafka] | None = None,
) -> tuple[Kafka, list[Path]]:
    """A release, the newest one without a version, and its class path; `notify` gets each fetch before it begins.

    `pinned` are the releases to choose from: those of classes that are driven, or of whole brokers.
    """
    given = folder or _folder_of_environment()
    if given is None:
        kafka = release(version, pinned)
        return kafka, _cached(kafka, notify)
    if not given.is_dir():
        raise EverystateError("E402", None, path=given, reason="it is no folder")
    return _from_folder(version, given, PINNED if pinned is None else pinned)


def choose(version: str | None = None, folder: Path | None = None, pinned: dict[str, Kafka] | None = None) -> Kafka:
    """The release that `provide` would give, without a fetch."""
    if folder is None and _folder_of_environment() is None:
        return release(version, pinned)
    return provide(version, folder, pinned=pinned)[0]


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder_of_environment() -> Path | None:
    named = os.environ.get("EVERYSTATE_KAFKA_JARS")
    return Path(named) if named else None


# a folder of the user ---------------------------------------------------------------------------------------


def _from_folder(version: str | None, folder: Path, pinned: dict[str, Kafka]) -> tuple[Kafka, list[Path]]:
    there = {path.name: path for path in sorted(folder.rglob("*.jar"))}
    builds = [name[1] for name in map(re.compile(r"kafka-clients-(\d+\.\d+\.\d+[^/]*)\.jar").fullmatch, there) if name]
    builds = [build for build in builds if not re.search(r"-(test|sources|javadoc|test-sources|test-fixtures)$", build)]
    if version is None and len(builds) == 1:
        version = builds[0]
    if version is not None and version in builds and version not in pinned:
        return _build(version, builds, folder, there)
    kafka = release(version, pinned)
    missing = [jar.name for jar in kafka.jars if jar.name not in there]
    if missing:
        raise EverystateError("E705", None, folder=folder, names=", ".join(missing), version=kafka.version)
    for jar, known in kafka.jars.items():
        _require(there[jar.name], jar, known, "own")
    return kafka, [there[jar.name] for jar in kafka.jars]


def _build(version: str, builds: list[str], folder: Path, there: dict[str, Path]) -> tuple[Kafka, list[Path]]:
    if len(builds) > 1:
        found = f"several builds of kafka-clients: {', '.join(sorted(builds))}"
        raise EverystateError("E707", None, folder=folder, found=found)
    logs = re.compile(rf"(kafka-storage|kafka_2\.\d+)-{re.escape(version)}\.jar")
    return Kafka(version, any(map(logs.fullmatch, there)), {}), list(there.values())


def _require(path: Path, jar: Jar, pinned: str, whose: str) -> None:
    found = sha256(path)
    if found != pinned:
        raise EverystateError("E704", None, path=path, jar=jar, found=found, pinned=pinned, mend=MEND[whose])


# the cache --------------------------------------------------------------------------------------------------


def _cached(kafka: Kafka, notify: Callable[[str], None]) -> list[Path]:
    folder = cache_folder() / "jars"
    if _lacking(kafka, folder):
        with _kept_in(folder), _alone(folder):
            lacking = _lacking(kafka, folder)
            if lacking:
                notify(f"fetching {len(lacking)} jars of Kafka {kafka.version} into {folder} ...")
                _fill(folder, lacking)
    return [folder / jar.name for jar in kafka.jars]


def _lacking(kafka: Kafka, folder: Path) -> dict[Jar, str]:
    """The jars that are missing, or differ from the pinned ones."""

    def right(path: Path, pinned: str) -> bool:
        return path.is_file() and sha256(path) == pinned

    return {jar: pinned for jar, pinned in kafka.jars.items() if not right(folder / jar.name, pinned)}


def _fill(folder: Path, jars: dict[Jar, str]) -> None:
    """Fetch jars into a folder beside their place, and put each there once its hash is right."""
    for left in folder.glob(f"{FETCHING}*"):  # by a process that was killed: no other one fetches now
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=FETCHING) as made:
        fetch(jars, Path(made))
        for jar, pinned in jars.items():
            _require(Path(made) / jar.name, jar, pinned, "fetched")
        for jar in jars:
            os.replace(Path(made) / jar.name, folder / jar.name)


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Report clearly why the cache cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as problem:
        raise EverystateError("E706", None, folder=folder, reason=problem.strerror or problem, size=SIZE) from None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the lock of the cache; it is released when the process dies."""
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
