"""Machine code that is found without writing assembly: only where nothing that the assembly is made of has changed."""

from __future__ import annotations

import ast
import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from everystate.checker import cache
from everystate.checker.backends.native import compile as machine_code
from everystate.checker.backends.native import known
from everystate.checker.backends.native.assembly import Assembly, emit
from everystate.checker.backends.native.interface import Around, CompressedLayout, WalkLoop
from everystate.checker.backends.native.known import Known, rows
from everystate.checker.backends.native.program import Counters, Group, Program
from everystate.checker.backends.native.tiered_code import TieredCode
from everystate.checker.engines.explicit import exhaustive
from everystate.checker.frontend import model
from everystate.checker.ir.layout import Layout
from everystate.checker.ir.tree import Branch, Choice, Disabled, Fault, Tree, Update, nodes
from everystate.specs.idem_producer import IdempotentProducer

SMALL = {"batches": 2, "max_in_flight": 2, "window": 1, "max_sends": 2}
SPACE = {"batches": 6, "max_in_flight": 5, "window": 3, "max_sends": 4, "resets": 2, "bumps": 1, "leader_changes": 1}
"""Of so many states that they are compressed."""
READERS = {
    *("compile", "graph_code", "initial_states", "interface", "known"),
    *("optimise", "probe", "program", "tiered_code"),
}
"""The modules that write no assembly when they are loaded."""
SCRIPT = """
import sys
from everystate.checker.cli.main import main
code = main([{arguments}])
print(*sorted(m.rpartition('.')[2] for m in sys.modules if m.startswith('everystate.checker.backends.native.')))
"""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVERYSTATE_CACHE", str(tmp_path))
    return tmp_path / "native" / "known"


def program(**constants: Any) -> Program:
    return Program(model.build(IdempotentProducer(**SMALL, **constants)))


def command(*arguments: str) -> tuple[str, set[str]]:
    """(what it prints, the modules of the native backend that it has loaded) of a command in a process of its own."""
    script = SCRIPT.format(arguments=", ".join(map(repr, arguments)))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ, check=True)
    *told, loaded = done.stdout.splitlines()
    return "\n".join(told), set(loaded.split())


def test_a_second_run_loads_nothing_that_writes_assembly() -> None:
    arguments = ("check", "idem-producer", "-c", "leader_changes=1", "-c", "batches=2", "--quiet")
    first, second = command(*arguments), command(*arguments)
    assert {"assembly", "functions", "known", "store", "terms"} <= first[1]
    assert second == (first[0], READERS - {"optimise", "graph_code"})


def test_a_second_run_with_compressed_states_loads_nothing_that_writes_assembly() -> None:
    space = [f"{name}={value}" for name, value in SPACE.items()]
    arguments = ("check", "idem-producer", *(f"-c{given}" for given in space), "--compress", "--quiet")
    first, second = command(*arguments), command(*arguments)
    assert "state_compressor" in first[1]
    assert second == (first[0], READERS - {"optimise", "graph_code"})


def test_what_is_around_the_functions_is_in_the_key() -> None:
    every: list[Around] = [
        None,
        WalkLoop(),
        CompressedLayout(((0,), (1,)), (0, 0)),
        CompressedLayout(((0,), (1,)), (0, 1)),
        CompressedLayout(((1,), (0,)), (0, 0)),
    ]
    for number, around in enumerate(every):
        assert Known(program(), around=around).names == []
        Known(program(), around=around).learn([f"assembly {number}"])
    names = [cache.digest(f"assembly {number}") for number in range(len(every))]
    assert [Known(program(), around=around).names for around in every] == [[name] for name in names]


def test_readers_are_modules_of_the_folder() -> None:
    assert {path.stem for path in known.HERE.glob("*.py")} >= READERS


# -- what the key hangs on -------------------------------------------------------------------------------------


