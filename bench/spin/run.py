"""Time SPIN on the peer model `idem-producer`, one core, breadth first and depth first.

    python bench/spin/run.py [plain|tuned] 8 5 5 4 3 1 1          the parameters N F W R L E C

Two texts of the model. `plain` is written as one naturally writes Promela, and compiled with the flags that
anybody would give (-O2 -DSAFETY -DNOREDUCE). `tuned` packs a state by hand into few words, checks its
properties in C, and gets the flags that were fastest for it when measured (`FLAGS`), and huge pages. Both get
the hash table that suits them (`SLOTS_PER_STATE`), and the search is exact: every state is stored in full, no
reduction, no hash compaction.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal, cast, get_args

Mode = Literal["bfs", "dfs"]
Text = Literal["plain", "tuned"]

HERE = Path(__file__).resolve().parent
MODELS = {"plain": HERE / "idem_producer_plain.pml", "tuned": HERE / "idem_producer.pml"}
USAGE = HERE / "usage.py"
PARAMETERS = ("N", "F", "W", "R", "L", "E", "C")

MEMORY_LIMIT_MIB = 7600
PLAIN_FLAGS = (
    "-O2",  # -O3 -march=native: no faster
    "-w",  # pan.c warns a lot
    "-DSAFETY",
    "-DNOREDUCE",  # count every state
    f"-DMEMLIM={MEMORY_LIMIT_MIB}",
)
FLAGS = {
    "plain": PLAIN_FLAGS,
    "tuned": (
        *PLAIN_FLAGS,
        "-DNOCOMP",  # store states as they are, without masking bytes first: 14 % less time depth first
        "-DNOVSZ",  # one process, no channel: all states have one length, not worth storing
        "-DNO_RESIZE",  # the table has its final size: saves the 8 bytes per state that growing needs
    ),
}
# Linux gives huge pages to those who ask. Everystate asks; pan does not, but its allocator can be told to.
ENVIRONMENT = {"plain": {}, "tuned": {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}}

# On 1.2 and 11.9 million states the time is least near this load; larger tables cost page faults.
SLOTS_PER_STATE = 2
SIZING_BITS = 22
MIN_BITS = 10


class SpinError(RuntimeError):
    """SPIN could not be run, or did not search the whole space."""


@dataclass(frozen=True)
class SpinRun:
    """One complete search.

    `stored` is our `distinct`, `transitions` our `generated` (initial state included), and `depth` counts
    steps: the longest shortest path breadth first, the deepest stack depth first. `bytes_per_state` is the
    whole process, hash table included: peak RSS / stored. `errors` counts failed assertions: violating states
    in the tuned text, steps that violate in the plain one. `vector_bytes` is what SPIN hashes per state.
    """

    stored: int
    transitions: int
    depth: int
    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int
    bytes_per_state: float
    errors: int
    vector_bytes: int


@dataclass(frozen=True)
class _Usage:
    cpu_seconds: float
    wall_seconds: float
    peak_rss_bytes: int


@dataclass(frozen=True)
class Verifier:
    """A compiled pan, and log2 of the hash table that suits its space."""

    params: Mapping[str, int]
    text: Text
    folder: Path
    compile_seconds: float
    table_bits: int = SIZING_BITS

    def search(self) -> SpinRun:
        """Search the whole space. CPU time is user + system of pan, without generating and compiling it."""
        return _parse(*_search(self), self.text)


def build(params: Mapping[str, int], mode: Mode, workdir: Path, text: Text = "tuned", reduce: bool = False) -> Verifier:
    """Compile a verifier in `workdir`/`text`-`mode`, and search once to give it the hash table that suits it.

    With `reduce` SPIN leaves steps out whose order does not matter, which is what it does unless it is told not to.

    Raises SpinError if spin or gcc is missing or fails, or if the memory limit is hit; ValueError for unknown
    or missing parameters.
    """
    _check(params, mode, text)
    folder = Path(workdir).resolve() / f"{text}-{mode}"
    folder.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    _compile(params, mode, folder, text, reduce)
    sizing = Verifier(params, text, folder, time.perf_counter() - start)
    return replace(sizing, table_bits=_table_bits(sizing.search().stored))


def measure(params: Mapping[str, int], mode: Mode, workdir: Path, text: Text = "tuned") -> SpinRun:
    """Search the whole space of the model twice and report the second run; errors as of `build`."""
    return build(params, mode, workdir, text).search()


def _check(params: Mapping[str, int], mode: str, text: str) -> None:
    """Reject what SPIN would fail on obscurely; the model itself checks the ranges."""
    if set(params) != set(PARAMETERS):
        raise ValueError(f"parameters are {sorted(params)}; give exactly {', '.join(PARAMETERS)}")
    if mode not in get_args(Mode):
        raise ValueError(f"mode is {mode!r}; give one of {', '.join(get_args(Mode))}")
    if text not in get_args(Text):
        raise ValueError(f"text is {text!r}; give one of {', '.join(get_args(Text))}")


def _tool(name: str) -> str:
    path = shutil.which(name)
    if path is None:
        raise SpinError(f"`{name}` is not on the PATH; install it, e.g. on Debian: apt-get install {name}")
    return path


def _compile(params: Mapping[str, int], mode: Mode, folder: Path, text: Text, reduce: bool) -> None:
    """Generate the verifier pan.c for these parameters and compile it to `folder`/pan."""
    gcc = _tool("gcc")  # spin needs it too, as its preprocessor
    defines = [f"-D{name}={params[name]}" for name in PARAMETERS]
    _call([_tool("spin"), *defines, "-a", str(MODELS[text])], folder)
    search = ["-DBFS"] if mode == "bfs" else []
    flags = [flag for flag in FLAGS[text] if not (reduce and flag == "-DNOREDUCE")]
    _call([gcc, *flags, *search, "-o", "pan", "pan.c"], folder)


def _call(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode != 0:
        raise SpinError(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")


def _search(verifier: Verifier) -> tuple[str, _Usage]:
    """Run pan once; its output, and what it used."""
    folder, depth = verifier.folder, _max_depth(verifier.params)
    # -E: a state without successor is no error; -c0: count violations, do not stop at one;
    # -n: no list of unreached code.
    pan = [str(folder / "pan"), "-E", "-c0", "-n", f"-m{depth}", f"-w{verifier.table_bits}"]
    usage, output = folder / "usage.json", folder / "pan.out"
    environment = os.environ | ENVIRONMENT[verifier.text]
    with output.open("w", encoding="utf-8") as stream:
        # -I -S: a small parent, see usage.py
        launcher = [sys.executable, "-I", "-S", str(USAGE), str(usage), *pan]
        subprocess.run(launcher, cwd=folder, env=environment, stdout=stream, stderr=subprocess.STDOUT, check=True)
    used = json.loads(usage.read_text(encoding="utf-8"))
    report = output.read_text(encoding="utf-8", errors="replace")
    _complete(report, used["exit_code"])
    return report, _Usage(used["cpu_seconds"], used["wall_seconds"], used["peak_rss_bytes"])


def _max_depth(params: Mapping[str, int]) -> int:
    """Bound the steps of any behaviour: each of the N*R sends is received and answered at most once."""
    steps = 3 * params["N"] * params["R"] + params["L"] + params["C"]
    return steps + 10  # a violation's report is one step more, and pan wants some spare


def _table_bits(states: int) -> int:
    """The size of the hash table: the smallest power of two with SLOTS_PER_STATE slots per state."""
    return max(MIN_BITS, (SLOTS_PER_STATE * states - 1).bit_length())


def _complete(report: str, exit_code: int) -> None:
    """Raise SpinError unless pan searched everything."""
    if "-DMEMLIM bound" in report:
        raise SpinError(
            f"the search needs more than {MEMORY_LIMIT_MIB} MiB; take a smaller instance or raise MEMORY_LIMIT_MIB"
        )
    cut_short = "Search not completed" in report or "search depth too small" in report
    if exit_code != 0 or cut_short or "states, stored" not in report:
        raise SpinError(f"pan did not complete its search (exit code {exit_code}):\n{report[-2000:]}")


def _number(pattern: str, report: str) -> int:
    """The first number that the pattern captures; pan prints eight digits, so 10^8 and more are rounded."""
    found = re.search(pattern, report)
    if found is None:
        raise SpinError(f"no {pattern!r} in the report of pan:\n{report[-2000:]}")
    return int(float(found[1]))


def _parse(report: str, used: _Usage, text: Text) -> SpinRun:
    stored = _number(r"(\S+) states, stored", report)
    errors = _number(r"errors: (\S+)", report)
    # The tuned text reports each violating state by a step back to it, which the model does not have.
    extra = errors if text == "tuned" else 0
    return SpinRun(
        stored=stored,
        # pan's sum stored + matched has the initial state as one, like `generated`.
        transitions=_number(r"(\S+) transitions \(= stored\+matched\)", report) - extra,
        depth=_number(r"depth reached (\d+)", report),
        cpu_seconds=used.cpu_seconds,
        wall_seconds=used.wall_seconds,
        peak_rss_bytes=used.peak_rss_bytes,
        bytes_per_state=used.peak_rss_bytes / stored,
        errors=errors,
        vector_bytes=_number(r"State-vector (\d+) byte", report),
    )


HEADER = (
    f"{'SPIN':11}{'stored':>12}{'transitions':>13}{'depth':>7}{'errors':>11}{'CPU s':>9}"
    f"{'states/s':>12}{'MiB':>8}{'bytes/state':>13}"
)


def _row(text: Text, mode: Mode, run: SpinRun) -> str:
    per_second = run.stored / run.cpu_seconds
    return (
        f"{text} {mode:5}{run.stored:>12,}{run.transitions:>13,}{run.depth:>7}{run.errors:>11,}"
        f"{run.cpu_seconds:>9.2f}{per_second:>12,.0f}"
        f"{run.peak_rss_bytes / 2**20:>8.0f}{run.bytes_per_state:>13.1f}"
    )


def _asked(arguments: list[str]) -> tuple[tuple[Text, ...], dict[str, int]] | None:
    """The texts and the parameters that were asked for; None if they make no sense."""
    texts: tuple[Text, ...] = get_args(Text)
    if arguments and arguments[0] in texts:
        texts, arguments = (cast(Text, arguments[0]),), arguments[1:]
    if len(arguments) != len(PARAMETERS) or not all(word.isdecimal() for word in arguments):
        return None
    return texts, dict(zip(PARAMETERS, map(int, arguments), strict=True))


def main(arguments: list[str]) -> int:
    """Print one table row for each text and mode; exit code 2 for bad arguments, 1 if SPIN cannot be run."""
    asked = _asked(arguments)
    if asked is None:
        usage = f"usage: run.py [plain|tuned] {' '.join(PARAMETERS)}      e.g. run.py 8 5 5 4 3 1 1"
        print(usage, file=sys.stderr)
        return 2
    texts, params = asked
    print(HEADER)
    with tempfile.TemporaryDirectory(prefix="spin-") as folder:
        try:
            for text, mode in product(texts, get_args(Mode)):
                print(_row(text, mode, measure(params, mode, Path(folder), text)), flush=True)
        except SpinError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
