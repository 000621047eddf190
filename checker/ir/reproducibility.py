"""A spec that may hang on the order of plain sets, or on its environment, is made again in other processes, and
compared.

Python is executed once to trace a spec, in one process, with one order of each set of texts, enum members or objects.
Processes with fixed seeds (PYTHONHASHSEED) go through them in other orders; what they traced is held against what was
traced here (`sameness`). Two texts stand in the same order in all of them, and here, in one of 220 pairs
(`bench/seeds.py`). Two of the processes trace it in orders that they choose, too (`chosen_orders`). Where the modules
of a spec ask their environment, or may, one process makes it in a bare one, and one in another one (`environment`).
Children are started by their own command line, so they inherit nothing but the environment.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import Any

from ..border import Outside, environment, set_order
from ..border.environment import Asked, World
from ..border.imports import theirs
from ..border.sources import body_of
from ..errors import WRITTEN, EverystateError, Where, file_of
from ..language.declarations import class_place, method_place
from ..language.spec import Spec
from .portable import Portable
from .sameness import differing

SEEDS = (1, 2, 3, 4, 5, 6, 7, 8)
MORE = (9, 10, 11, 12, 13, 14, 15, 16)
"""Of those that are asked where this process alone traced something else."""
TURNING = 2
"""So many of them trace it in orders that they choose, too (`chosen_orders`)."""
PLACES = 64
"""Elements of a set that each stand once at each place of it in these orders."""
ASSUMES = "assumes that the order of plain sets does not matter"
ASSUMES_ANSWERS = "assumes that it does not matter what is answered"
OTHERWISE = "where other variables of the environment are set, or with the next start"
PATIENCE = 300.0
"""Seconds for one process to answer."""
_CODE = "import pickle, sys; given = pickle.load(sys.stdin.buffer); sys.path[:] = given['path']; "
_CODE += "from everystate.checker.ir.reproducing_process import answer; answer(given)"


@dataclass(frozen=True)
class Answer:
    """What a process traced; or the error with which the spec was refused there, or why it could not be made.

    `turned` is the same where it had chosen the order of plain sets; `parts` differ in other orders that it had chosen.
    """

    made: Portable | None = None
    refused: str = ""
    failed: str = ""
    turned: Answer | None = None
    parts: tuple[str, ...] = ()


class Others:
    """Processes that trace a spec once more; to be closed."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self._place: Where | None = None
        self._given: dict[str, Any] = {}
        self._reason = ""
        self._asked: Asked | None = None
        self._started: list[subprocess.Popen[bytes]] = []
        self._elsewhere: list[subprocess.Popen[bytes]] = []

    def begin(self, outside: Outside) -> None:
        """Start them, if the spec has what may be in another order, or asks what it may be told otherwise."""
        self._given, self._reason = recipe(self.spec)
        self._place = set_order.first(self.spec, outside.reach, bool(self._given))
        self._asked = outside.asked
        if self._place is not None and self._given:
            self._start(SEEDS)
        if self._asked is not None and self._given:
            self._start(SEEDS[:1], environment.bare(os.environ), self._elsewhere)
            self._start(SEEDS[:1], environment.other(self._asked, os.environ), self._elsewhere)

    def compare(self, here: Callable[[], Portable] | None = None) -> None:
        """E144 where they traced other specs than one another, or `here`, E138 where another environment made another;
        the spec remembers where nobody can tell."""
        self.spec._assumed = (*self._in_other_orders(here), *self._in_other_environments(here))

    def _in_other_environments(self, here: Callable[[], Portable] | None) -> Iterator[str]:
        if self._asked is None:
            return
        answers, reason = [_heard(process) for process in self._elsewhere], self._reason
        found = differences(answers)
        made = [answer for answer in answers if not answer.failed][:1]  # all that are not are as the first
        another = not found and here is not None and bool(differences([Answer(here()), *made]))
        if self._given and (here is None or another):
            self._start(SEEDS[:1], World(os.environ), self._elsewhere)
            answers += map(_heard, self._elsewhere[len(answers) :])
            found = found or differences(answers)
        if another and not found:
            reason = f"another process makes another {type(self.spec).__name__}, in every environment that was tried"
        if found:
            refused = next((answer.refused for answer in answers if answer.refused), "")
            told = f"it is refused ({refused})" if refused else f"{_listed(found)} is another one"
            raise EverystateError("E138", self._asked.place, reason=f"{told} {OTHERWISE}")
        reason = reason or next((answer.failed for answer in answers if answer.failed), "")
        if not reason and here is None and answers[0].refused:
            reason = f"it cannot be traced ({answers[0].refused})"
        if reason:
            yield f"{ASSUMES_ANSWERS} ({_line(self._asked.place)}): {reason}"

    def _in_other_orders(self, here: Callable[[], Portable] | None) -> Iterator[str]:
        if self._place is None:
            return
        answers, reason = [_heard(process) for process in self._started], self._reason
        turned = [answer.turned for answer in answers if answer.turned is not None]
        reason = reason or next((answer.failed for answer in [*answers, *turned] if answer.failed), "")
        found = differences(answers) or turned_otherwise(answers)
        if not found and not reason and here is None and answers[0].refused:
            reason = f"it cannot be traced ({answers[0].refused})"
        elif not found and not reason and here is not None and differences([Answer(here()), answers[0]]):
            self._start(MORE)
            found = differences([*answers, *map(_heard, self._started[len(answers) :])])
            reason = f"another process makes another {type(self.spec).__name__}, in every order that was tried"
        reason = reason or (without_text() if turned else "")
        if found:
            raise self._differs(found)
        if reason:
            yield f"{ASSUMES} ({_line(self._place)}): {reason}"

    def close(self) -> None:
        """End all that still run."""
        for process in (*self._started, *self._elsewhere):
            process.kill()
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    if stream is not None:
                        stream.close()
            process.wait()

    def _start(
        self,
        seeds: Sequence[int],
        world: World | None = None,
        started: list[subprocess.Popen[bytes]] | None = None,
    ) -> None:
        optimized = ["-" + "O" * sys.flags.optimize] if sys.flags.optimize else []
        pipe = subprocess.PIPE
        try:
            for seed in seeds:
                process = subprocess.Popen(
                    [sys.executable, *optimized, "-B", "-c", _CODE],
                    stdin=pipe,
                    stdout=pipe,
                    stderr=subprocess.DEVNULL,
                    env={**(os.environ if world is None else world.variables), "PYTHONHASHSEED": str(seed)},
                    cwd=None if world is None else world.folder,
                )
                (self._started if started is None else started).append(process)
                assert process.stdin is not None, "it is a pipe"
                turning = started is None and seed in SEEDS[:TURNING]
                turns = range(SEEDS.index(seed), PLACES, TURNING) if turning else range(0)
                told = None if world is None else (set(world.unset), world.default)
                process.stdin.write(pickle.dumps({**self._given, "seed": seed, "turns": turns, "told": told}))
                process.stdin.flush()  # and left open: a process ends when this one is gone
        except OSError as error:
            self._reason = f"no other process could be started ({error})"

    def _differs(self, found: list[str]) -> EverystateError:
        name = type(self.spec).__name__
        return EverystateError("E144", _where(self.spec, found), spec=name, parts=_listed(found))


