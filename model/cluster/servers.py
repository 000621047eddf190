"""A cluster for tests: real kafka.Kafka processes in KRaft mode on loopback, which leave nothing behind.

One broker is a controller, too. From two on the controller is a process of its own, so that any broker can be killed.
"""

from __future__ import annotations

import base64
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType

from ...checker import java
from ...checker.errors import EverystateError
from ..conformance.driver import NotJudged
from . import properties
from .class_data import ClassData
from .node import ROOM, Node, Ports, last_words

OLDEST = 17
"""The oldest Java that a broker of Kafka 4 runs on."""
JVM = (
    "-Xms32m",
    "-Xmx192m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    "-XX:+ExitOnOutOfMemoryError",
    "-XX:-CreateCoredumpOnCrash",
    "-XX:+PrintClassHistogram",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=info",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
)
"""SIGQUIT makes a server collect its garbage and print its live objects, by classes (see Node.histogram)."""
PORTS = range(20_000, 32_768)
"""Where servers listen."""


class Servers:
    """The servers of a cluster, as a context manager: formatted, not started. Brokers are numbered from 0.

    `given` is configuration of all servers. `ports` are taken in turn where they are given. `shown` gives the port at
    which other brokers reach a broker, by its number and own port, and `advertised` the port for clients. `options` are
    further options of Java. The folder is made in `place`.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        brokers: int = 1,
        given: Mapping[str, str] | None = None,
        ports: Iterable[int] | None = None,
        shown: Callable[[int, int], int] = lambda node, port: port,
        place: Path | None = None,
        advertised: Callable[[int, int], int] = lambda node, port: port,
        options: Sequence[str] = (),
    ) -> None:
        self.paths, self.given, self.shown, self.advertised = list(paths), dict(given or {}), shown, advertised
        self.options = options
        self.java = java.find("Kafka", OLDEST, "kafka")
        self.folder = Path(tempfile.mkdtemp(prefix="everystate-cluster-", dir=place))
        self._closing = ExitStack()
        try:
            self.group = self._keep()
            _require_room(self.folder)
            self.class_data = ClassData(self.java, self.paths, self.folder / "classes.jsa")
            count = brokers if brokers == 1 else brokers + 1
            found = iter(list(ports) if ports is not None else free_ports(3 * count))
            places = [Ports(next(found), next(found), next(found)) for _ in range(count)]
            self.controller = count - 1
            self.nodes = [self._node(number, places) for number in range(count)]
            self.brokers = self.nodes[:brokers]
            self._format()
        except BaseException:
            self.close()
            raise

    # -- the beginning and the end -------------------------------------------------------------------------

    def _keep(self) -> int:
        """Start the keeper; the process group of all servers."""
        program = [sys.executable, "-I", str(Path(__file__).with_name("keeper.py")), str(self.folder)]
        self.keeper = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.keeper.stdout is not None
        return int(self.keeper.stdout.readline())

    def close(self) -> None:
        """End all servers and delete all of their files."""
        for node in getattr(self, "nodes", []):
            node.kill()
        keeper = getattr(self, "keeper", None)
        if keeper is not None:
            keeper.stdin.close()
            keeper.wait()
            keeper.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Servers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and not self.class_data.there:
                self._keep_classes()
        finally:
            self.close()

    def _keep_classes(self) -> None:
        """Shut down the first broker normally, so that it writes the archive of classes for later ones."""
        first = self.brokers[0]
        if all(node.running and not node.paused for node in (first, self.nodes[self.controller])):
            with suppress(NotJudged, EverystateError):
                first.stop()
                self.class_data.keep()

    def _node(self, number: int, places: Sequence[Ports]) -> Node:
        single = len(places) == 1
        is_controller = number == self.controller
        roles = ("broker", "controller") if single else ("controller",) if is_controller else ("broker",)
        folder, ports = self.folder / f"node-{number}", places[number]
        (folder / "tmp").mkdir(parents=True)
        making = self.class_data.made() if number == 0 and not self.class_data.there else []
        command = self._java(folder, making, "kafka.Kafka", folder / "server.properties")
        node = Node(number, folder, ports, command, self.group)
        advertised = Ports(
            ports.client if is_controller and not single else self.advertised(number, ports.client),
            ports.broker if single or is_controller else self.shown(number, ports.broker),
            ports.controller,
        )
        controller = places[self.controller].controller
        node.properties.write_text(
            properties.text(number, roles, ports, controller, node.data, self.given, advertised), "utf-8"
        )
        return node

    def _java(self, folder: Path, given: Sequence[str], main: str, *arguments: object) -> list[str]:
        places = [f"-Djava.io.tmpdir={folder / 'tmp'}", f"-XX:ErrorFile={folder / 'jvm.log'}"]
        path = os.pathsep.join(map(str, self.paths))
        options = [*JVM, *self.class_data.used(), *given, *self.options, *places]
        return [str(self.java.program), *options, "-cp", path, main, *map(str, arguments)]

    def _format(self) -> None:
        """Write the identity of the cluster into each folder, as `kafka-storage.sh format` does."""
        name = base64.urlsafe_b64encode(b"everystate-tests").decode().rstrip("=")
        running = []
        for node in self.nodes:
            arguments = ["format", "-t", name, "-c", node.properties]
            arguments += ["--standalone"] if node.number == self.controller else []
            command = self._java(node.folder, (), "kafka.tools.StorageTool", *arguments)
            pipe = subprocess.PIPE
            running.append(
                subprocess.Popen(command, stdout=pipe, stderr=subprocess.STDOUT, process_group=self.group, text=True)
            )
        for node, process in zip(self.nodes, running, strict=True):
            said, _ = process.communicate()
            if process.returncode != 0:
                lines = "\n".join(f"      {line}" for line in last_words(said))
                raise EverystateError("E733", None, node=node.number, log=lines)

    # -- all of them ---------------------------------------------------------------------------------------

    def start(self) -> None:
        """Start every server, and wait until each serves."""
        for node in reversed(self.nodes):
            node.start()
        for node in self.nodes:
            node.ready()

    def require_alive(self) -> None:
        """E732 when a server ended by itself."""
        for node in self.nodes:
            node.require_alive()

    def bootstrap(self) -> str:
        """The addresses of the brokers for clients, without whatever they advertise."""
        return ",".join(f"{properties.HOST}:{node.ports.client}" for node in self.brokers)

    def memory(self) -> list[int]:
        """Resident bytes of each server that runs."""
        return [_resident(node.process.pid) for node in self.nodes if node.running and node.process]


def free_ports(count: int) -> list[int]:
    """Free ports; all are held until all are found.

    They are below those that the system gives to outgoing connections: such a one may be taken before a server is up.
    """
    with ExitStack() as held:
        found: list[int] = []
        for port in random.SystemRandom().sample(PORTS, len(PORTS)):
            place = held.enter_context(socket.socket())
            with suppress(OSError):
                place.bind((properties.HOST, port))
                found.append(port)
            if len(found) == count:
                return found
    raise EverystateError("E736", None, first=PORTS.start, last=PORTS.stop - 1, count=count)


def _require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < ROOM:
        raise EverystateError("E734", None, folder=folder.parent, free=free >> 20, room=ROOM >> 20)


def _resident(pid: int) -> int:
    """Resident bytes of a process."""
    reply = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True).stdout
    return int(reply.split()[0]) << 10
