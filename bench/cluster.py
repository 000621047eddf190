"""Start-up and memory of clusters of real brokers: python bench/cluster.py [ROUNDS].

A cluster of one broker is one process; with two brokers the controller is a third process. Seconds are medians.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.conformance.jars import provide


def seconds(action: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main(rounds: int) -> None:
    kafka, paths = provide(pinned=BROKERS, notify=print)
    print(f"Kafka {kafka.version}, {rounds} rounds")
    for brokers in (1, 2):
        formatted, started, stopped, crashed, ended, memory = [], [], [], [], [], []
        for _ in range(rounds):
            began = time.perf_counter()
            with Servers(paths, brokers) as servers:
                formatted.append(time.perf_counter() - began)
                started.append(seconds(servers.start))
                memory.append(servers.memory())
                broker = servers.brokers[0]
                stopped.append(seconds(broker.stop))
                broker.start()
                broker.ready()
                broker.kill()
                broker.start()
                crashed.append(seconds(broker.ready))
                began = time.perf_counter()
            ended.append(time.perf_counter() - began)
        told = {"format": formatted, "start": started, "SIGTERM": stopped, "after SIGKILL": crashed, "end": ended}
        print(f"{len(servers.nodes)} processes: ", end="")
        print(", ".join(f"{name} {statistics.median(found):.1f} s" for name, found in told.items()), end="; ")
        print("MB resident", " + ".join(str(round(statistics.median(x) / 1e6)) for x in zip(*memory, strict=True)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
