"""What the measurements ran on."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Sequence
from pathlib import Path


def described() -> str:
    """Date, processor and Python in one line."""
    python = f"Python {platform.python_version()}"
    return f"{datetime.date.today()}, {processor()}, {os.cpu_count()} cores, {python}"


def processor() -> str:
    """The processor's name."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def span(loads: Sequence[float]) -> str:
    """The load average of the machine, from the least to the greatest."""
    return f"{min(loads):.2f} to {max(loads):.2f}"
