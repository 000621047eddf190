"""The releases whose brokers can be run, by the jars that each is made of."""

from __future__ import annotations

from pathlib import Path

from ..conformance.versions import read

FILE = Path(__file__).with_name("jars.toml")
BROKERS = read(FILE)
"""By version, oldest first. `bench/kafka_jars.py --brokers` adds one."""
