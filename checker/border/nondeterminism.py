"""Whom a spec may not ask while it is made: dice, clocks and the environment, by name and as it happens."""

from __future__ import annotations

import _random
import datetime
import os
import random
import secrets
import sys
import time
import types
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType
from typing import Any, TypeVar

from ..errors import EverystateError, Where
from . import bytecode
from .ownership import beside

_CLOCK, _DICE, _ENVIRON = "asks what time it is", "throws dice", "is what no report tells"
_PROCESS = "environ environb getenv getenvb getpid getppid getlogin uname cpu_count process_cpu_count urandom"
_PROCESS += " getloadavg times sched_getaffinity get_terminal_size getrandom umask nice getpriority statvfs"
_PROCESS += " getuid geteuid getgid getegid getgroups getresuid getresgid getpgid getpgrp getsid ttyname ctermid"
_PROCESS += " sysconf popen system fork forkpty posix_spawn posix_spawnp"
_PROCESS += " spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"
_TIMES = "time time_ns monotonic monotonic_ns perf_counter perf_counter_ns process_time localtime gmtime ctime strftime"
_TIMES += " process_time_ns thread_time thread_time_ns clock_gettime clock_gettime_ns mktime timezone altzone daylight"
_OF_PYTHON = "argv orig_argv platform stdin __stdin__ getrefcount getallocatedblocks"
_THROWN = [n for n in dir(random) if n[0].islower() and callable(getattr(random, n)) and n != "seed"]
_DAYS = {"now": _CLOCK, "utcnow": _CLOCK, "today": _CLOCK}
ASKED: dict[int, tuple[Any, dict[str, str]]] = {
    id(time): (time, dict.fromkeys(f"{_TIMES} tzname".split(), _CLOCK)),
    id(datetime.datetime): (datetime.datetime, _DAYS),
    id(datetime.date): (datetime.date, {"today": _CLOCK}),
    id(random): (random, dict.fromkeys(_THROWN, _DICE)),
    id(secrets): (secrets, dict.fromkeys(secrets.__all__, _DICE)),
    id(uuid): (uuid, dict.fromkeys(("uuid1", "uuid4", "uuid6", "uuid7", "uuid8", "getnode"), _DICE)),
    id(os): (os, dict.fromkeys(_PROCESS.split(), _ENVIRON)),
    id(os.path): (os.path, {"expandvars": _ENVIRON}),
    id(sys): (sys, dict.fromkeys(_OF_PYTHON.split(), _ENVIRON)),
}
"""Whom nobody may ask, for what, and why not."""
PLAIN = (int, str, tuple)
"""What says by itself nothing of who was asked for it."""
THEMSELVES = {
    id(getattr(owner, name)): (getattr(owner, name), why)
    for owner, names in ASKED.values()
    if isinstance(owner, types.ModuleType)
    for name, why in names.items()
    if hasattr(owner, name) and owner is not sys and not isinstance(getattr(owner, name), PLAIN)
}
THEMSELVES |= {id(given): (given, _ENVIRON) for given in (sys.argv, sys.orig_argv)}
SEEDS: dict[int, tuple[Any, str]] = {id(dice): (dice, _DICE) for dice in (random.Random, _random.Random)}
"""Who throws dice of its own where it is made without a seed."""
_ELSEWHERE = {
    "argparse": "ArgumentParser",
    "gc": "get_count get_stats",
    "getpass": "getuser",
    "grp": "getgrall getgrgid getgrnam",
    "optparse": "OptionParser",
    "multiprocessing": "cpu_count current_process parent_process",
    "multiprocessing.process": "current_process parent_process",
    "locale": "getdefaultlocale getencoding getlocale getpreferredencoding localeconv nl_langinfo",
    "numpy.random": "beta binomial bytes choice exponential normal permutation poisson rand randint randn random"
    " random_integers random_sample ranf sample shuffle standard_normal uniform",
    "posix": "environ",
    "pwd": "getpwall getpwnam getpwuid",
    "resource": "getrlimit getrusage prlimit",
    "platform": "architecture machine node platform processor release system uname version",
    "shutil": "disk_usage get_terminal_size",
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


def answer_otherwise(unset: set[str], default: str | None) -> None:
    """From now on an author does not find in os.environ what is `unset`, unless he sets it, and finds the `default`, if
    there is one, for what is not there. Libraries find what is there."""
    bytecode.of_library("")  # from Python 3.13 on, os.environ is asked where libraries lie
    plain = {name: vars(type(os.environ))[name] for name in ("__getitem__", "__setitem__", "__delitem__", "__iter__")}

    def get(self: Any, key: Any) -> Any:
        name, asked = os.fsdecode(key), _author(sys._getframe(1)) is not None
        if asked and name in unset:
            raise KeyError(key)
        if asked and default is not None and name not in [*map(os.fsdecode, plain["__iter__"](self))]:
            return self.decodevalue(os.fsencode(default))
        return plain["__getitem__"](self, key)

    def put(self: Any, key: Any, value: Any) -> None:
        plain["__setitem__"](self, key, value)
        unset.discard(os.fsdecode(key))

    def drop(self: Any, key: Any) -> None:
        unset.add(os.fsdecode(key))
        plain["__delitem__"](self, key)

    def shown(self: Any, frame: FrameType) -> list[Any]:
        hidden = unset if _author(frame) is not None else set[str]()
        return [key for key in plain["__iter__"](self) if os.fsdecode(key) not in hidden]

    def each(self: Any) -> Iterator[Any]:
        return iter(shown(self, sys._getframe(1)))

    def number(self: Any) -> int:
        return len(shown(self, sys._getframe(1)))

    answers = {"__getitem__": get, "__setitem__": put, "__delitem__": drop, "__iter__": each, "__len__": number}
    for name, method in answers.items():
        setattr(type(os.environ), name, method)


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
