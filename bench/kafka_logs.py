"""Records real runs for `everystate follow`: python bench/kafka_logs.py [--producer 3.9.2] [--brokers 4.3.1] [RUN ...]

They go to tests/follow/recorded; with another release than the newest into a folder that is named by it, such as
`lost-answers-on-4.3.1`. A run takes some seconds.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from everystate.model.cluster.releases import BROKERS
from everystate.model.conformance.jars import provide
from everystate.model.conformance.process import run
from everystate.model.follow.recording import RUNS, record, tidied

FOLDER = Path(__file__).parents[1] / "tests" / "follow" / "recorded"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--producer", help="the release of the producer")
    options.add_argument("--brokers", help="the release of the brokers")
    options.add_argument("runs", nargs="*", default=list(RUNS))
    given = options.parse_args()
    brokers, paths = provide(given.brokers, pinned=BROKERS, notify=print)
    found, classes = (brokers, paths) if given.producer is None else provide(given.producer, notify=print)
    releases = {"of": given.producer, "on": given.brokers}
    suffix = "".join(f"-{word}-{version}" for word, version in releases.items() if version)
    with tempfile.TemporaryDirectory() as made:
        run(found, classes, record, paths, Path(made), given.runs, hear=print)
        for path in sorted(Path(made).rglob("*.*")):
            target = FOLDER / f"{path.parent.name}{suffix}" / path.name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(tidied(path.read_text("utf-8")), "utf-8")
            print(target.relative_to(FOLDER), target.stat().st_size)


if __name__ == "__main__":
    main()
