"""Memory in a file: shared by all processes of a machine that map it; it remains when a process dies."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import numpy as np

from ..memory import Region

STEP = 1 << 22
"""Bytes of disk that are taken at a time, at least."""


class FileRegion(Region):
    """A region in a sparse file.

    `take` reserves disk space before memory is written. So a full disk is an OSError there, not a signal that kills the
    process at some store of the kernel.
    """

    def __init__(self, path: Path, size: int) -> None:
        self.size = max(mmap.PAGESIZE, -(-size // mmap.PAGESIZE) * mmap.PAGESIZE)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.fstat(self._file).st_size < self.size:
                os.ftruncate(self._file, self.size)
            self._map = mmap.mmap(self._file, self.size)
        except BaseException:
            os.close(self._file)
            raise
        self.bytes = np.frombuffer(self._map, np.uint8)
        self._taken = 0

    def take(self, size: int) -> None:
        """Reserve disk space for the first `size` bytes; OSError when the disk is full."""
        if size > self._taken:
            wanted = min(self.size, size + max(STEP, size // 8))
            os.posix_fallocate(self._file, self._taken, wanted - self._taken)
            self._taken = wanted

    def clear(self) -> None:
        """Fill the region with zeros, and release its disk space."""
        os.ftruncate(self._file, 0)
        os.ftruncate(self._file, self.size)
        self._taken = 0

    def close(self) -> None:
        """Release the file; the memory is freed when nothing views it any more."""
        os.close(self._file)