def _listed(found: list[str]) -> str:
    return ", ".join(found[:3]) + (f" and {len(found) - 3} more" if len(found) > 3 else "")


def _line(place: Where) -> str:
    return str(place).partition("\n")[0]


def _heard(process: subprocess.Popen[bytes]) -> Answer:
    assert process.stdout is not None
    late = threading.Timer(PATIENCE, process.kill)
    late.start()
    try:
        told = process.stdout.read()
        found: Answer = pickle.loads(told) if told else Answer(failed="another process ended without an answer")
        return found
    except (pickle.UnpicklingError, EOFError):
        return Answer(failed="another process ended in mid-answer")
    finally:
        late.cancel()


def differences(answers: Sequence[Answer]) -> list[str]:
    """In which parts what several processes traced differs."""
    refused = sorted({answer.refused for answer in answers if answer.refused})
    made = [answer.made for answer in answers if answer.made is not None]
    if refused and (made or len(refused) > 1):
        return [f"in one order it is refused ({refused[0]})"]
    return differing(made) if len(made) > 1 else []


def turned_otherwise(answers: Sequence[Answer]) -> list[str]:
    """In which parts a spec differs where the order of plain sets is chosen."""
    parts = [part for answer in answers for part in answer.parts]
    return parts or differences([answer.turned for answer in answers if answer.turned is not None])


