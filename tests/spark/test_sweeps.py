"""Sweeps on Spark: the same outcomes as in the process pool, and no check that takes another one down."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.sweeps import load
from everystate.checker.regression.frontier import grid as grids
from everystate.checker.regression.frontier import map_text
from everystate.checker.regression.frontier.grid import Axis, Grid, Question
from everystate.checker.regression.runners.job import Allowance, Job
from everystate.checker.regression.runners.pool import Pool
from everystate.checker.regression.runners.runner import Runner, make
from everystate.checker.regression.runners.spark import Cluster as Spread
from everystate.checker.regression.runners.spark import frame

from .conftest import Cluster

pytestmark = pytest.mark.thorough

COLOURS = """
import enum

class Colour(enum.Enum):
    RED = 1
    GREEN = 2
"""
LAMP = """
import os, signal
from colours import Colour
from everystate.checker import Constant, Int, Spec, action, invariant

class Lamp(Spec):
    n = Constant(3, "brightest")
    fate = Constant(0, "what happens to the process")
    colour = Constant(Colour.RED, "its colour")

    def variables(self):
        if self.fate == 1:
            signal.raise_signal(signal.SIGSEGV)
        if self.fate == 2:
            signal.raise_signal(signal.SIGKILL)
        if self.fate == 3:
            raise ValueError(f"no {self.colour.name} lamp")
        if self.fate == 4:
            os._exit(7)
        self.x = Int(0, self.n)

    @action
    def up(self):
        from steps import STEP  # it is imported when this is traced, and has to travel

        self.x = (self.x + STEP) % (self.n + 1)

    @invariant
    def dim(self):
        return self.x < 4
"""
DEADLY = """
import ctypes
from everystate.checker import Int, Spec

class Deadly(Spec):
    def variables(self):
        ctypes.CDLL(None).kill(ctypes.CDLL(None).getppid(), 9)
        self.x = Int(0, 1)
"""
HUGE = """
from everystate.checker import Constant, Int, Spec, action, invariant

class Huge(Spec):
    a = Constant(1, "no matter")
    b = Constant(1, "no matter")

    def variables(self):
        self.x = Int(0, 2**40)

    @action
    def up(self):
        self.x = (self.x + 1) % 2**40

    @invariant
    def small(self):
        return self.x >= 0
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The user's files."""
    made = tmp_path_factory.mktemp("user")
    files = {"colours.py": COLOURS, "steps.py": "STEP = 1\n", "lamp.py": LAMP, "deadly.py": DEADLY, "huge.py": HUGE}
    for name, text in files.items():
        (made / name).write_text(text)
    return made


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)


def explore(runner: Runner, fates: int) -> Grid:
    question = Question("lamp.py", {"colour": load("lamp.py", {"colour": "GREEN"}).constants["colour"]}, cache=False)
    return grids.explore(question, Axis("n", (3, 5)), Axis("fate", tuple(range(fates))), runner, lambda *_: None)


def test_the_map_is_that_of_the_process_pool(spark: Any, here: None) -> None:
    spread, pool = explore(Spread(spark, load), 5), explore(Pool(load, 2), 5)
    assert map_text.draw(spread) == map_text.draw(pool)
    assert [c.outcome.traces.keys() for c in spread.cells] == [c.outcome.traces.keys() for c in pool.cells]
    found = {(c.x, c.y): c.finding.reason or (c.finding.status, c.finding.length) for c in spread.cells}
    assert found[3, 0] == ("proved", None) and found[5, 0] == ("violated", 4)
    assert found[3, 1] == "its process was ended by signal 11"
    assert found[3, 2] == "its process was ended by signal 9, perhaps for lack of memory"
    assert found[3, 3] == "error E113: Lamp.variables() failed: ValueError: no GREEN lamp"
    assert found[3, 4] == "its process ended with code 7"


def test_a_check_that_kills_its_python_worker_again_and_again_fails_alone(spark: Any, here: None) -> None:
    jobs = [Job(f"{n}", "lamp.py", {"n": n}, cache=False) for n in range(6)]
    jobs[2] = Job("2", "deadly.py", {}, cache=False)
    found = make(Spread(spark, load), jobs, lambda *_: None)
    assert [o.overall().status for o in found] == ["proved", "proved", "undecided", "proved", "violated", "violated"]
    assert found[2].stopped.startswith("its Spark task failed: ")


def test_time_limits_hold(spark: Any, here: None) -> None:
    job = Job("huge", "huge.py", {}, Allowance(seconds=0.5), cache=False)
    found = make(Spread(spark, load), [job], lambda *_: None)[0]
    assert found.stopped == "the time limit of 0.5 s is reached" and found.distinct > 0


def test_results_as_a_dataframe(spark: Any, here: None, tmp_path: Path) -> None:
    jobs = [Job(f"n={n}", "lamp.py", {"n": n}, cache=False) for n in (3, 5)]
    outcomes = make(Pool(load, 1), jobs, lambda *_: None)
    place = str(tmp_path / "results")
    frame(spark, jobs, outcomes).write.parquet(place)
    rows = (
        spark.read.parquet(place).orderBy("name").select("name", "status", "length", "exit_code", "distinct").collect()
    )
    assert [tuple(row) for row in rows] == [("n=3", "proved", None, 0, 4), ("n=5", "violated", 4, 12, 6)]
    reports = [json.loads(row.report) for row in spark.read.parquet(place).orderBy("name").collect()]
    assert reports == [o.report for o in outcomes]


