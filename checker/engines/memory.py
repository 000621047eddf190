"""Memory that grows in place: address space is reserved once, pages are taken when they are written."""

from __future__ import annotations

import mmap
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import EverystateError

ADVICE = getattr(mmap, "MADV_HUGEPAGE", None)
"""Huge pages: a look-up in a table of gigabytes misses the page tables as often as the cache."""
SMALL = 1 << 22
"""Bytes at the start of a region without huge pages: most searches need less, and zeroing a huge page takes longer than
they do."""

LINE = 128
"""Bytes that two processors should not both write to: a cache line, and the one that is prefetched with it."""


RESERVED = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
"""Not counted as memory until it is written: Python names this flag since 3.13, and Linux has one value for it on
nearly all processors. Counted, regions side by side soon are more than the machine has, and the process cannot fork."""


class Region:
    """`size` bytes of zeroed address space; `array` views it as numbers."""

    def __init__(self, size: int) -> None:
        self.size = max(mmap.PAGESIZE, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | RESERVED
        try:
            self._map = mmap.mmap(-1, self.size, flags=flags)
        except (OSError, ValueError) as error:
            raise EverystateError("E502", None, size=shown(self.size)) from error
        if ADVICE is not None and self.size > SMALL:
            self._map.madvise(ADVICE, SMALL, self.size - SMALL)
        self.bytes = np.frombuffer(self._map, dtype=np.uint8)

    @property
    def address(self) -> int:
        """Where it starts."""
        return int(self.bytes.ctypes.data)

    def array(self, kind: Any) -> Any:
        """The region as an array of numbers."""
        return self.bytes.view(kind)

    def forget(self, start: int) -> None:
        """Release the memory from an offset on: it reads as zero again."""
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        if first < self.size and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED, first, self.size - first)


class Workspace:
    """Arrays of one worker, on cache lines and pages that no other worker writes to."""

    def __init__(self, size: int) -> None:
        self._region, self._used = Region(size), 0

    def array(self, shape: tuple[int, ...], kind: Any) -> Any:
        """A zeroed array on cache lines of its own."""
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        start, self._used = self._used, self._used + -(-size // LINE) * LINE
        assert self._used <= self._region.size, "the workspace was measured too small"
        return self._region.bytes[start : start + size].view(kind).reshape(shape)


def shown(size: float) -> str:
    """A size for people: 1.5 GiB."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    raise AssertionError


def resident() -> int:
    """Bytes of memory that this process uses; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def available() -> int:
    """Bytes that this process may take: the machine's free memory, or the rest of its control group."""
    free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) * 1024
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text())
        if limit != "max":
            free = min(free, int(limit) - used)
    except (OSError, ValueError):
        pass
    return max(free, 1 << 26)
