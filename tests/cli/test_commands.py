"""The command line from outside: files, pipes, signals, start-up."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from everystate.checker.cli.main import main

EVERYSTATE = str(Path(sys.executable).with_name("everystate"))
SLOW = """
from everystate.checker import Array, Int, Spec, action, invariant, require


class Slow(Spec):
    def variables(self):
        self.cells = Array(12, Int(0, 9))

    @action(i=range(12))
    def step(self, i):
        require(self.cells[i] < 9)
        self.cells[i] += 1

    @invariant
    def fine(self):
        return self.cells[0] <= 9
"""


def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    line = [EVERYSTATE, *arguments]
    return subprocess.run(line, capture_output=True, text=True, timeout=120, check=False, **options)  # type: ignore[call-overload]


def test_the_json_report_has_exactly_the_promised_keys(tmp_path: Path) -> None:
    found = command("check", "die-hard", "--json", "-", "--out", str(tmp_path))
    data = json.loads(found.stdout)
    keys = "target constants engine verdict exit_code distinct generated depth cross_checked paths seconds"
    assert list(data) == [
        *keys.split(),
        "states_per_second",
        "bytes_per_state",
        "violations",
        "conditions",
        "warnings",
        "coverage",
        "times",
    ]
    assert list(data["violations"][0]) == ["property", "kind", "length", "trace"]
    assert data["violations"][0]["length"] == 6
    assert Path(data["violations"][0]["trace"]).is_file()
    assert found.returncode == data["exit_code"] == 12


def test_a_report_without_a_folder_keeps_its_traces_in_the_cache(tmp_path: Path) -> None:
    found = command("check", "die-hard", "--json", "-", env={**os.environ, "EVERYSTATE_CACHE": str(tmp_path)})
    trace = Path(json.loads(found.stdout)["violations"][0]["trace"])
    assert trace.is_relative_to(tmp_path)
    assert command("show", str(trace)).stdout.startswith("Invariant goal_not_reached violated after 6 steps")


@pytest.mark.parametrize("workers", ["1", "2", "4"])
def test_trace_files_are_the_same_bytes_for_any_number_of_workers(workers: str, tmp_path: Path) -> None:
    for folder, number in (("one", "1"), ("some", workers)):
        assert main(["check", "idem-producer/unsafe", "-q", "--workers", number, "--out", str(tmp_path / folder)]) == 12
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == ["idem-producer-unsafe-InOrder.itf.json", "idem-producer-unsafe-NoDup.itf.json"]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "some" / name).read_bytes()


def test_show_as_itf_gives_back_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "idem-producer/unsafe", "-q", "--out", str(tmp_path)])
    for path in tmp_path.iterdir():
        capsys.readouterr()
        assert main(["show", str(path), "--as", "itf"]) == 0
        assert capsys.readouterr().out == path.read_text()


def test_show_reads_standard_input(tmp_path: Path) -> None:
    main(["check", "tcommit", "-q", "--out", str(tmp_path)])
    found = command("show", "-", input=(tmp_path / "tcommit-deadlock.itf.json").read_text())
    assert found.stdout.startswith("Deadlock after 3 steps")


def test_show_reads_a_file_that_begins_with_a_byte_order_mark(tmp_path: Path) -> None:
    main(["check", "tcommit", "-q", "--out", str(tmp_path)])
    (tmp_path / "marked.json").write_text((tmp_path / "tcommit-deadlock.itf.json").read_text("utf-8"), "utf-8-sig")
    assert command("show", str(tmp_path / "marked.json")).stdout.startswith("Deadlock after 3 steps")


@pytest.mark.parametrize("arguments", [["show"], ["matrix"], ["check", "die-hard", "--replay"], ["explore"]])
def test_a_file_that_is_not_text_is_told(
    arguments: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A matrix that was stored in UTF-16 was no complete trace, and was to be written again by `everystate check`."""
    path = tmp_path / "other.itf.json"
    path.write_text("[[variant]]", "utf-16-le")
    path.write_bytes(b"\xff\xfe" + path.read_bytes())
    assert main([*arguments, str(path)]) == 150
    assert capsys.readouterr().err.splitlines()[0] == f"error E404: {path} is not text: byte 0xff"