WALKS_FIRST = """
import contextlib, json, os, sys
from everystate.checker.cli import main, spark as shared
from everystate.checker.cli.sweeps import load
from everystate.checker.engines.sampling import walk, walk_spark
from everystate.checker.engines.sampling.sample import WalkSettings
from everystate.checker.results.report import report
from everystate.checker.spark.session import embedded

def where(_):
    from everystate.checker import errors
    return os.path.relpath(errors.__file__)

def walks(spark):
    spec = load("lamp.py", {"n": 5, "colour": "GREEN"})
    course = WalkSettings(9, 1)
    code = sorted(set(spark.sparkContext.parallelize(range(8), 8).map(where).collect()))
    there = walk_spark.walk(spec, walk.Batch(course, 20, "lamp.py"), walk_spark.WalkDistribution(spark, load))
    here = walk.walk(spec, 20, 9, 1, target="lamp.py")
    yield [embedded(spark), code]
    for found in (there, here):
        yield {k: v for k, v in report(found).items() if "second" not in k}

plain = shared.opened

@contextlib.contextmanager
def opened(*given):
    with plain(*given) as spark:
        found = list(walks(spark))
        with open(told, "w") as file:
            json.dump(found, file)
        yield spark

shared.opened, told = opened, sys.argv.pop(1)
raise SystemExit(main.main())
"""


def test_a_cluster_runs_the_files_of_the_driver_in_walks_and_in_a_frontier(
    cluster: Cluster, folder: Path, tmp_path: Path
) -> None:
    """Both in one session, which takes longer to start than they do. The walks come first and find nothing there that
    the frontier has brought; that a sweep brings all that it needs is seen in the matrix below, too."""
    options = ["-x", "n=3..5", "-y", "fate=3..4", "-c", "colour=GREEN", "--engine", "spark", "--no-cache", "--quiet"]
    place, told = tmp_path / "rows", tmp_path / "walks.json"
    command = [str(told), "frontier", "lamp.py", *options, "--parquet", str(place), "--master", cluster.url]
    (folder / "main.py").write_text(WALKS_FIRST)
    done = cluster.run("main.py", *command, cwd=folder)
    code, there, here = json.loads(told.read_text()) if told.exists() else (done.stderr, {}, {})
    assert code == [False, ["everystate-code/everystate/checker/errors/__init__.py"]]
    assert there == here and there["verdict"] == "VIOLATED"
    reason = "E113: Lamp.variables() failed: ValueError: no GREEN lamp"
    assert f"n=3 fate=3; n=4 fate=3; n=5 fate=3: error {reason}" in done.stdout, done.stderr
    assert "its process ended with code 7" in done.stdout
    assert (done.returncode, done.stderr) == (3, "")
    assert (place / "_SUCCESS").exists()


def test_matrix_on_a_cluster_through_spark_submit(cluster: Cluster, folder: Path) -> None:
    import pyspark

    from everystate.checker.cli import submit

    variants = [f'[[variant]]\nname = "{n}"\ntarget = "lamp.py"\nconstants = {{ n = {n} }}\n' for n in (2, 3)]
    (folder / "variants.toml").write_text("\n".join(variants))
    launcher = str(Path(pyspark.__file__).parent / "bin" / "spark-submit")
    command = [launcher, "--master", cluster.url, submit.__file__, "matrix", "variants.toml", "--engine", "spark", "-q"]
    done = subprocess.run(command, cwd=folder, env=cluster.environment, capture_output=True, text=True, timeout=300)
    assert done.stdout == "AS EXPECTED  all 2 variants (7 states, 7 cross-checked)\n", done.stderr


@pytest.mark.usefixtures("quick_java")
def test_ctrl_c_leaves_no_process(folder: Path, tmp_path: Path) -> None:
    options = ["frontier", "huge.py", "-x", "a=1..2", "-y", "b=1..2", "--engine", "spark", "--no-cache"]
    at_once = "from everystate.checker.cli import main, sweeps; sweeps.SPEAK = 0.05; raise SystemExit(main.main())"
    command = [sys.executable, "-c", at_once, *options]
    mark = f"EVERYSTATE_TEST_{os.getpid()}"
    environment = {**os.environ, mark: "1", "TMPDIR": str(tmp_path)}
    with (tmp_path / "told").open("w") as told:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=told, stderr=told)
        await_lines(tmp_path / "told", process, "of 4 checked; at work")
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 130
    text = (tmp_path / "told").read_text()
    assert "Traceback" not in text
    assert text.rstrip().endswith("and 1 more: interrupted\n4 checks (0 states, 0 cross-checked)")
    until = time.monotonic() + 30
    while (left := marked(mark)) and time.monotonic() < until:
        time.sleep(0.2)
    assert left == []
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith("everystate")] == []


def await_lines(path: Path, process: subprocess.Popen[bytes], text: str) -> None:
    until = time.monotonic() + 180
    while text not in path.read_text():
        assert process.poll() is None and time.monotonic() < until, path.read_text()
        time.sleep(0.1)


def marked(mark: str) -> list[str]:
    """The processes that have inherited a variable of the environment."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue
    return found
