"""Whom a spec may not ask while it is made: dice, clocks and the environment, by name and as it happens."""

from __future__ import annotations

import datetime
import os
import random
import secrets
import sys
import time
import types
import uuid
from collections.abc import Callable, Mapping, Set
from types import CodeType, FrameType
from typing import Any, TypeVar

from ..errors import EverystateError, Where
from . import bytecode
from .ownership import beside

_CLOCK, _DICE, _ENVIRON = "asks what time it is", "throws dice", "no report tells what it was"
_PROCESS = "environ environb getenv getenvb getpid getppid getlogin uname cpu_count process_cpu_count urandom"
_PROCESS += " getloadavg times sched_getaffinity get_terminal_size popen"
_TIMES = "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time localtime gmtime ctime strftime"
_THROWN = [n for n in dir(random) if n[0].islower() and callable(getattr(random, n)) and n != "seed"]
_DAYS = {"now": _CLOCK, "utcnow": _CLOCK, "today": _CLOCK}
ASKED: dict[int, tuple[Any, dict[str, str]]] = {
    id(time): (time, dict.fromkeys(_TIMES.split(), _CLOCK)),
    id(datetime.datetime): (datetime.datetime, _DAYS),
    id(datetime.date): (datetime.date, {"today": _CLOCK}),
    id(random): (random, dict.fromkeys(_THROWN, _DICE)),
    id(secrets): (secrets, dict.fromkeys(secrets.__all__, _DICE)),
    id(uuid): (uuid, dict.fromkeys(("uuid1", "uuid4", "uuid6", "uuid7", "uuid8", "getnode"), _DICE)),
    id(os): (os, dict.fromkeys(_PROCESS.split(), _ENVIRON)),
    id(os.path): (os.path, {"expandvars": _ENVIRON}),
    id(sys): (sys, dict.fromkeys(("argv", "orig_argv", "platform", "stdin"), _ENVIRON)),
}
"""Whom nobody may ask, for what, and why not."""
THEMSELVES = {
    id(getattr(owner, name)): (getattr(owner, name), why)
    for owner, names in ASKED.values()
    if isinstance(owner, types.ModuleType)
    for name, why in names.items()
    if hasattr(owner, name) and owner is not sys
}
THEMSELVES |= {id(given): (given, _ENVIRON) for given in (sys.argv, sys.orig_argv)}
SEEDS: dict[int, tuple[Any, str]] = {id(random.Random): (random.Random, _DICE)}
"""Who throws dice of its own where it is made without a seed."""
_ELSEWHERE = {
    "argparse": "ArgumentParser",
    "getpass": "getuser",
    "optparse": "OptionParser",
    "multiprocessing": "cpu_count current_process parent_process",
    "multiprocessing.process": "current_process parent_process",
    "locale": "getdefaultlocale getencoding getlocale getpreferredencoding localeconv",
    "numpy.random": "beta binomial bytes choice exponential normal permutation poisson rand randint randn random"
    " random_integers random_sample ranf sample shuffle standard_normal uniform",
    "posix": "environ",
    "platform": "architecture machine node platform processor release system uname version",
    "shutil": "get_terminal_size",
    "socket": "getfqdn gethostname",
    "subprocess": "Popen call check_call check_output getoutput getstatusoutput run",
    "threading": "current_thread get_ident get_native_id main_thread",
}
_UNSEEDED = {"numpy.random": "RandomState SeedSequence default_rng"}
"""What says of other modules, which are not loaded for this, where a spec is made."""
WORDS = {name: why for _, asked in ASKED.values() for name, why in asked.items()}

_LOOKS = {vars(type(os.environ))[n].__code__ for n in ("__getitem__", "__iter__", "__len__")}
_FILES = {random.__file__, *(code.co_filename for code in _LOOKS)}
"""Where the functions of Python are that answer; a name is found sooner than a code, which is compared part by part."""
_BETWEEN = {m.__file__ for m in (random, secrets, uuid)}
_BETWEEN |= {f.__code__.co_filename for f in (os.getenv, Mapping.get)}  # their modules are frozen
_SHARED = random.random.__self__  # type: ignore[attr-defined]
"""The dice of the module."""
_QUIET = {types.ModuleType, type(None), list, tuple, dict, set, frozenset, str, int, bool}
"""Of whom functions in C are that ask nothing unless they are known to; they are most that are called."""
Made = TypeVar("Made")
Begun = tuple[CodeType, dict[str, Any]]
"""Code that began, with its globals."""


