"""Clusters of real brokers: they start, stop, crash, stand still, and leave nothing behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.model.cluster import servers as module
from everystate.model.cluster import waiting
from everystate.model.cluster.keeper import __file__ as keeper
from everystate.model.cluster.node import STARTED, Node, Ports, last_words
from everystate.model.cluster.servers import Servers, free_ports
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.driver import NotJudged

pytestmark = [pytest.mark.kafka, pytest.mark.thorough]
OWNER = str(Path(__file__).with_name("owner.py"))


def is_there(process: int) -> bool:
    """Whether a process runs; one that has ended and is not yet fetched does not."""
    told = subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout.strip()
    return bool(told) and not told.startswith("Z")


def state(process: int) -> str:
    return subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout[:1]


def test_a_broker_stops_crashes_stands_still_and_comes_back(paths: list[Path]) -> None:
    with Servers(paths) as servers:
        servers.start()
        node = servers.brokers[0]
        node.stop()
        assert node.stopped_in_order
        node.start()
        node.ready()
        assert node.process is not None
        process = node.process.pid
        node.pause()
        wait("it is stopped", lambda: state(process) == "T")
        node.resume()
        wait("it runs", lambda: state(process) == "S")
        assert not node.stopped_in_order
        node.kill()
        assert not is_there(process)
        assert not node.stopped_in_order
        node.start()
        node.ready()
        assert node.log.read_text().count(STARTED) == 3
        assert [50 << 20 < size < 400 << 20 for size in servers.memory()] == [True]
    assert not servers.folder.exists()


def test_what_java_has_loaded_is_kept_for_the_servers_to_come(
    paths: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    with Servers(paths) as servers:
        servers.start()
    assert not servers.folder.exists()
    assert [path.name for path in (tmp_path / "classes").iterdir()] == [servers.class_data.place.name]
    with Servers(paths, options=[f"-Xlog:class+load:file={tmp_path / 'loaded'}"]):
        loaded = (tmp_path / "loaded").read_text()
    assert "kafka.server.KafkaConfig source: shared objects file (top)" in loaded


def test_two_brokers_have_a_controller_apart(paths: list[Path]) -> None:
    with Servers(paths, brokers=2) as servers:
        assert [node.number for node in servers.brokers] == [0, 1]
        assert [node.number for node in servers.nodes] == [0, 1, 2]
        roles = [dict(line.split("=", 1) for line in n.properties.read_text().splitlines()) for n in servers.nodes]
        assert [found["process.roles"] for found in roles] == ["broker", "broker", "controller"]
        servers.start()
        servers.brokers[1].kill()
        servers.require_alive()
        assert [node.running for node in servers.nodes] == [True, False, True]


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "SIGKILL", "exception", "paused"])
def test_nothing_is_left_however_the_owner_ends(paths: list[Path], how: str) -> None:
    command = [sys.executable, OWNER, how, *map(str, paths)]
    owner = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert owner.stdout is not None
    told = json.loads(owner.stdout.readline())
    if how != "exception":
        owner.send_signal(signal.SIGKILL if how == "paused" else signal.Signals[how])
    owner.wait()
    owner.stdout.close()
    wait("all are gone", lambda: not any(is_there(process) for process in told["ids"]))
    assert not Path(told["folder"]).exists()


def test_a_port_that_is_taken_is_told_and_nothing_is_left(paths: list[Path]) -> None:
    ports = free_ports(3)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", ports[0]))
        taken.listen()
        with Servers(paths, ports=ports) as servers, pytest.raises(EverystateError) as caught:
            servers.start()
    assert caught.value.code == "E731"
    told = caught.value.explain()
    assert "node 0 of the cluster did not start; it ended with exit code 1" in told
    assert f"Socket server failed to bind to 127.0.0.1:{ports[0]}: Address already in use" in told
    assert not servers.folder.exists()
    assert not is_there(servers.group) and not is_there(servers.keeper.pid)


def test_a_broker_that_dies_by_itself_is_told(paths: list[Path]) -> None:
    with Servers(paths) as servers, pytest.raises(EverystateError) as caught:
        servers.start()
        process = servers.brokers[0].process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        wait("what never comes", lambda: False, servers.require_alive)
    assert caught.value.code == "E732"
    assert "node 0 of the cluster ended unexpectedly, by SIGKILL" in caught.value.explain()
    assert not servers.folder.exists()
    assert not is_there(servers.group) and not is_there(servers.keeper.pid)


def test_a_broker_that_is_to_stop_and_dies_instead_is_told(tmp_path: Path) -> None:
    """It was alive when it was asked to stop, so only the way in which it ended tells."""
    dies = "trap 'kill -9 $$' TERM; echo ready; while :; do sleep 0.01; done"
    node = Node(0, tmp_path, Ports(1, 2, 3), ["sh", "-c", dies], 0)
    node.start()
    wait("it hears signals", lambda: "ready" in node.words())
    with pytest.raises(EverystateError) as caught:
        node.stop()
    assert (caught.value.code, caught.value.facts["how"]) == ("E732", "by SIGKILL")


def test_a_disk_without_room_is_told_before_anything_starts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "ROOM", 1 << 60)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    with pytest.raises(EverystateError) as caught:
        Servers([])
    assert caught.value.code == "E734"
    assert str(tmp_path) in caught.value.explain()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_formatted_is_told(paths: list[Path], tmp_path: Path) -> None:
    with pytest.raises(EverystateError) as caught:
        Servers(paths, given={"listeners": "nonsense"})
    assert caught.value.code == "E733"
    assert "nonsense" in caught.value.explain()


def test_a_server_that_dies_on_a_full_disk_is_told_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It cannot write down why; all that is known is that the disk is full."""
    node = Node(0, tmp_path, Ports(1, 2, 3), ["false"], 0)
    node.start()
    assert node.process is not None
    node.process.wait()
    with pytest.raises(EverystateError) as caught:
        node.require_alive()
    assert caught.value.code == "E732"
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": 3 << 20})())
    with pytest.raises(EverystateError) as caught:
        node.require_alive()
    assert (caught.value.code, caught.value.facts["free"]) == ("E734", 3)


