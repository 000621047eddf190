"""Records real runs for `everystate follow`: python bench/kafka_logs.py [RUN ...], a minute.

They go to tests/follow/recorded.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from everystate.model.cluster.releases import BROKERS
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import run
from everystate.model.follow.recording import RUNS, record, tidied

FOLDER = Path(__file__).parents[1] / "tests" / "follow" / "recorded"


def main() -> None:
    found, paths = provide(pinned=BROKERS, tell=print)
    with tempfile.TemporaryDirectory() as made:
        run(found, paths, record, paths, Path(made), sys.argv[1:] or list(RUNS), hear=print)
        for path in sorted(Path(made).rglob("*.*")):
            target = FOLDER / path.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(tidied(path.read_text("utf-8")), "utf-8")
            print(target.relative_to(FOLDER), target.stat().st_size)


if __name__ == "__main__":
    main()