def test_a_reader_that_goes_away_is_no_error() -> None:
    for arguments in ("list", "check idem-producer/unsafe", "check --help"):
        shell = f"{EVERYSTATE} {arguments} | head -c 1"
        found = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
        progress = (
            "tracing the spec",
            "compiling the spec",
            "level ",
            "executing states once more",
            "rebuilding traces",
        )
        assert [told for told in found.stderr.splitlines() if not told.startswith(progress)] == []  # of a busy machine


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device here")
def test_a_verdict_has_its_exit_code_where_nobody_hears_it(tmp_path: Path) -> None:
    closed = f"cd {tmp_path}; {EVERYSTATE} check die-hard --out traces <&- >&- 2>&-"
    found = subprocess.run(["bash", "-c", closed], capture_output=True, text=True, timeout=60, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (12, "", "")
    assert len(list((tmp_path / "traces").iterdir())) == 1


def test_a_full_disk_is_told() -> None:
    shell = f"{EVERYSTATE} list > /dev/full"
    found = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, timeout=60, check=False)
    assert found.stderr.startswith("error E403: standard output cannot be written: no space left on device")
    assert found.returncode == 150


AT_ONCE = """
from everystate.checker.cli import main, progress
progress.SPEAK = 0.1
raise SystemExit(main.main())
"""
"""The command, which tells of a level as soon as it is there: five seconds of two processors are many states."""


@contextlib.contextmanager
def started(*arguments: str, cwd: Path) -> Iterator[subprocess.Popen[str]]:
    """A command that runs meanwhile, and no longer: where its test fails it would search on for ever."""
    line = [sys.executable, "-c", AT_ONCE, *arguments]
    run = subprocess.Popen(line, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with run:
        try:
            yield run
        finally:
            run.kill()


def heard(run: subprocess.Popen[str], beginning: str) -> str:
    """The next line of a command's progress that begins so; a busy machine tells of phases before it."""
    assert run.stderr is not None
    return next((line for line in run.stderr if line.startswith(beginning)), "")


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_ends_in_a_partial_report(sent: signal.Signals, code: int, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    command("check", "slow.py", "--max-states", "1000", cwd=tmp_path)
    with started("check", "slow.py", "--max-memory", "4G", "--json", "report.json", cwd=tmp_path) as run:
        assert heard(run, "level ")
        run.send_signal(sent)
        out, err = run.communicate(timeout=300)
    assert run.returncode == code, err
    assert "\nUNDECIDED  interrupted: no violation in " in f"\n{out}"
    data = json.loads((tmp_path / "report.json").read_text())
    assert (data["verdict"], data["exit_code"]) == ("UNDECIDED", 130)
    assert data["distinct"] > 0


def test_an_interrupt_before_the_search_says_so(tmp_path: Path) -> None:
    (tmp_path / "sleeps.py").write_text(
        "import sys, time\nprint('there', file=sys.stderr, flush=True)\ntime.sleep(60)\n"
    )
    with started("check", "sleeps.py", cwd=tmp_path) as run:
        assert heard(run, "there\n")
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=300)
    assert (out, err.strip()) == ("", "interrupted")
    assert run.returncode == 130


def test_an_internal_error_is_one_line_and_how_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("the roof\nfell in")

    monkeypatch.setattr("everystate.checker.cli.commands.check.resolve", fail)
    assert main(["check", "die-hard"]) == 255
    err = capsys.readouterr().err
    assert err.startswith("error E503: Everystate itself failed: RuntimeError: the roof fell in (test_commands.py:")
    assert "Traceback" not in err
    monkeypatch.setenv("EVERYSTATE_DEBUG", "1")
    assert main(["check", "die-hard"]) == 255
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_spec_in_a_module_and_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("SIZE = 2\n")
    (tmp_path / "queue.py").write_text("raise AssertionError('not the queue of the library')\n")
    (tmp_path / "lamp.py").write_text(
        "import sizes\nfrom everystate.checker import *\n\n\nclass Lamp(Spec):\n    def variables(self):\n"
        "        self.x = Int(0, sizes.SIZE)\n\n    @action\n    def go(self):\n        self.x = 1\n"
    )
    for target in ("lamp.py", "lamp.py:Lamp", "lamp:Lamp", str(tmp_path / "lamp.py")):
        found = command("check", target, "-q", cwd=tmp_path)
        assert found.returncode == 0, (target, found.stderr)


def test_a_trace_of_a_file_is_shown_with_the_spec_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW.replace("<= 9", "<= 1"))
    found = command("check", str(tmp_path / "slow.py"), "--stop-early", "-q", "--out", "traces", cwd=tmp_path)
    assert found.returncode == 12, found.stderr
    shown = command("show", "traces/slow-fine.itf.json", "--spec", "slow.py", cwd=tmp_path)
    assert shown.stderr == ""
    assert shown.stdout.splitlines()[1] == "slow.py"


