"""Measures a broker's memory for producers: its live objects while it knows so many, and after all have expired.

Each producer writes as many batches as a broker remembers, under an unassigned id: the broker accepts an unknown id
(B4.1). Then all of them expire (D9): so nothing else has changed in between. The memory for twenty remembered batches
is computed from the sizes of objects.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..cluster.admin import Admin
from ..cluster.ending import blaming, ending, require_wanted
from ..cluster.servers import Servers
from ..conformance.driver import NotJudged
from ..conformance.process import Line
from .clients import RawClient
from .requests import produce_request
from .timed import SMALLEST

FIRST_PID = 1 << 40
PIECE = 500
"""Producers whose requests are made and written at a time."""
IN_FLIGHT = 50
EXPIRATION, NEVER = "producer.id.expiration.ms", "86400000"
CLAIMED = 36
"""Bytes of a remembered batch, as KIP-1269 has it."""
PACKAGE = "org.apache.kafka.storage.internals.log."
BATCH, ENTRY = PACKAGE + "BatchMetadata", PACKAGE + "ProducerStateEntry"
TABLE = "[Ljava.util.HashMap$Node;"
OF_PRODUCERS = (
    BATCH,
    "[Ljava.lang.Object;",
    ENTRY,
    "java.util.HashMap$Node",
    "java.lang.Long",
    "java.util.ArrayDeque",
    TABLE,
)
"""The contents of ProducerStateManager: a map from producer ids to entries, each with a deque of batches and its
array."""
WIDE = 20
"""Remembered batches for which the memory is computed."""
HEADER, POINTER, ALIGNED = 16, 4, 8
"""Bytes of the header of an array, of a reference in it, and the alignment of sizes: HotSpot below 32 GB."""


@dataclass(frozen=True)
class HeapJob:
    """How many producers, in turn; `paths` is the class path of the broker, whose files are in a folder of `place`."""

    producers: tuple[int, ...]
    paths: tuple[Path, ...]
    place: Path


@dataclass
class HeapUse:
    """For each number of producers by class: additional objects, and their bytes."""

    grown: dict[int, dict[str, tuple[int, int]]] = field(default_factory=dict)
    interrupted: bool = False
    not_judged: str = ""


def weigh(line: Line, job: HeapJob) -> HeapUse:
    """Do a job."""
    heap = HeapUse()
    with ending(heap):
        for producers in job.producers:
            with Servers(job.paths, place=job.place) as servers, blaming(servers):
                line.tell("starting a broker")
                servers.start()
                heap.grown[producers] = HeapMeasurement(line, servers).grown(producers)
    return heap


class HeapMeasurement:
    def __init__(self, line: Line, servers: Servers) -> None:
        self.line, self.servers, self.node = line, servers, servers.brokers[0]

    def grown(self, producers: int) -> dict[str, tuple[int, int]]:
        """The additional objects while the broker knows so many producers; the table of a map never shrinks again."""
        with ExitStack() as opened:
            admin = opened.enter_context(closing(Admin(self.servers.bootstrap(), self._alive)))
            topic = admin.create(1, [0], {})
            client = opened.enter_context(closing(RawClient(self.node.ports.client, IN_FLIGHT, IN_FLIGHT, 128, topic)))
            admin.set_broker(0, EXPIRATION, NEVER)  # so that only its value changes later
            before = self.node.histogram()
            client.run(SMALLEST - 1)  # it has written one batch, and is the first producer
            for start in range(1, producers, PIECE):
                self._alive()
                self.line.tell(f"{start} of {producers} producers")
                new = range(start, min(start + PIECE, producers))
                client.write([produce_request(topic, FIRST_PID + n, s, b"x") for n in new for s in range(SMALLEST)])
            found = len(admin.producers(0))
            if found != producers:
                raise NotJudged(f"the broker knows {found} producers instead of {producers}")
            knowing = self.node.histogram()
            admin.set_broker(0, EXPIRATION, "1")
            admin.until("the producers expire", lambda: not admin.producers(0))
            forgotten = self.node.histogram()
        forgotten[TABLE] = before[TABLE]
        return _difference(forgotten, knowing)

    def _alive(self) -> None:
        require_wanted(self.line, self.servers)


def _difference(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    grown = {}
    for name, (count, size) in after.items():
        earlier = before.get(name, (0, 0))
        grown[name] = count - earlier[0], size - earlier[1]
    return grown


# -- conclusions ---------------------------------------------------------------------------------------------


def slots(batches: int) -> int:
    """References in the array of an ArrayDeque after a number of additions: 17 at first, then 2 more than doubled."""
    found = 17
    while found < batches + 1:
        found = 2 * found + 2
    return found


def array(references: int) -> int:
    """Bytes of an array of references."""
    return -(-(HEADER + POINTER * references) // ALIGNED) * ALIGNED


@dataclass(frozen=True)
class ProducerWeight:
    """Bytes for each producer: of one remembered batch, of all that is kept of a producer, and computed for twenty.

    `classes` are objects and bytes for each producer by class.
    """

    producers: int
    batch: float
    producer: float
    of_twenty: float
    classes: dict[str, tuple[float, float]]


def weights(heap: HeapUse) -> Iterator[ProducerWeight]:
    """What each number of producers weighs."""
    for producers, grown in heap.grown.items():
        kept = {name: grown[name] for name in OF_PRODUCERS}
        batch = grown[BATCH][1] / grown[BATCH][0]
        total = sum(size for _, size in kept.values()) / producers
        more = (WIDE - SMALLEST) * batch + array(slots(WIDE)) - array(slots(SMALLEST))
        classes = {name: (count / producers, size / producers) for name, (count, size) in kept.items()}
        yield ProducerWeight(producers, batch, total, total + more, classes)


def lines_of(heap: HeapUse, kafka: str) -> Iterator[str]:
    """The table."""
    yield f"Kafka {kafka}: live objects of one broker, {SMALLEST} batches of each producer in one partition"
    for weight in weights(heap):
        yield ""
        yield _line(f"{weight.producers} producers, each", "objects", "bytes", "")
        for name, (count, size) in sorted(weight.classes.items(), key=lambda each: -each[1][1]):
            objects = "" if name == TABLE else f"{count:.2f}"
            yield _line(f"  {name.removeprefix(PACKAGE)}", objects, f"{size:.1f}", "")
        yield _line("  one batch, measured", "", f"{weight.batch:.1f}", f"KIP-1269: {CLAIMED}")
        for what, batches, size in (
            ("measured", SMALLEST, weight.producer),
            ("computed", WIDE, weight.of_twenty),
        ):
            words = f"all, {weight.producers * size / 1e6:.2f} MB; KIP-1269: {batches * CLAIMED} bytes each"
            yield _line(f"  {batches} batches, {what}", "", f"{size:.1f}", words)


def _line(what: str, count: str, size: str, words: str) -> str:
    return f"{what:40} {count:>8} {size:>8}   {words}".rstrip()


def as_json(heap: HeapUse, kafka: str) -> dict[str, Any]:
    """The measured memory as plain data."""
    return {
        "kafka": kafka,
        "batches": SMALLEST,
        "kip_1269": CLAIMED,
        "weights": [asdict(each) for each in weights(heap)],
    }