def _where(spec: Spec, found: list[str]) -> Where | None:
    """The method that is another one, else what declares the variables."""
    for what in found:
        for name in sorted(spec._declared, key=len, reverse=True):
            if name in what.replace("(", " ").replace(")", " ").split():
                return method_place(spec.declaration(name).method)
    return method_place(type(spec).variables) if hasattr(type(spec).variables, "__code__") else class_place(type(spec))


def without_text() -> str:
    """Why orders cannot be chosen: of a module of a user only bytecode is left; "" where all have their text."""
    names = (m.__name__ for m in list(sys.modules.values()) if file_of(m).endswith(".pyc") and theirs(m))
    name = next(names, "")
    return f"{name} is there as bytecode only, in which no order can be chosen" if name else ""


# -- how a spec is made in another process ---------------------------------------------------------------------


def recipe(spec: Spec) -> tuple[dict[str, Any], str]:
    """(what another process needs to make a spec, why none can: "" where one can)."""
    cls = type(spec)
    module = sys.modules.get(cls.__module__)
    if "<locals>" in cls.__qualname__:
        return {}, f"{cls.__name__} is defined in a function"
    path = getattr(module, "__file__", None)
    if module is None or not path or (getattr(module, "__spec__", None) is None and cls.__module__ != "__main__"):
        return {}, f"{cls.__name__} is defined in no module that can be imported"
    if cls.__module__ == "__main__" and not _guarded(body_of(module)):
        return {}, f'{cls.__name__} is defined in the script that runs, without `if __name__ == "__main__":`'
    if named(module, cls.__qualname__) is not cls:
        return {}, f"{cls.__module__} holds another {cls.__name__}"
    try:
        constants = pickle.dumps(spec.constants)
    except Exception as error:
        return {}, f"a constant cannot be sent ({error})"
    names: dict[str, Any] = {"module": cls.__module__, "class": cls.__qualname__, "written": sorted(WRITTEN)}
    try:
        names["file"] = os.path.abspath(path)
        names["outer"] = [(outer, _folders(sys.modules[outer].__path__)) for outer in _outer(cls.__module__)]
        names["path"] = _folders(sys.path)
    except OSError:
        return {}, "the folder that the process is in is no longer there"
    return {**names, "constants": constants, "package": hasattr(module, "__path__")}, ""


def _folders(path: Iterable[object]) -> list[str]:
    """Where Python looks, from whatever folder; it passes over what is no text."""
    return [os.path.abspath(folder) for folder in path if isinstance(folder, str)]


def _outer(module: str) -> list[str]:
    """The packages in which a module lies, the outermost first."""
    parts = module.split(".")
    names = [".".join(parts[:n]) for n in range(1, len(parts))]
    return [name for name in names if hasattr(sys.modules.get(name), "__path__")]


def _guarded(body: CodeType | None) -> bool:
    return body is not None and "__name__" in body.co_names and "__main__" in body.co_consts


def named(module: Any, name: str) -> Any:
    found = module
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
