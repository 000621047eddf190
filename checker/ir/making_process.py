"""A process that says what specs are, for one that must not end when it makes them.

A spec may end its process while it is made, never be ready, leave a copy of it, or write among the answers. The process
is started by its own command line: it runs no program of the user's, as the start of one of `multiprocessing` does. It
finds no neighbours of the target that this process has loaded, but of each that it loads itself.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from ..language.integrity import LOADED
from ..language.spec import Spec
from .elsewhere import Load, Made, made

PATIENCE = 60.0
"""Seconds for one spec."""
ENDED = "its process ended"
_CODE = "import sys; from multiprocessing.connection import Connection; asking = Connection(int(sys.argv[1])); "
_CODE += "sys.path[:] = asking.recv(); from everystate.checker.ir.making_process import serve; serve(asking)"


class Maker:
    """Says what a spec is, made in another process; to be closed."""

    def __init__(self, load: Load) -> None:
        self.load = load
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def __call__(self, target: str, constants: Mapping[str, Any]) -> Made:
        """What the spec of a target is with some constants; refused where it ends its process, or is never ready."""
        packed = pickle.dumps(dict(constants))
        late = threading.Timer(PATIENCE, self._kill)
        try:
            connection = self._connection or self._begin()
            late.start()
            connection.send((target, packed))
            found = connection.recv()
        except Exception:  # whatever was written there is read as an answer
            found = None
        finally:
            late.cancel()
        if isinstance(found, Made):
            return found
        self.close()
        return Made(packed, None, ENDED)

    def close(self) -> None:
        """End the process."""
        if self._process is not None and self._connection is not None:
            self._connection.close()
            self._kill()
            self._process.wait()
        self._process = self._connection = None

    def _kill(self) -> None:
        """End the process, with all that a spec has left of it."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def _begin(self) -> Connection:
        ours, theirs = multiprocessing.Pipe()
        number = theirs.fileno()
        command = [sys.executable, "-P", "-c", _CODE, str(number)]
        null = subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, pass_fds=[number], stdin=null, stdout=null, stderr=null, start_new_session=True
        )
        theirs.close()
        self._connection = ours
        ours.send([place for place in sys.path if place not in LOADED.folders])
        ours.send(self.load)
        return ours


def serve(connection: Connection) -> None:
    """Answer until nobody asks any more."""
    with contextlib.suppress(EOFError, OSError):
        load: Load = connection.recv()
        found, me = _From(load, os.getcwd()), os.getpid()
        while True:
            target, packed = connection.recv()
            answer = _answer(found, target, packed)
            if os.getpid() != me:
                break  # a copy, by os.fork(): the process has answered
            connection.send(answer)
    os._exit(0)


@dataclass(frozen=True)
class _From:
    """Loads specs from a folder, which one that was made before may have left."""

    load: Load
    folder: str

    def __call__(self, target: str, constants: dict[str, Any]) -> Spec:
        os.chdir(self.folder)
        return self.load(target, constants)


def _answer(load: Load, target: str, packed: bytes) -> Made:
    """What a spec is; the target is loaded first, for constants may be of types of its own."""
    with contextlib.suppress(Exception):
        load(target, {})
    try:
        return made(load, target, pickle.loads(packed))
    except Exception:
        return Made(packed, None, ENDED)
