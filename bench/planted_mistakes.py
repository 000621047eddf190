"""Mistakes planted one by one in a private copy of a commit: what notices them, a test, the cross-check, or nothing?

    nice -n 10 python bench/planted_mistakes.py [NUMBER] [SEED] [--commit COMMIT] [--minutes N] [--out FILE]

A mistake is a small change of a line that an ordinary check executes: another comparison, the other branch, exchanged
arguments, a number one too high, a statement left out. A seed chooses them from the syntax trees. Each is tried in a
process of its own. First the classics and a spec with everyday Python are checked as a user does it, with the default
cross-check: it stops with E217 or with another error, or the outcome differs silently, or it is the same. Unless the
check has stopped, some seconds of tests of that part follow, up to the first that fails.

`--out` has a line of JSON for each mistake; a later run continues behind them. `--again` tries those that nothing has
noticed once more, with more tests. `planted_mistakes.toml` names changes that no result depends on, and why.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
SECONDS = 60
"""Of the processor, for one mistake; one that takes longer is noticed by whoever waits."""
Tests = tuple[str, ...]
NEAR: Tests = ("tests/agreement/test_regressions.py", "tests/idioms")
PARTS: dict[str, tuple[int, tuple[str, ...], Tests, Tests]] = {
    "front end": (
        4,
        ("frontend", "language/concrete.py", "language/values.py"),
        (*NEAR, "tests/frontend/test_closures.py", "tests/frontend/test_notes.py", "tests/engines/test_properties.py"),
        ("tests/frontend/test_everyday.py", "tests/frontend/test_kept.py", "tests/docs/test_language.py"),
    ),
    "IR": (
        2,
        ("ir",),
        (*NEAR, "tests/engines/test_layout.py", "tests/agreement/test_membership.py"),
        ("tests/agreement", "tests/smt/test_decide.py", "tests/engines/test_initial_states.py"),
    ),
    "back ends": (
        2,
        ("backends/native", "backends/interpreter.py"),
        (*NEAR, "tests/engines/test_layout.py", "tests/engines/test_classics.py"),
        ("tests/engines/test_cross_check.py", "tests/engines/test_tiers.py", "tests/engines/test_workers.py"),
    ),
    "engines": (
        2,
        ("engines",),
        (
            "tests/engines/test_properties.py",
            "tests/engines/test_never_happened.py",
            "tests/engines/test_cross_check.py",
        ),
        ("tests/engines", "tests/api"),
    ),
    "reports": (1, ("results",), ("tests/results",), ("tests/cli/test_transcripts.py", "tests/api")),
}
"""Of each part: how often, its files, the tests that follow where no check has stopped, and those after them."""
ASIDE = ("observer", "on_progress", "stopwatch", "phase", "close", "progress", "prefetch", "part", "wait", "join")
"""Names of calls on which no result depends: what is displayed, measured or tidied up."""
EQUIVALENT = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
"""Changes on which no result depends, and why."""
SPECS = """
channel cat_boxes die_hard hour_clock live_hour_clock prisoner barrier simple fifo two_phase missionaries
"""
EVERYDAY = '''
from everystate.checker import *


class Item(Record):
    x = Int(0, 3)
    on = Bool()


class Everyday(Spec):
    """Each kind of variable, and everyday Python."""

    may_terminate = True

    def variables(self):
        self.n = Int(-1, 3)
        self.q = Seq(Int(0, 3), 3)
        self.cells = Array(2, Option(Int(0, 2)))
        self.members = Set(range(3))
        self.price = Map(["tea", "milk"], Int(0, 2))
        self.items = Seq(Item, 2)
        self.light = Enum("red", "green")

    @action(k=range(3))
    def put(self, k):
        require(len(self.q) < 3 and self.n < 2)
        self.q.append(k)
        self.n = max((x for x in self.q if x != self.n), default=-1)
        for i, cell in enumerate(self.cells):
            if cell is None and k > 0:
                self.cells[i] = k
                break
        else:
            self.members.add(k)

    @action
    def take(self):
        require(self.q)
        x = self.q.popleft() if self.light == "red" else self.q.pop()
        self.light = "green" if x % 2 else "red"
        self.price["tea"] = min(2, x // 2 + self.price["milk"])
        if len(self.items) < 2:
            self.items.append(Item(x, x in self.members))
        elif any(item.on for item in self.items):
            self.items[0].x = 6 // (self.n + 1) % 4 if self.n >= 0 else 0

    @action
    def sort(self):
        require(len(self.q) > 1 and sorted(self.q) != self.q)
        self.q = sorted(self.q, key=lambda x: -x)
        first = choose(self.members)
        self.members = {m for m in self.members if m > first} | {self.q[-1] % 3}

    @invariant
    def small(self):
        return sum(c == 1 for c in self.cells) + len(self.members) <= 4

    @invariant
    def few(self):
        return implies(len(self.items) == 2, lambda: self.items[0].x + self.items[1].x < 4)

    @step_invariant
    def grows(self, before):
        return len(self.members) >= len(before.members) or len(self.q) > 1

    @reachable
    def full(self):
        return len(self.q) == 3 and all(c is not None for c in self.cells)
'''
ODDS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.BitAnd: ast.BitOr,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
UNNOTICED = ("nothing", "wrong outcome")
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


@dataclass(frozen=True)
class Mistake:
    """A change of a file: the lines and columns that another text replaces."""

    part: str
    file: str
    start: tuple[int, int]
    end: tuple[int, int]
    text: str
    was: str

    def __str__(self) -> str:
        return f"{self.file}:{self.start[0]}: `{self.was}` becomes `{self.text}`"

    @property
    def equivalent(self) -> bool:
        """Whether no result depends on it."""
        return f"{self.file}: `{self.was}` becomes `{self.text}`" in EQUIVALENT

    def planted(self, source: str) -> str:
        """The source with the mistake."""
        lines = source.splitlines(keepends=True)
        before = "".join(lines[: self.start[0] - 1]) + lines[self.start[0] - 1].encode()[: self.start[1]].decode()
        after = lines[self.end[0] - 1].encode()[self.end[1] :].decode() + "".join(lines[self.end[0] :])
        return before + self.text + after


def mistakes(part: str, file: str, source: str, executed: set[int]) -> Iterator[Mistake]:
    """Everything that may be planted in the executed lines of a file."""
    tree = ast.parse(source)
    ignored = {id(n) for top in ast.walk(tree) for n in _told(top)}
    ignored |= {id(n) for top in tree.body if isinstance(top, ast.Assign) for n in ast.walk(top)}  # sizes and limits
    for node in ast.walk(tree):
        if id(node) in ignored or getattr(node, "lineno", 0) not in executed:
            continue
        for other in _changed(node):
            where = ((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset))  # type: ignore[attr-defined]
            yield Mistake(part, file, *where, other, ast.unparse(node))


def _told(node: ast.AST) -> Iterator[ast.AST]:
    """What is told to readers or type checkers: annotations and texts."""
    for name in ("annotation", "returns"):
        if getattr(node, name, None) is not None:
            yield from ast.walk(getattr(node, name))
    if isinstance(node, (ast.Raise, ast.JoinedStr, ast.Assert)):
        yield from ast.walk(node)


def _changed(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in ODDS:
        yield ast.unparse(ast.Compare(node.left, [ODDS[type(node.ops[0])]()], node.comparators))  # type: ignore[list-item]
    elif isinstance(node, ast.BoolOp):
        yield f"({ast.unparse(ast.BoolOp(ODDS[type(node.op)](), node.values))})"  # type: ignore[arg-type]
    elif isinstance(node, ast.BinOp) and type(node.op) in ODDS:
        yield f"({ast.unparse(ast.BinOp(node.left, ODDS[type(node.op)](), node.right))})"  # type: ignore[arg-type]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield f"bool({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield str(node.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield str(not node.value)
    elif isinstance(node, ast.Name) and node.id in NAMES and isinstance(node.ctx, ast.Load):
        yield NAMES[node.id]
    elif isinstance(node, (ast.Break, ast.Continue)):
        yield ast.unparse(ODDS[type(node)]())
    elif isinstance(node, ast.AugAssign) or _is_effect(node):
        yield "pass"
    elif _is_symmetric(node):
        return
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args):
        one, two, *others = node.args
        if ast.dump(one) != ast.dump(two):
            yield ast.unparse(ast.Call(node.func, [two, one, *others], node.keywords))
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"


def _is_symmetric(node: ast.AST) -> bool:
    """Whether a call has the same result with its arguments exchanged."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("min", "max")