MEMBERS = """
from everystate.checker import *


class Members(Spec):
    def variables(self):
        self.x = Int(0, 1)

    @action
    def turn(self):
        self.x = 1 - self.x

    @eventually(c=(-1, 1, "../a", "..-a"))
    def there(self, c):
        return self.x == 2
"""


def test_each_member_of_a_property_has_a_trace_file_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """there(c=-1) and there(c=1) were one file, and a matrix took a text with a slash for a folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "members.py").write_text(MEMBERS)
    wanted = {f"there(c={c})" for c in ("-1", "1", "../a", "..-a")}
    assert main(["check", "members.py", "-q", "--out", "some"]) == 13
    (tmp_path / "variants.toml").write_text('[[variant]]\nname = "all"\ntarget = "members.py"\n')
    main(["matrix", "variants.toml", "-q", "--no-cache", "--out", "others"])
    for folder in ("some", "others"):
        files = [*(tmp_path / folder).iterdir()]
        assert {json.loads(f.read_text())["#meta"]["property"] for f in files} == wanted, files
    assert (tmp_path / "some" / "members-there-c-1.itf.json").exists()


def test_completion_offers_the_names() -> None:
    asked = {"_EVERYSTATE_COMPLETE": "bash_complete", "COMP_WORDS": "everystate check die", "COMP_CWORD": "2"}
    completed = command(env={**os.environ, **asked})
    assert (completed.stdout.split(), completed.stderr) == (["plain,die-hard"], "")
    asked["COMP_WORDS"] = "everystate check ./spec"
    assert command(env={**os.environ, **asked}).stdout.split() == ["file,./spec"]


def test_listing_does_not_load_what_only_a_check_needs() -> None:
    program = (
        "import sys; from everystate.checker.cli.main import main; main(['list']);"
        "print([m for m in ('numpy', 'llvmlite', 'rich', 'everystate.specs.idem_producer') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


def test_a_check_does_not_load_what_it_does_not_need() -> None:
    """Parts of NumPy that load themselves when they are named, the engines of others, and what writes and judges."""
    program = (
        "import sys; from everystate.checker.cli.main import main; main(['check', 'die-hard']);"
        "names = ('numpy.random', 'numpy.ma', 'z3', 'pyspark', 'networkx', 'everystate.specs.idem_producer',"
        "'difflib', 'json', 'subprocess', 'everystate.checker.engines.temporal');"
        "print([m for m in names if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(("given", "expected"), [("500", 500), ("8G", 8 << 30), ("1.5GiB", 3 << 29), ("64 kb", 65536)])
def test_sizes(given: str, expected: int) -> None:
    from everystate.checker.cli.options import size

    assert size(given) == expected
