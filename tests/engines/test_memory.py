"""Address space is reserved, not promised: what a search may use later costs nothing today."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from everystate.checker.engines.memory import Region

REAL = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
"""Bytes of memory in this machine."""


def flags_of(region: Region) -> str:
    """The line of flags that Linux shows for a region."""
    for area in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text()):
        start, end = (int(part, 16) for part in area.split()[0].split("-"))
        if start <= region.address < end:
            flags = re.search(r"VmFlags:(.*)", area)
            assert flags is not None
            return flags[1] + " "
    raise AssertionError("no such region")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc/self/smaps")
def test_a_region_is_not_counted_as_memory_in_use() -> None:
    """A process whose regions lie side by side could no longer fork: together they are more than the machine has."""
    flags = flags_of(Region(REAL // 4))
    assert " nr " in flags and " ac " not in flags


@pytest.mark.skipif(sys.platform != "linux", reason="reads how Linux counts memory")
def test_a_process_with_more_regions_than_memory_still_starts_others() -> None:
    """With `preexec_fn`, as PySpark starts its Java, a process is copied, and all that it maps is counted again."""
    kept = [Region(REAL * 9 // 10) for _ in range(4)]
    done = subprocess.run([sys.executable, "-c", "print(7)"], capture_output=True, preexec_fn=lambda: None)
    assert done.stdout == b"7\n" and len(kept) == 4
