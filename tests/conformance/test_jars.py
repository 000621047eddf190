"""How Kafka's jars come here: what is pinned, each way to fetch it, a folder of one's own, and what can go wrong."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.extras import command
from everystate.model.conformance import fetch, jars, versions
from everystate.model.conformance.jars import provide
from everystate.model.conformance.versions import PINNED, Jar, Kafka

CLIENTS, LOGGING = Jar("org.apache.kafka", "kafka-clients", "9.9.9"), Jar("org.slf4j", "slf4j-api", "1.0")
CONTENT = {CLIENTS: b"the clients", LOGGING: b"the logging"}
RELEASE = Kafka("9.9.9", False, {jar: hashlib.sha256(text).hexdigest() for jar, text in CONTENT.items()})
PATIENCE = 60.0
"""Seconds after which a process that fetches is given up."""
MAVEN = """\
#!/bin/sh
# Maven, as far as it is asked for here: it puts what the repository has into the folder of the last option.
echo called >> "{calls}"
for option do into="${{option#-DoutputDirectory=}}"; done
{before}
cp "{repository}"/* "$into"
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder with the jars of release 9.9.9."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for jar, text in CONTENT.items():
        (folder / jar.name).write_bytes(text)
    return folder


@pytest.fixture
def pinned(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Nothing is pinned but release 9.9.9; the cache, which is empty."""
    monkeypatch.setattr(versions, "PINNED", {"9.9.9": RELEASE})
    monkeypatch.setattr(jars, "PINNED", {"9.9.9": RELEASE})
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EVERYSTATE_KAFKA_JARS", raising=False)
    return tmp_path / "cache" / "jars"


@pytest.fixture
def maven(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, repository: Path) -> Path:
    """A Maven that has the repository; the file of its calls."""
    calls = tmp_path / "calls"
    install(tmp_path / "bin", calls, repository)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin")
    return calls


def install(folder: Path, calls: Path, repository: Path, before: str = "") -> None:
    folder.mkdir(exist_ok=True)
    (folder / "mvn").write_text(MAVEN.format(calls=calls, repository=repository, before=before))
    (folder / "mvn").chmod(0o755)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_what_is_pinned_reaches_from_0_11_to_the_newest_release_with_producer_and_log() -> None:
    assert list(PINNED) == sorted(PINNED, key=versions.order)
    assert all(kafka.whole for kafka in PINNED.values())
    assert len(PINNED) == 29 and next(iter(PINNED)) == "0.11.0.3" and versions.release().version == "4.4.0"
    for version, kafka in PINNED.items():
        log = "kafka-storage" if versions.order(version) >= (4, 1) else "kafka_2.13"
        log = "kafka_2.12" if versions.order(version) < (2, 4) else log
        assert kafka.clients in kafka.jars and log in {jar.artifact for jar in kafka.jars}
        assert all(len(pinned) == 64 for pinned in kafka.jars.values())


def test_jars_are_fetched_once(pinned: Path, maven: Path) -> None:
    told: list[str] = []
    for _ in range(2):
        kafka, paths = provide("9.9.9", notify=told.append)
        assert (kafka, paths) == (RELEASE, [pinned / "kafka-clients-9.9.9.jar", pinned / "slf4j-api-1.0.jar"])
        assert [path.read_bytes() for path in paths] == list(CONTENT.values())
    assert told == [f"fetching 2 jars of Kafka 9.9.9 into {pinned} ..."]
    assert maven.read_text() == "called\n"
    assert names(pinned) == ["kafka-clients-9.9.9.jar", "lock", "slf4j-api-1.0.jar"]


def test_a_damaged_jar_is_fetched_again(pinned: Path, maven: Path) -> None:
    _, paths = provide("9.9.9")
    paths[0].write_bytes(b"the cli")
    told: list[str] = []
    assert provide("9.9.9", notify=told.append)[1] == paths and paths[0].read_bytes() == b"the clients"
    assert told == [f"fetching 1 jars of Kafka 9.9.9 into {pinned} ..."]


def fetcher(pinned: Path, tmp_path: Path) -> subprocess.Popen[str]:
    """A process of its own that wants release 9.9.9."""
    code = (
        "from everystate.model.conformance import versions\n"
        "from everystate.model.conformance.jars import provide\n"
        "from everystate.model.conformance.versions import Jar, Kafka\n"
        f"versions.PINNED.update({{'9.9.9': Kafka('9.9.9', False, {RELEASE.jars!r})}})\n"
        "print(*(path.read_text() for path in provide('9.9.9')[1]), sep=', ')\n"
    )
    return subprocess.Popen([sys.executable, "-c", code], text=True, stdout=subprocess.PIPE, start_new_session=True)


def held(tmp_path: Path, repository: Path, before: str) -> Path:
    """A Maven that waits at a pipe; whoever opens the pipe lets it go on."""
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    install(tmp_path / "bin", tmp_path / "calls", repository, f'{before}\nread line < "{gate}"')
    return gate


def test_two_processes_fetch_at_once(pinned: Path, maven: Path, tmp_path: Path, repository: Path) -> None:
    gate = held(tmp_path, repository, "")
    both = [fetcher(pinned, tmp_path), fetcher(pinned, tmp_path)]
    gate.write_text("go on\n")
    assert [process.communicate(timeout=PATIENCE)[0] for process in both] == ["the clients, the logging\n"] * 2
    assert maven.read_text() == "called\n"


def test_a_fetch_that_is_killed_leaves_no_jar(pinned: Path, maven: Path, tmp_path: Path, repository: Path) -> None:
    gate = held(tmp_path, repository, f'printf "the cli" > "$into/{CLIENTS.name}"')
    process = fetcher(pinned, tmp_path)
    with gate.open("w"):
        left = [path for path in names(pinned) if path.startswith(jars.FETCHING)]
        assert len(left) == 1 and (pinned / left[0] / CLIENTS.name).read_bytes() == b"the cli"
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert names(pinned) == [*left, "lock"]
    install(tmp_path / "bin", tmp_path / "calls", repository)
    provide("9.9.9")
    assert names(pinned) == ["kafka-clients-9.9.9.jar", "lock", "slf4j-api-1.0.jar"]


# what can go wrong ------------------------------------------------------------------------------------------


def said(caught: pytest.ExceptionInfo[EverystateError]) -> list[str]:
    return caught.value.explain().splitlines()


def test_a_version_that_is_not_pinned(pinned: Path) -> None:
    with pytest.raises(EverystateError) as caught:
        provide("9.9.8")
    assert said(caught) == [
        "error E701: Kafka 9.9.8 is not one of the supported releases; did you mean '9.9.9'?",
        "  why: jars are identified by version and SHA-256; these releases are known: 9.9.9",
        "  do: name one of them, or use your own jars: --jars DIR",
        "  see: everystate errors E701",
    ]


def test_no_tool_to_fetch_with(pinned: Path, maven: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(fetch, "_ivy", lambda: None)
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9")
    assert said(caught) == [
        "error E702: no tool is installed that can fetch the jars of Kafka",
        "  why: they are fetched from Maven Central with Maven, or with Ivy, which PySpark contains",
        f"  do: install Maven, or {command('spark')}, or use --jars DIR",
        "  see: everystate errors E702",
    ]


def test_no_network(pinned: Path, maven: Path, tmp_path: Path, repository: Path) -> None:
    complaint = "Could not transfer artifact g:a:pom:1 from/to central: Unknown host"
    before = f'echo "[INFO] Scanning"; echo "[ERROR] {complaint} -> [Help 1]"; echo "[ERROR] "; exit 1'
    install(tmp_path / "bin", tmp_path / "calls", repository, before)
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9")
    assert said(caught) == [
        f"error E703: Maven could not fetch the jars of Kafka: {complaint}",
        "  why: they are fetched once, with the settings of Maven; this is its first error",
        "  do: fix the error and try again, or use --jars DIR",
        "  see: everystate errors E703",
    ]
    assert names(pinned) == ["lock"]


def test_a_repository_that_serves_something_else(pinned: Path, maven: Path, repository: Path) -> None:
    (repository / LOGGING.name).write_bytes(b"the login page of a hotel")
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9")
    found, right = (hashlib.sha256(text).hexdigest() for text in (b"the login page of a hotel", b"the logging"))
    path = caught.value.facts["path"]
    assert said(caught) == [
        f"error E704: {path} is not the expected org.slf4j:slf4j-api:1.0: its SHA-256 is {found}",
        "  why: only released classes may be compared with the model; expected is " + right,
        "  do: try again; if it stays, the repository or a mirror in between does not serve what was released",
        "  see: everystate errors E704",
    ]
    assert names(pinned) == ["lock"]


def test_a_full_disk(pinned: Path, maven: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9")
    assert said(caught) == [
        f"error E706: the jars of Kafka cannot be stored in {pinned}: No space left on device",
        "  why: they are fetched once and stored in the user's cache folder, about 20 to 50 MB for each release",
        "  do: free some space, set EVERYSTATE_CACHE, or name a folder with the jars: --jars DIR",
        "  see: everystate errors E706",
    ]
    assert names(pinned) == ["lock"]


def test_a_cache_that_is_no_folder(pinned: Path, maven: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9")
    assert caught.value.what == f"the jars of Kafka cannot be stored in {pinned}: Not a directory"


# a folder of one's own --------------------------------------------------------------------------------------


def test_a_folder_without_a_network(pinned: Path, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = repository / "org" / "apache"
    deep.mkdir(parents=True)
    (repository / CLIENTS.name).rename(deep / CLIENTS.name)
    there = [deep / CLIENTS.name, repository / LOGGING.name]
    assert provide(folder=repository) == (RELEASE, there)
    monkeypatch.setenv("EVERYSTATE_KAFKA_JARS", str(repository))
    assert provide("9.9.9") == (RELEASE, there)
    assert not pinned.exists()


def test_a_folder_that_lacks_jars(pinned: Path, repository: Path) -> None:
    for jar in CONTENT:
        (repository / jar.name).unlink()
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9", repository)
    assert said(caught) == [
        f"error E705: {repository} lacks kafka-clients-9.9.9.jar, slf4j-api-1.0.jar of Kafka 9.9.9",
        "  why: with --jars or EVERYSTATE_KAFKA_JARS nothing is fetched; the jars are searched by name, "
        "in subfolders too",
        "  do: put them there, or omit --jars to fetch them",
        "  see: everystate errors E705",
    ]


def test_a_folder_with_another_jar_of_that_name(pinned: Path, repository: Path) -> None:
    (repository / CLIENTS.name).write_bytes(b"")
    with pytest.raises(EverystateError) as caught:
        provide("9.9.9", repository)
    assert caught.value.remedy == "take it out of the folder, or leave out --jars to have the pinned one fetched"


def test_no_such_folder(pinned: Path, tmp_path: Path) -> None:
    with pytest.raises(EverystateError) as caught:
        provide(folder=tmp_path / "nowhere")
    assert caught.value.what == f"{tmp_path / 'nowhere'} cannot be read: it is no folder"


def test_a_build_of_ones_own_is_taken_whole(pinned: Path, tmp_path: Path) -> None:
    found = ["kafka-clients-10.0.0-SNAPSHOT.jar", "kafka-storage-10.0.0-SNAPSHOT.jar", "log.jar"]
    for name in (*found, "kafka-clients-10.0.0-SNAPSHOT-test.jar"):
        (tmp_path / name).write_bytes(b"")
    kafka, paths = provide(folder=tmp_path)
    assert kafka == Kafka("10.0.0-SNAPSHOT", True, {})
    assert [path.name for path in paths] == ["kafka-clients-10.0.0-SNAPSHOT-test.jar", *found]
    (tmp_path / "kafka-clients-10.0.1.jar").write_bytes(b"")
    with pytest.raises(EverystateError) as caught:
        provide("10.0.1", tmp_path)
    assert said(caught) == [
        f"error E707: {tmp_path} contains several builds of kafka-clients: 10.0.0-SNAPSHOT, 10.0.1",
        "  why: a folder of your own jars must contain exactly one build of Kafka: all its jars are on the class path",
        "  do: name a folder with one kafka-clients-VERSION.jar, such as the libs folder of a release",
        "  see: everystate errors E707",
    ]


# the real tools ---------------------------------------------------------------------------------------------

SMALL = {jar: pinned for jar, pinned in PINNED["2.5.1"].jars.items() if jar.group == "org.slf4j"}


def fetched(folder: Path, tool: str) -> dict[str, str]:
    """The hashes of two small jars, as a tool gets them; skips where it cannot reach a repository."""
    try:
        fetch.fetch(SMALL, folder)
    except EverystateError as error:
        if error.code != "E703":
            raise
        assert error.facts["tool"] == tool
        pytest.skip(error.what)
    return {path.name: jars.sha256(path) for path in folder.glob("*.jar")}


@pytest.mark.skipif(shutil.which("mvn") is None, reason="Maven is not installed")
def test_maven_fetches_what_is_pinned(tmp_path: Path) -> None:
    assert fetched(tmp_path, "Maven") == {jar.name: pinned for jar, pinned in SMALL.items()}


@pytest.mark.skipif(fetch._ivy() is None, reason="PySpark, which brings Ivy, is not installed")
def test_ivy_fetches_what_is_pinned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name, **kw: None if name == "mvn" else real(name, **kw))
    assert fetched(tmp_path, "Ivy") == {jar.name: pinned for jar, pinned in SMALL.items()}
