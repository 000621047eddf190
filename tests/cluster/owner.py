"""A program that owns a cluster and then ends in some way; it prints its folder and the ids of its servers first."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path

from everystate.model.cluster.servers import Servers


def main(how: str, paths: list[Path]) -> None:
    with Servers(paths) as servers:
        servers.start()
        if how == "paused":
            servers.brokers[0].pause()
        ids = [node.process.pid for node in servers.nodes if node.process]
        print(json.dumps({"folder": str(servers.folder), "ids": [*ids, servers.group, servers.keeper.pid]}), flush=True)
        if how == "exception":
            raise RuntimeError("as a test wants it")
        signal.pause()


if __name__ == "__main__":
    main(sys.argv[1], [Path(text) for text in sys.argv[2:]])