def test_ports_are_free_and_not_those_of_outgoing_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    found = free_ports(9)
    assert len(set(found)) == 9
    assert all(20_000 <= port < 32_768 for port in found)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", found[0]))
        taken.listen()
        monkeypatch.setattr(module, "PORTS", range(found[0], found[0] + 1))
        with pytest.raises(EverystateError) as caught:
            free_ports(1)
    assert caught.value.code == "E736"


def test_a_deadline_that_is_missed_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "crowding", lambda: 1.0)
    with pytest.raises(NotJudged, match="waited 0 seconds in vain: the moon"):
        wait("the moon", lambda: False, patience=0.05)
    counted = iter(([], 0, None, [7]))
    assert wait("a value", lambda: next(counted)) == [7]


def test_the_keeper_ends_its_group_and_deletes_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    (folder / "data").mkdir(parents=True)
    pipe = subprocess.PIPE
    owner = subprocess.Popen([sys.executable, "-I", keeper, str(folder)], stdin=pipe, stdout=pipe)
    assert owner.stdin is not None and owner.stdout is not None
    group = int(owner.stdout.readline())
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        owner.send_signal(number)
    sleeper = subprocess.Popen(["sleep", "1000"], process_group=group)
    time.sleep(0.1)
    assert sleeper.poll() is None and folder.exists()
    owner.stdin.close()
    assert sleeper.wait() == -signal.SIGKILL
    assert owner.wait() == 0
    owner.stdout.close()
    assert not folder.exists() and not is_there(group)


def test_what_a_server_complained_of_is_quoted() -> None:
    said = "INFO begins\nERROR it is so\n\tat a.b.C\njava.lang.Exception: so\nERROR it is so\nINFO ends\n"
    assert last_words(said) == ["ERROR it is so", "java.lang.Exception: so"]
    assert last_words("one\ntwo\n") == ["one", "two"]
    assert last_words("") == ["(none)"]


def test_a_server_hears_sigterm_although_its_owner_does_not(tmp_path: Path) -> None:
    """Java leaves a signal alone that was ignored when it was started."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        node = Node(0, tmp_path, Ports(1, 2, 3), ["sleep", "1000"], 0)
        node.start()
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        node.stop()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert node.process is None
