"""The releases whose coordinator of transactions can be driven."""

from __future__ import annotations

from pathlib import Path

from ..versions import read

FILE = Path(__file__).with_name("jars.toml")
PINNED = read(FILE)
"""By version, oldest first. `bench/kafka_jars.py --coordinators` adds one."""