def know_others() -> None:
    """Whom else nobody may ask, of the modules that are loaded by now."""
    for module, names in _ELSEWHERE.items():
        owner = sys.modules.get(module)
        if owner is not None and id(owner) not in ASKED:
            ASKED[id(owner)] = owner, dict.fromkeys(names.split(), _ENVIRON)
            THEMSELVES.update({id(f): (f, _ENVIRON) for f in map(vars(owner).get, names.split()) if f is not None})
            made = map(vars(owner).get, _UNSEEDED.get(module, "").split())
            SEEDS.update({id(f): (f, _DICE) for f in made if f is not None})


def heard(make: Callable[[], Made], place: Callable[[], Where | None]) -> tuple[Made, list[Begun]]:
    """What a function makes, and whatever began meanwhile; E138 if somebody was asked by what an author wrote, by
    whatever name and way.

    Python tells of each function that begins. Of dice that a function in C has thrown the dice tell themselves.
    """
    listener, outer, before = _Listener(), sys.getprofile(), random.getstate()
    sys.setprofile(listener.hear)
    try:
        made = make()
    finally:
        sys.setprofile(outer if callable(outer) else None)
        if listener.error is not None:
            raise listener.error
    if random.getstate() != before:
        raise EverystateError("E138", place(), reason=f"to make it {_DICE}")
    return made, list(listener.begun.values())


class _Listener:
    """A profiler that keeps the first question; an error raised at once the author could swallow."""

    def __init__(self) -> None:
        self.error: EverystateError | None = None
        self.begun: dict[int, Begun] = {}

    def hear(self, frame: FrameType, event: str, function: Any) -> None:
        if event == "c_call":
            if id(function) not in THEMSELVES and type(getattr(function, "__self__", None)) in _QUIET:
                return
            told = _called(function)
        elif event == "call":
            self.begun[id(frame.f_code)] = frame.f_code, frame.f_globals
            told = _begun(frame) if frame.f_code.co_filename in _FILES else None
        else:
            return
        if told is None or self.error is not None:
            return
        author = _author(frame.f_back if event == "call" else frame)
        if author is not None:
            place = bytecode.place(author.f_code, author.f_lineno)
            self.error = EverystateError("E138", place, reason=" ".join(told))


def answer_otherwise(known: Set[str]) -> None:
    """From now on what an author asks of os.environ, by whatever name, is set to "1" unless it was `known`, and not set
    if it was."""
    plain = type(os.environ).__getitem__

    def answer(self: Any, key: Any) -> str:
        if _author(sys._getframe(1)) is None:
            return str(plain(self, key))
        if key in known:
            raise KeyError(key)
        return "1"

    type(os.environ).__getitem__ = answer  # type: ignore[method-assign]


def _begun(frame: FrameType) -> tuple[str, str] | None:
    """What a function of one of these files asks, that begins."""
    code: CodeType = frame.f_code
    if code in _LOOKS:
        return ("environ", _ENVIRON) if frame.f_locals.get("self") is os.environ else None
    if code.co_filename != random.__file__:
        return None
    own = frame.f_locals.get("self")
    if code is random.Random.__init__.__code__ and frame.f_locals.get("x") is None:
        return ("a dice without a seed", _DICE) if type(own) is random.Random else None
    shared = own is _SHARED or isinstance(own, random.SystemRandom)
    return (code.co_name, _DICE) if shared and code.co_name in _THROWN else None


def _called(function: Any) -> tuple[str, str] | None:
    """What a function in C asks, that is called."""
    found = THEMSELVES.get(id(function))
    if found is not None:
        return _name(function), found[1]
    own = getattr(function, "__self__", None)
    if own is _SHARED and _name(function) in _THROWN:
        return _name(function), _DICE
    asks = isinstance(own, type) and issubclass(own, datetime.date) and _name(function) in _DAYS
    return (_name(function), _CLOCK) if asks else None


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", ""))


def _author(frame: FrameType | None) -> FrameType | None:
    """Who asks: the author, or None where a library does, which may have reasons of its own."""
    while frame is not None and frame.f_code.co_filename in _BETWEEN:
        frame = frame.f_back
    return None if frame is None or beside(frame.f_code, frame.f_globals) else frame
