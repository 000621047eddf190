"""One embedded session and one standalone cluster for all tests of Spark, each started when first asked for.

A process has one session at a time, so a test on the cluster runs its driver in a process of its own; that is also
how a driver is killed. The tests of the embedded session run one after the other in one worker of xdist, all others
here in one worker, too: each shares what it has started.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.spark import java
from everystate.checker.spark.session import Settings, session

PATIENCE = 300.0
BRIEF = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC"
"""For a Java that lives for seconds: compile little and only once, collect simply."""
ONE_CORE = "-Dspark.deploy.defaultCores=1"
HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Two groups; before xdist looks for them, else every worker starts sessions and clusters of its own."""
    for item in items:
        if item.path.is_relative_to(HERE):
            embedded = "spark" in getattr(item, "fixturenames", ())
            item.add_marker(pytest.mark.xdist_group("spark" if embedded else "cluster"))


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """An embedded session with two task slots."""
    conf = {"spark.driver.extraJavaOptions": BRIEF}
    with session(Settings(master="local[2]", app="tests", memory=1 << 30, conf=conf)) as started:
        yield started


@dataclass
class Daemon:
    """A master or worker: its process, and the file that it writes to."""

    process: subprocess.Popen[bytes]
    log: Path

    def await_line(self, pattern: str) -> re.Match[str]:
        """The first line of the log that matches."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            match = re.search(pattern, self.log.read_text("utf-8", "replace"))
            if match:
                return match
            assert self.process.poll() is None, f"it has ended:\n{self.log.read_text('utf-8', 'replace')[-3000:]}"
            time.sleep(0.1)
        raise AssertionError(f"no line {pattern!r} in\n{self.log.read_text('utf-8', 'replace')[-3000:]}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@dataclass
class Cluster:
    """A standalone cluster on loopback: a master and workers of one core each, as processes."""

    folder: Path
    environment: dict[str, str]
    url: str = ""
    master: Daemon | None = None
    workers: list[Daemon] = field(default_factory=list)

    def start(self, workers: int) -> None:
        """Start a master on a free port, and workers that register with it."""
        self.master = self._daemon("master", "org.apache.spark.deploy.master.Master", "--port", "0", given=ONE_CORE)
        self.url = self.master.await_line(r"Starting Spark master at (spark://\S+)")[1]
        for _ in range(workers):
            self.add_worker()
        for worker in self.workers:
            worker.await_line("Successfully registered with master")

    def add_worker(self) -> Daemon:
        """One more worker with one core."""
        name = f"worker-{len(self.workers)}"
        options = ["--cores", "1", "--memory", "2g", "--work-dir", str(self.folder / name), self.url]
        worker = self._daemon(name, "org.apache.spark.deploy.worker.Worker", *options)
        self.workers.append(worker)
        return worker

    def _daemon(self, name: str, cls: str, *options: str, given: str = "") -> Daemon:
        import pyspark

        launcher = Path(pyspark.__file__).parent / "bin" / "spark-class"
        log = self.folder / f"{name}.log"
        command = [str(launcher), cls, "--host", "127.0.0.1", "--webui-port", "0", *options]
        environment = {**self.environment, "SPARK_DAEMON_JAVA_OPTS": given}
        with log.open("wb") as file:
            process = subprocess.Popen(command, env=environment, stdout=file, stderr=subprocess.STDOUT)
        return Daemon(process, log)

    def end(self) -> None:
        """End everything; executors end with the worker that they belong to."""
        for daemon in (*self.workers, *([self.master] if self.master else [])):
            daemon.end()

    def run(self, *command: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a Python command (-c CODE, -m MODULE, a file) whose driver may use the cluster."""
        wanted = {"capture_output": True, "text": True, "timeout": PATIENCE, "env": self.environment, **options}
        return subprocess.run([sys.executable, *command], **wanted)


@pytest.fixture
def quick_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same for each Java that a command of the test starts."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", BRIEF)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A master and two workers, each with one core; who asks for nothing else gets one of them."""
    folder = Path(tempfile.mkdtemp(prefix="everystate-cluster-"))
    home = java.home_for_spark(java.find(), folder)
    wanted = {"JAVA_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder / "scratch")}
    wanted |= {"PYSPARK_PYTHON": sys.executable, "JAVA_TOOL_OPTIONS": BRIEF}
    started = Cluster(folder, {**os.environ, **wanted})
    try:
        started.start(2)
        yield started
    finally:
        started.end()
        shutil.rmtree(folder, ignore_errors=True)