def _is_effect(node: ast.AST) -> bool:
    """Whether a statement may be left out: a call, or an assignment to a part of an object."""
    if isinstance(node, ast.Assign):
        return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in node.targets)
    if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
        return False
    return not any(name in ast.unparse(node.value.func).split(".") for name in ASIDE)


# -- one process for each mistake ----------------------------------------------------------------------------


def outcome(folder: Path) -> dict[str, str]:
    """What the checks of all specs show, as a user sees it; an error of the checker ends it."""
    import importlib

    from everystate.checker import Spec
    from everystate.checker.api.checking import check

    found = {}
    (folder / "everyday.py").write_text(EVERYDAY)
    sys.path.insert(0, str(folder))
    for name in ("everyday", *(f"everystate.specs.classics.{word}" for word in SPECS.split())):
        module = importlib.import_module(name)
        for spec in vars(module).values():
            if isinstance(spec, type) and issubclass(spec, Spec) and spec.__module__ == name:
                shown = check(spec, engine="native")  # E217 is not answered by plain Python
                text = [str(shown.verdict), str(shown.distinct), str(shown.generated), str(shown.depth)]
                text += [f"{v}" for v in shown.violations]
                found[f"{name}.{spec.__name__}"] = "\n".join(text)
    return found


def child(work: Callable[[], str], log: Path) -> tuple[str, str]:
    """What some work says in a process of its own, or how that one ended; and the last line that it printed."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        os.close(reader)
        output = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(output, stream)
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        signal.alarm(SECONDS * 60)
        try:
            said = work()
        except BaseException as error:
            said = f"stops: {getattr(error, 'code', type(error).__name__)}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)  # processes that it left behind
    return said or "takes too long", (log.read_text(errors="replace").strip().splitlines() or [""])[-1][:200]


class Tree:
    """A private copy of a commit, whose modules are imported by each child."""

    def __init__(self, commit: str, folder: Path) -> None:
        self.folder, self.log = folder, folder / "log"
        archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True)
        subprocess.run(["tar", "-x", "-C", folder], input=archive.stdout, check=True)
        site = folder / "site"
        (site / "everystate").mkdir(parents=True)
        for file in (folder / "checker" / "everystate").iterdir():
            (site / "everystate" / file.name).symlink_to(file)
        for name in ("checker", "specs", "model", "counterexamples", "docs"):
            (site / "everystate" / name).symlink_to(folder / name)

    def enter(self) -> None:
        """Import from here from now on."""
        os.environ["EVERYSTATE_CACHE"] = tempfile.mkdtemp(dir=self.folder)
        os.chdir(self.folder)
        sys.path[:0] = [str(self.folder / "site"), str(self.folder)]
        for name in [n for n in sys.modules if n.partition(".")[0] in ("everystate", "tests")]:
            del sys.modules[name]

    def check(self) -> str:
        """The outcomes of the specs, as text."""
        self.enter()
        return json.dumps(outcome(Path(os.environ["EVERYSTATE_CACHE"])), sort_keys=True)

    def executed(self) -> str:
        """The lines of the checker that the check executes, by file."""
        lines: dict[str, set[int]] = {}
        inside = str(self.folder / "site" / "everystate" / "checker") + "/"

        def trace(frame: object, event: str, _: object) -> object:
            file = frame.f_code.co_filename  # type: ignore[attr-defined]
            if not file.startswith(inside):
                return None
            known = lines.setdefault(file.removeprefix(inside), set())

            def local(frame: object, event: str, _: object) -> object:
                known.add(frame.f_lineno)  # type: ignore[attr-defined]
                return local

            known.add(frame.f_lineno)  # type: ignore[attr-defined]
            return local

        self.enter()
        import threading

        threading.settrace(trace)  # type: ignore[arg-type]
        sys.settrace(trace)  # type: ignore[arg-type]
        outcome(Path(os.environ["EVERYSTATE_CACHE"]))
        sys.settrace(None)
        place = self.folder / "executed.json"
        place.write_text(json.dumps({file: sorted(found) for file, found in lines.items()}))
        return "done"

    def tests(self, files: tuple[str, ...]) -> str:
        """Whether the tests of some files fail."""
        import pytest

        self.enter()
        given = [file for file in files if (self.folder / file).exists()]
        options = [
            "-x",
            "-q",
            "-m",
            "not thorough",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "--import-mode=importlib",
        ]
        return "noticed" if pytest.main([*options, *given]) == 1 else "same"


def judge(tree: Tree, mistake: Mistake, expected: str, more: bool) -> tuple[str, str]:
    """What notices a mistake, and a detail; `more` tests than the nearest are tried."""
    path = tree.folder / "checker" / mistake.file
    source, written = path.read_text(), path.stat().st_mtime
    try:
        path.write_text(mistake.planted(source))
        os.utime(path, (written, written + 100))  # Python compares bytecode with seconds and size of the file
        said, last = child(tree.check, tree.log)
        if said.startswith("stops: ") or said == "takes too long":
            code = said.removeprefix("stops: ")
            return ("cross-check" if code in ("E217", "E505") else "error"), f"{code} {last}"
        differs = said != expected
        for tests in PARTS[mistake.part][2 : 4 if more else 3]:
            tested, last = child(partial(tree.tests, tests), tree.log)
            if tested != "same":
                return ("test" if not differs else "test, wrong outcome"), f"{tested} {last}"
        return ("wrong outcome" if differs else "nothing"), _difference(expected, said)
    finally:
        path.write_text(source)
        os.utime(path, (written, written))


def _difference(expected: str, said: str) -> str:
    one, two = json.loads(expected), json.loads(said)
    return "; ".join(f"{n}: {one[n]!r} became {two.get(n)!r}" for n in one if one[n] != two.get(n))[:300]


def chosen(tree: Tree, number: int, seed: int) -> list[Mistake]:
    """Random mistakes in executed lines: parts by their weight, then files by what is executed of them."""
    executed = json.loads((tree.folder / "executed.json").read_text())
    dice, found = random.Random(seed), list[Mistake]()
    by_part: dict[str, list[Mistake]] = {}
    for part, (_, places, *_) in PARTS.items():
        for file in sorted(executed):
            if file.startswith(places):
                source = (tree.folder / "checker" / file).read_text()
                by_part.setdefault(part, []).extend(mistakes(part, file, source, set(executed[file])))
    weights = [part for part, (weight, *_) in PARTS.items() for _ in range(weight)]
    while len(found) < number:
        mistake = dice.choice(by_part[weights[len(found) % len(weights)]])
        if mistake not in found and not mistake.equivalent:
            found.append(mistake)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("number", type=int, nargs="?", default=200)
    parser.add_argument("seed", type=int, nargs="?", default=1)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--out", type=Path, help="a line of JSON for each mistake")
    parser.add_argument("--again", action="store_true")
    given = parser.parse_args()
    import hypothesis
    import llvmlite.binding
    import numpy
    import pytest

    loaded = (hypothesis, llvmlite.binding, numpy, pytest)  # once, before any child
    out = given.out.resolve() if given.out else None
    lines = [json.loads(line) for line in out.read_text().splitlines()] if out and out.exists() else []
    known = {line["mistake"]: line for line in lines if not (given.again and line["by"] in UNNOTICED)}
    end, table = time.monotonic() + given.minutes * 60, Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(given.commit, Path(folder))
        expected, last = child(tree.check, tree.log)
        again, _ = child(tree.check, tree.log)
        said, last = child(tree.executed, tree.log)
        assert loaded and expected == again and expected.startswith("{") and said == "done", (
            expected,
            again,
            said,
            last,
        )
        sys.dont_write_bytecode = True  # that of a mistake would be taken for the file's own
        for mistake in chosen(tree, given.number, given.seed):
            if time.monotonic() > end:
                break
            if str(mistake) in known:
                table[mistake.part, known[str(mistake)]["by"]] += 1
                continue
            by, detail = judge(tree, mistake, expected, given.again)
            table[mistake.part, by] += 1
            print(f"{by:20} {mistake.part:10} {mistake}  [{detail}]", flush=True)
            if out:
                line = {"by": by, "part": mistake.part, "mistake": str(mistake), "detail": detail}
                with out.open("a") as file:
                    file.write(json.dumps(line) + "\n")
    kinds = ("cross-check", "error", "test", "test, wrong outcome", "wrong outcome", "nothing")
    print(f"\n{'':10} {' '.join(f'{k:>20}' for k in kinds)}")
    for part in PARTS:
        print(f"{part:10} {' '.join(f'{table[part, k]:20}' for k in kinds)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