def of_programs() -> Iterator[tuple[str, Program]]:
    """Programs that differ from program() in one thing each."""
    plain = program()
    model, first = plain.model, plain.model.actions[0]

    def changed(**parts: Any) -> Program:
        return Program(replace(model, **parts))

    layout = model.layout
    yield "a bound of a cell", changed(cells=(replace(model.cells[0], hi=3), *model.cells[1:]))
    fields = (replace(layout.fields[0], shift=layout.fields[0].shift + 1), *layout.fields[1:])
    yield "a field", changed(layout=Layout(fields, layout.words, layout.bits))
    yield "the words", changed(layout=Layout(layout.fields, layout.words + 1, layout.bits))
    yield "an action less", changed(actions=model.actions[1:])
    yield "the order of actions", changed(actions=(model.actions[1], first, *model.actions[2:]))
    for what, tree in trees(first.tree):
        yield what, changed(actions=(replace(first, tree=tree), *model.actions[1:]))
    yield "what an action writes", changed(actions=(replace(first, writes=frozenset()), *model.actions[1:]))
    one = replace(model.properties[0], term=model.pool.true)
    yield "a property", changed(properties=(one, *model.properties[1:]))
    yield "the order of properties", changed(properties=model.properties[::-1])
    yield "a constraint", changed(properties=(*model.properties, replace(model.properties[0], kind="constraint")))
    for steps in (False, True):
        more = replace(model.properties[0], kind="eventually", steps=steps)
        yield f"a temporal property, {steps}", changed(properties=(*model.properties, more))
    yield "a view", changed(view=(model.properties[0].term,))
    yield "no antecedents", changed(antecedents=())
    for what, name, value in (
        ("groups", "state_groups", [Group(group.watches, frozenset()) for group in plain.state_groups]),
        ("groups of steps", "step_groups", [Group((0,), frozenset())]),
        ("which action an instance is of", "action_of", plain.action_of[::-1]),
        ("the names", "action_names", plain.action_names[:-1]),
        ("the counters", "counters", Counters(1, 1)),
        ("the most successors", "most_successors", plain.most_successors + 1),
    ):
        other = program()
        setattr(other, name, value)
        yield what, other


def trees(tree: Tree) -> Iterator[tuple[str, Tree]]:
    update = next(node for node in nodes(tree) if isinstance(node, Update))
    condition = next(node.condition for node in nodes(tree) if isinstance(node, Branch))
    yield "a tree", update
    yield "what is written", Update(update.writes[1:])
    yield "the order in which it is written", Update(update.writes[::-1])
    yield "a fault", Fault(None)  # type: ignore[arg-type]
    yield "a guard", Disabled(None)
    yield "sides", Branch(condition, update, Disabled(None))
    yield "other sides", Branch(condition, Disabled(None), update)
    yield "a choice", Choice((0, 1), (update, Disabled(None)))
    yield "another choice", Choice((0, 1), (Disabled(None), update))


def test_every_part_of_a_program_is_in_the_key() -> None:
    found = {"nothing": repr(rows(program()))} | {what: repr(rows(other)) for what, other in of_programs()}
    assert len(found) == 29
    assert len(set(found.values())) == len(found)


def test_equal_programs_have_equal_keys() -> None:
    assert rows(program()) == rows(program())
    assert rows(program()) != rows(program(bumps=0))


def attributes(of: str) -> set[str]:
    """What the modules that write assembly read of a program, or of its model."""
    found = set()
    for path in known.HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())) if path.stem not in (*READERS, "__init__") else ():
            if isinstance(node, ast.Attribute) and ast.unparse(node.value).split(".")[-1] == of:
                found.add(node.attr)
    return found


def test_nothing_else_is_read_of_a_program() -> None:
    """Whoever reads more must put it into `rows`; the pool only makes terms of those that are there."""
    assert attributes("model") <= {"actions", "layout", "pool", "view"}
    assert attributes("program") <= {
        *("action_names", "action_of", "constraints", "counters", "key_words", "model", "most_successors"),
        *("state_conditions", "state_groups", "step_conditions", "step_groups", "temporal"),
        *("viewed", "watches", "words"),
        *("first_paths", "instances"),  # both follow from the trees
    }


def test_what_writes_assembly_calls_nothing_beside_the_sources() -> None:
    found = set()
    for path in known.HERE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())) if path.stem not in (*READERS, "__init__") else ():
            if isinstance(node, ast.ImportFrom) and node.level > 1:
                found.add(node.module)
    assert found <= {f"ir.{path.stem}" for path in known.SOURCES}


def test_what_is_called_calls_nothing_beside_it() -> None:
    """a module of the model's room that is no source may change, and what was made before is found behind it"""
    beside = known.HERE.parents[1] / "ir"
    found = set()
    for name in known.CALLED:
        for node in ast.walk(ast.parse((beside / f"{name}.py").read_text())):
            if isinstance(node, ast.ImportFrom) and node.level == 1:
                found.add(node.module)
    assert found <= set(known.CALLED)


def test_the_sources_are_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"functions.py", "insertion.py", "program.py", "expr.py", "tree.py"} <= {p.name for p in known.SOURCES}
    files = [tmp_path / name for name in ("a.py", "b.py")]
    monkeypatch.setattr(known, "SOURCES", files)
    digests = []
    for one, other in (("1", "2"), ("1", "3"), ("12", ""), ("", "12")):
        files[0].write_text(one)
        files[1].write_text(other)
        digests.append(known.sources())
    assert len(set(digests)) == 4
    files[0].unlink()
    assert known.sources() == ""


