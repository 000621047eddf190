"""The tables of twelve realistic configurations: python bench/assess.py [NAME ...].

Each is assessed as a user would do it; what is printed between two tables is the time that it took.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from everystate.checker.cli.main import main as everystate

REPLICATED = "replication.factor=3\nmin.insync.replicas=2\n"
ALONE = "replication.factor=3\nmin.insync.replicas=1\n"
TRANSACTIONAL = "transactional.id=orders\n"
CONNECT = (
    "acks=all\nenable.idempotence=false\nmax.in.flight.requests.per.connection=1\ndelivery.timeout.ms=2147483647\n"
)
STREAMS = "transactional.id=app-1\ntransaction.timeout.ms=10000\nlinger.ms=100\n"
CONFIGURATIONS = {
    "defaults-2.5": ("", REPLICATED, "--kafka 2.5"),
    "defaults-2.8": ("", REPLICATED, "--kafka 2.8"),
    "defaults-3.0": ("", REPLICATED, "--kafka 3.0.0"),
    "defaults-3.9": ("", REPLICATED, "--kafka 3.9"),
    "defaults-4.1": ("", REPLICATED, "--kafka 4.1"),
    "acks-1": ("acks=1\n", REPLICATED, "--kafka 4.1"),
    "acks-all-min-1": ("acks=all\n", ALONE, "--kafka 4.1"),
    "librdkafka": ("", REPLICATED, "--client librdkafka --kafka 4.1"),
    "connect": (CONNECT, REPLICATED, "--kafka 4.1"),
    "streams-exactly-once-v2": (STREAMS, REPLICATED, "--kafka 4.1"),
    "transactions-3.9": (TRANSACTIONAL, REPLICATED, "--kafka 3.9"),
    "transactions-4.1": (TRANSACTIONAL, REPLICATED, "--kafka 4.1"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CONFIGURATIONS))
    for name in parser.parse_args().names or CONFIGURATIONS:
        producer, topic, options = CONFIGURATIONS[name]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "producer.properties").write_text(producer)
            (Path(folder) / "topic.properties").write_text(topic)
            files = [f"{folder}/producer.properties", "--topic", f"{folder}/topic.properties"]
            print(f"== {name}", flush=True)
            began, before = time.monotonic(), os.times()
            code = everystate(["assess", *files, *options.split(), "--quiet"])
            spent = sum(os.times()[:4]) - sum(before[:4])
            print(f"== {name}: exit {code}, {time.monotonic() - began:.1f} s, {spent:.1f} s of processor\n", flush=True)


if __name__ == "__main__":
    main()
