"""Cleans up: a program that ends the processes of a cluster and deletes its folder once its owner is gone.

Its standard input is a pipe that the owner alone holds, so it closes however the owner ends, by kill -9 too. All
servers are in one process group, that of an anchor which does nothing: so a server that was just started is included,
and the number of the group cannot be reused.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
import time

ROUNDS, PAUSE = 200, 0.05
"""How often to check whether all are gone, and the seconds in between."""


def main(folder: str) -> None:
    """Print the number of the group, wait for the end of the owner, and clean up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.setpgid(0, 0)
    anchor = os.fork()
    if anchor == 0:
        _stand_still()
    os.setpgid(anchor, anchor)
    with contextlib.suppress(OSError):  # the owner may be gone already
        print(anchor, flush=True)
    sys.stdin.read()
    _end(anchor)
    shutil.rmtree(folder, ignore_errors=True)


def _stand_still() -> None:
    with contextlib.suppress(OSError):
        os.setpgid(0, 0)
    for number in range(3):
        os.close(number)
    while True:
        signal.pause()


def _end(group: int) -> None:
    """Kill the group until it is empty; stopped processes die, too."""
    with contextlib.suppress(ProcessLookupError):
        for _ in range(ROUNDS):
            os.killpg(group, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(group, os.WNOHANG)
            time.sleep(PAUSE)


if __name__ == "__main__":
    main(sys.argv[1])
