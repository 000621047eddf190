"""Run a command from a small process, and write down its CPU time, its time and its peak memory.

    python usage.py RESULT COMMAND [ARGUMENT ...]

Linux counts into a child's peak memory what the parent held when it forked: started from a process with
a compiler loaded, a small program would be charged for that compiler. Hence this small parent of its own,
which holds about 10 MB.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path


def run(command: list[str]) -> dict[str, float]:
    """Run the command to its end: exit code (a signal is negative), CPU seconds (user + system), wall, peak RSS."""
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, os.environ)
    _, status, used = os.wait4(child, 0)
    return {
        "exit_code": os.waitstatus_to_exitcode(status),
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "wall_seconds": time.perf_counter() - start,
        "peak_rss_bytes": used.ru_maxrss * 1024,  # Linux counts KiB
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(run(sys.argv[2:])), encoding="utf-8")
