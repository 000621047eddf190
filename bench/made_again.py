"""Whether the specs that come with the checker are the same with each start of Python.

    python bench/made_again.py [NAME...]

Each target of the registry, or each that is named, is traced by two processes with other seeds (PYTHONHASHSEED), and
what they traced is compared. A check does not do that for these specs (`checker/border/set_order.py`).
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import Any

from everystate.checker.cli.targets import known
from everystate.checker.ir.model import traced
from everystate.checker.ir.portable import portable
from everystate.checker.ir.sameness import differing
from everystate.specs import registry

SEEDS = ("1", "2")


def main(names: list[str]) -> int:
    """Print each target that is another spec; the exit code says whether there is one."""
    command = [sys.executable, __file__, "--send", *names]
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, env={**os.environ, "PYTHONHASHSEED": s}, stdout=pipe) for s in SEEDS]
    others = 0
    for name in names:
        made = [_read(process) for process in running]
        found = differing(made)
        others += bool(found)
        print(name, ", ".join(found) or "is the same", flush=True)
    print(f"{len(names)} targets, {others} of them another spec with another seed")
    return int(any(process.wait() for process in running) or others > 0)


def _read(process: subprocess.Popen[bytes]) -> Any:
    assert process.stdout is not None, "it is a pipe"
    return pickle.load(process.stdout)


def send(names: list[str]) -> None:
    """Trace targets and write what they are."""
    for name in names:
        pickle.dump(portable(traced(known(name).spec())), sys.stdout.buffer)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    given = sys.argv[1:]
    if given[:1] == ["--send"]:
        send(given[1:])
    else:
        sys.exit(main(given or list(registry.names())))