@pytest.mark.parametrize("what", ["LLVM or the CPU", "Python", "the sources"])
def test_the_machine_and_the_sources_are_in_the_key(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Known(program()).learn(["some assembly"])
    assert Known(program()).names == [cache.digest("some assembly")]
    if what == "Python":
        monkeypatch.setattr("sys.version", "4.0")
    elif what == "the sources":
        monkeypatch.setattr(known, "LOADED", "others")
    else:
        monkeypatch.setattr(known, "identity", lambda: ("another",))
    assert Known(program()).names == []


# -- what is not believed --------------------------------------------------------------------------------------


def test_many_checks_in_one_process_find_what_others_wrote(monkeypatch: pytest.MonkeyPatch) -> None:
    """Code that the process has loaded writes what its sources say, so the second check need not write it again."""
    spec = IdempotentProducer(**SMALL)
    first = exhaustive.check(model.build(spec))
    monkeypatch.setattr(Assembly, "__init__", None)
    assert exhaustive.check(model.build(spec)).distinct == first.distinct


def test_sources_that_change_while_they_are_loaded_are_not_remembered(
    empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Known(program())
    monkeypatch.setattr(known, "sources", lambda: "others")
    here.learn(["some assembly"])
    assert not empty_cache.exists()


def test_where_there_are_no_sources_nothing_is_known(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "LOADED", "")
    TieredCode(program()).first()
    assert not empty_cache.exists()


def test_a_part_of_the_assembly_may_be_of_several_texts() -> None:
    first, second = (Known(program(), part) for part in (known.FUNCTIONS, known.STORE))
    first.learn(["some assembly", "other assembly"])
    second.learn(["the store"])
    assert first.names == [cache.digest("some assembly"), cache.digest("other assembly")]
    assert Known(program(), known.FUNCTIONS).names == first.names
    assert Known(program(), known.STORE, other=first).names == second.names != []
    assert Known(program()).names == []


@pytest.mark.parametrize("damage", ["cut", "another name", "no name", "another user's"])
def test_a_damaged_entry_is_not_taken(damage: str, empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TieredCode(program()).first()
    name = cache.digest(emit(program()))
    (entry,) = (path for path in empty_cache.iterdir() if name.encode() in path.read_bytes())
    assert Known(program()).names == [name]
    if damage == "another user's":
        monkeypatch.setattr("os.getuid", lambda: entry.stat().st_uid + 1)
        assert Known(program()).names == []
        return
    whole = entry.read_bytes()
    if damage == "no name":
        cache.store(entry, b"../" + name.encode()[3:])
    else:
        entry.write_bytes(whole[:-1] if damage == "cut" else whole[:32] + b"0" * 64)
    assert Known(program()).names == []
    TieredCode(program()).first()
    assert Known(program()).names == [name]


def test_code_of_another_program_is_not_executed(empty_cache: Path) -> None:
    """a backup or a tool may put the files of a folder back under each other's names"""
    TieredCode(program()).first()
    machine_code.load("define i64 @other() { ret i64 1 }", quick=True)
    folder = empty_cache.parent
    code, *others = sorted((path for path in folder.iterdir() if path.is_file()), key=lambda path: path.stat().st_size)
    assert len(others) == 2, "the functions and the store"
    for other in others:
        whole = other.read_bytes()
        other.write_bytes(code.read_bytes())
        assert cache.stored(other) is None and not other.exists()
        TieredCode(program()).first()
        assert other.read_bytes() == whole


def test_what_cannot_be_kept_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    cache.store(tmp_path / "entry", b"content")
    assert list(tmp_path.iterdir()) == []


def test_code_that_is_gone_is_made_again(empty_cache: Path) -> None:
    TieredCode(program()).first()
    codes = [path for path in empty_cache.parent.iterdir() if path.is_file()]
    for code in codes:
        code.unlink()
        TieredCode(program()).first()
        assert code.exists() and len(list(empty_cache.iterdir())) == len(codes) == 2


def test_optimised_code_is_found_before_quick_code() -> None:
    tiers, text = TieredCode(program()), emit(program())
    tiers.first()
    assert not tiers.halves[0].best
    machine_code.load(text)
    again = TieredCode(program())
    again.first()
    assert again.halves[0].best and "text" not in vars(again)


def test_small_programs_with_stores_that_do_the_same_have_one(empty_cache: Path) -> None:
    """To make its code takes five times as long as that of the functions."""
    for resets in (1, 2):
        TieredCode(program(resets=resets)).first()
    assert len([path for path in empty_cache.parent.iterdir() if path.is_file()]) == 3
