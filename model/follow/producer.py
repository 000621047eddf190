"""The log of an ordinary producer as events of `ProducerLog`, for `everystate follow producer-log LOG`.

DEBUG of org.apache.kafka.clients.NetworkClient and org.apache.kafka.clients.producer.internals is enough, in any layout
of `layouts`. Batches have any number of records, requests any number of partitions; each partition of a producer is a
run. Batches are numbered in the order in which they got a sequence, and finished ones are forgotten, so that a log of
any length fits into a small model.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..fault_table import TABLE
from ..kafka import KafkaProducer
from ..records import APPENDED, DUPLICATE, NONE, RETRIABLE
from .layouts import ANOTHER, parts
from .words import HANDLING, LOSING, NUMBERS, OUTCOMES, Event, Numbers, Unknown

PRODUCER = "[Producer clientId="
CLIENT = re.compile(r"\[Producer clientId=(?P<client>[^,\]]*)[^\]]*\] (?P<text>.*)$")
NODE = r"node (?P<node>-?\d+)"
PAIR = r"(?P<pid>\d+), epoch=(?P<epoch>\d+)"
HEADER = (
    r"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=\d+, clientId=.*, correlationId=(?P<id>\d+)"
    r"(?:, headerVersion=\d+)?\)"
)
WINDOW, REMEMBERED, NEWER = 12, 5, 2
"""Batches of the model; finished ones that are kept; and faults that may have happened before a line that shows one."""
ROOM = 6
KINDS = {
    "assigned": re.compile(
        r"Assigned producerId (?P<pid>\d+) and producerEpoch (?P<epoch>\d+) to batch with base sequence "
        r"(?P<sequence>\d+) being sent to partition (?P<partition>\S+-\d+)"
    ),
    "sending": re.compile(
        rf"Sending PRODUCE request with header {HEADER} and timeout \d+ to {NODE}: \{{(?P<rest>.*)\}}"
    ),
    "received": re.compile(rf"Received PRODUCE response from {NODE} for request with header {HEADER}: (?P<rest>.*\))"),
    "cancelled": re.compile(
        r"Cancelled (?:in-flight PRODUCE request with correlation id (?P<id>\d+)|request .*) "
        rf"due to (?:the last request to )?{NODE} (?:being disconnected|timed out).*"
    ),
    "disconnected": re.compile(r"Node (?P<node>-?\d+) disconnected\."),
    "identified": re.compile(r"ProducerId set to (?P<pid>\d+) with epoch (?P<epoch>\d+)"),
    "bumped": re.compile(rf"Incremented producer epoch, current producer ID and epoch are now \(producerId={PAIR}\)"),
    "begun": re.compile(r"Instantiated an? (?P<kind>idempotent|transactional)? ?producer\.|Kafka producer started"),
}
LOGGERS = {
    "NetworkClient": ("sending", "received", "cancelled", "disconnected"),
    "RecordAccumulator": ("assigned",),
    "Sender": ("cancelled",),
    "TransactionManager": ("identified", "bumped"),
    "KafkaProducer": ("begun",),
}
STARTS = {
    "assigned": "Assigned producerId",
    "sending": "Sending PRODUCE",
    "received": "Received PRODUCE",
    "cancelled": "Cancelled ",
    "disconnected": "Node ",
    "identified": "ProducerId set to",
    "bumped": "Incremented producer epoch",
    "begun": "Instantiated a",
}
SIZES = re.compile(r"partitionSizes=\[(?P<sizes>[^\]]*)\]")
ANSWER = re.compile(
    r"name='(?P<name>[^']*)'(?:, topicId=(?P<topic>[\w-]+))?, partition(?:R|_r)esponses=\[|"
    r"index=(?P<index>\d+), errorCode=(?P<code>\d+), baseOffset=(?P<offset>-?\d+)"
)
FAULTS = ["nothing_happens", *(fault.action for fault in TABLE if fault.behind)]
"""What may have happened to brokers before a line that shows it."""

UNLOGGED = (fault.action for fault in TABLE if not fault.logged and not fault.behind)
unseen = (*HANDLING, *UNLOGGED, "learn_leader", "start_loop", "fetch", "rejoin")
at_most = 6
by_run = True
impossible = "no producer of Kafka could have written the next line"
needs = (
    "events are in lines of DEBUG of org.apache.kafka.clients.NetworkClient and "
    "org.apache.kafka.clients.producer.internals: raise the levels of these loggers (docs/how-to/follow-a-log.md)"
)


def constants(logs: Iterable[Iterator[str]]) -> dict[str, Any]:
    """The constants of the model, from what the logs show."""
    nodes, errors, bumps, lost, pids = set[str](), set[int](), 0, False, set[str]()
    for lines in logs:
        for found in read(lines):
            match found.kind:
                case "sending":
                    nodes.add(found.of["node"])
                case "received":
                    errors |= {int(each["code"]) for each in ANSWER.finditer(found.of["rest"]) if each["code"]}
                case "cancelled" | "disconnected":
                    lost = True
                case "bumped":
                    bumps += 1
                case "identified":
                    pids.add(found.of["pid"])
    names = {OUTCOMES.get(NUMBERS.get(code, ""), "") for code in errors - {0}}
    moves = len(nodes) > 1
    return {
        "warm": 0,
        "batches": WINDOW,
        "spare": ROOM,
        "max_in_flight": 5,
        "replicas": 2 if moves else 1,
        "faults": 3,
        "disconnects": int(lost),
        "clean_restarts": int(lost and not moves),
        "leader_changes": int(moves),
        "leader_crashes": int(moves and lost),
        "refusals": int(RETRIABLE in names),
        "invalid_records": int("INVALID_RECORD" in names),
        "expiries": int(lost or bool(names - {RETRIABLE, "", DUPLICATE})),
        "epochs": max(2, bumps + 1),
        "pids": 1,
    }


@dataclass(frozen=True)
class Line:
    """A line that says something of batches."""

    client: str
    kind: str
    of: dict[str, str]


def read(lines: Iterator[str]) -> Iterator[Line]:
    """The lines that matter; Unknown for one that is cut off."""
    for line in lines:
        found = parts(line)
        mine = CLIENT.match(found["text"]) if found else None
        if found is None and PRODUCER in line:
            raise Unknown(f"this line is cut off, or of a log that is written in another way: {line[:60]!r}")
        if found is None or mine is None:
            continue
        if ANOTHER.search(mine["text"]):
            raise Unknown("two lines are in one: several threads wrote at once")
        for kind in LOGGERS.get(found["logger"].rpartition(".")[2], ()):
            if mine["text"].startswith(STARTS[kind]):
                record = KINDS[kind].fullmatch(mine["text"])
                if record is not None:
                    yield Line(mine["client"], kind, record.groupdict())
                elif kind not in ("cancelled", "disconnected", "begun"):
                    raise Unknown(f"this line is cut off, or of another release of Kafka: {mine['text'][:60]!r}")


def log(lines: Iterator[str]) -> Iterator[Event]:
    """The events of all producers of a log; a run is a partition of a producer."""
    producers: dict[str, Producer] = {}
    started, ended = dict[str, int](), set[str]()
    for found in read(lines):
        name = found.client
        if found.kind == "begun" and name in producers and producers[name].batches:
            started[name] = started.get(name, 1) + 1
            producers[name] = Producer()
        producer = producers.setdefault(name, Producer())
        label = f"{name} #{started[name]}" if name in started else name
        if producer.ended:
            continue
        try:
            for partition, event in producer.events(found):
                run = f"{label}, {partition}"
                if run not in ended:
                    yield {**event, "run": run}
                if producer.partitions[partition].ended:
                    ended.add(run)
        except NotCovered as error:
            producer.ended = True
            for partition in producer.partitions:
                if f"{label}, {partition}" not in ended:
                    yield {"undecided": str(error), "run": f"{label}, {partition}"}


class NotCovered(Exception):
    """Something that the model does not have: what comes after it cannot be judged."""


@dataclass(eq=False)
class Partition:
    """The batches of one partition: those of the window have numbers from 0 on."""

    nodes: Numbers[str] = field(default_factory=Numbers)
    forgotten: int = 0
    first: dict[int, tuple[int, int, int]] = field(default_factory=dict)
    """By batch: producer id, epoch and first sequence, as the log has them."""
    offset: dict[int, int] = field(default_factory=dict)
    newest: int = -1
    begins: int = 0
    """The batch that has sequence 0 of the current epoch."""
    pair: tuple[int, int] = (-1, -1)
    waiting: deque[int] = field(default_factory=deque)
    """Batches to be sent again, the oldest first."""
    finished: set[int] = field(default_factory=set)
    repeated: set[int] = field(default_factory=set)
    """Batches that were sent again."""
    shared: bool = False
    """Whether another producer writes to the partition."""
    refused: bool = False
    """Whether an answer may ask for a new epoch."""
    ended: bool = False
    """A line that no producer writes: what comes after it means nothing."""

    def number(self, batch: int) -> int:
        """The number of a batch in the window."""
        found = batch - self.forgotten
        if not 0 <= found < WINDOW and not self.ended:
            raise NotCovered(f"more than {WINDOW} batches are not finished at a time")
        return found

    def count(self, batch: int) -> int | None:
        """The number of records of a batch, where the next one of its epoch shows it."""
        mine, after = self.first.get(batch), self.first.get(batch + 1)
        return after[2] - mine[2] if mine and after and mine[:2] == after[:2] else None


@dataclass
class Producer:
    """The content of the lines of one producer so far."""

    pids: Numbers[int] = field(default_factory=Numbers)
    epoch: tuple[int, int] | None = None
    partitions: dict[str, Partition] = field(default_factory=dict)
    assigned: dict[str, dict[str, str]] = field(default_factory=dict)
    flying: dict[int, tuple[str, dict[str, int]]] = field(default_factory=dict)
    """By correlation id: the node and the batch of each partition."""
    topics: dict[str, str] = field(default_factory=dict)
    batches: int = 0
    first_epoch: int = 0
    ended: bool = False
    """Something came that is not covered."""

    def events(self, line: Line) -> Iterator[tuple[str, Event]]:
        """The events of a line, each with its partition."""
        of = line.of
        match line.kind:
            case "identified":
                self._identified(int(of["pid"]), int(of["epoch"]))
            case "assigned":
                if self.epoch is None:
                    raise Unknown("the log does not begin with the producer: no producer id was set before")
                self.assigned[of["partition"]] = of
            case "sending":
                yield from self._sending(int(of["id"]), of["node"], of["rest"])
            case "received":
                yield from self._received(int(of["id"]), of["node"], of["rest"])
            case "cancelled" | "disconnected":
                yield from self._lost(of["node"])
            case "bumped":
                yield from self._bumped(int(of["pid"]), int(of["epoch"]))

    def _identified(self, pid: int, epoch: int) -> None:
        if self.epoch is None:
            self.first_epoch = epoch
        self.epoch = pid, epoch
        if len({*self.pids.known, pid}) > 1:
            raise NotCovered(f"not covered: the producer gets another producer id, {pid}")
        self.pids[pid]

    def _bumped(self, pid: int, epoch: int) -> Iterator[tuple[str, Event]]:
        """A new epoch: unfinished batches get sequences from 0 on."""
        if len(self.partitions) > 1:
            raise NotCovered("not covered: a new epoch of a producer that writes to several partitions")
        if not any(place.refused for place in self.partitions.values()):
            raise NotCovered("not covered: a new epoch after no error, as when a delivery timeout has passed")
        self.epoch = pid, epoch
        for name, place in self.partitions.items():
            open_ = [batch for batch in range(place.forgotten, place.newest + 1) if batch not in place.finished]
            place.begins = open_[0] if open_ else place.newest + 1
            place.pair, place.refused = (pid, epoch), False
            yield name, {"action": "start_loop", "after": {"epoch": epoch - self.first_epoch}}

    # -- requests ------------------------------------------------------------------------------------------

    def _sending(self, request: int, node: str, rest: str) -> Iterator[tuple[str, Event]]:
        sizes = SIZES.search(rest)
        if sizes is None:
            raise Unknown("the request does not name its partitions")
        carried: dict[str, int] = {}
        for each in filter(None, re.split(r",\s*", sizes["sizes"])):
            topic, _, name = each.rpartition("=")[0].rpartition(":")
            if topic:
                self.topics[topic] = name.rpartition("-")[0]
            place = self.partitions.setdefault(name, Partition())
            given = self.assigned.pop(name, None)
            yield from ((name, event) for event in self._moved(place, node))
            if given is None:
                yield name, self._again(place, node)
                carried[name] = place.waiting.popleft() if place.waiting else -1
            else:
                yield from ((name, event) for event in self._new(place, node, given))
                carried[name] = place.newest
        self.batches += 1
        self.flying[request] = node, carried

    def _moved(self, place: Partition, node: str) -> Iterator[Event]:
        """A node that has not been written to yet leads now."""
        if place.nodes.known and node not in place.nodes.known and not place.ended:
            if len(place.nodes.known) > 1:
                raise NotCovered(f"not covered: a third broker, node {node}, leads the partition")
            yield from [{"action": FAULTS}] * NEWER

    def _new(self, place: Partition, node: str, given: dict[str, str]) -> Iterator[Event]:
        pid, epoch, sequence = int(given["pid"]), int(given["epoch"]), int(given["sequence"])
        before = self._contiguous(place, pid, epoch, sequence)
        place.newest += 1
        if (pid, epoch) != place.pair and epoch == self.first_epoch:
            place.pair = pid, epoch
        place.first[place.newest] = pid, epoch, sequence
        yield from self._forget(place)
        number, at = place.number(place.newest), place.nodes[node]
        stamp = [0, self.pids[pid], epoch - self.first_epoch, number - max(place.begins - place.forgotten, 0)]
        yield {
            "action": "send",
            "arguments": {"batch": number},
            "before": before,
            "after": {f"newest_request({at})": stamp},
        }

    def _contiguous(self, place: Partition, pid: int, epoch: int, sequence: int) -> dict[str, Any]:
        """What the log says of the first sequence of a new batch: above that of the batch before, or 0."""
        last = place.first.get(place.newest)
        if last is not None and last[:2] == (pid, epoch):
            return {f"first_sequence_is_above({last[2]}, {sequence})": True}
        if place.begins == place.newest + 1:
            return {f"first_sequence_of_an_epoch({sequence})": 0}
        return {}

    def _again(self, place: Partition, node: str) -> Event:
        event: dict[str, Any] = {"action": "send_again"}
        place.ended = not place.waiting
        if place.waiting:
            place.repeated.add(place.waiting[0])
            event["arguments"] = {"batch": place.number(place.waiting[0])}
        at = place.nodes[node]
        return {**event, "after": {f"sent_to({at})": True}}

    def _forget(self, place: Partition) -> Iterator[Event]:
        """Finished batches are left out, but for the last ones."""
        while all(place.forgotten + n in place.finished for n in range(REMEMBERED + 1)):
            yield {"action": "forget_batch", "arguments": {"renumber": place.begins <= place.forgotten}}
            for known in (place.first, place.offset):
                known.pop(place.forgotten - 1, None)
            place.finished.discard(place.forgotten)
            place.forgotten += 1

    # -- answers -------------------------------------------------------------------------------------------

    def _received(self, request: int, node: str, rest: str) -> Iterator[tuple[str, Event]]:
        if request not in self.flying:
            raise Unknown(f"request {request} was answered, and no line says that it was sent (DEBUG of NetworkClient)")
        to, carried = self.flying.pop(request)
        if to != node:
            raise Unknown(f"the answer to request {request} came of node {node}, and it was sent to node {to}")
        topic = ""
        for found in ANSWER.finditer(rest):
            if found["index"] is None:
                topic = found["name"] or self.topics.get(found["topic"] or "", "")
                continue
            name = f"{topic}-{found['index']}"
            if name not in carried:
                raise Unknown(f"it is an answer of {name}, and request {request} was for {', '.join(carried)}")
            place, batch = self.partitions[name], carried.pop(name)
            for event in self._answered(place, batch, node, int(found["code"]), int(found["offset"])):
                yield name, event
        if carried:
            raise Unknown(f"the answer to request {request} says nothing of {', '.join(carried)}")

    def _answered(self, place: Partition, batch: int, node: str, code: int, offset: int) -> Iterator[Event]:
        at, before = place.nodes[node], dict[str, Any]()
        if code == 0 or NUMBERS.get(code) == "DUPLICATE_SEQUENCE_NUMBER":
            said = APPENDED if code == 0 else DUPLICATE
            in_place = self._in_place(place, batch, offset)
            if in_place is not None:
                before[f"follows_the_batch_before({at})"] = in_place
            if in_place is False:
                yield from [{"action": FAULTS}] * NEWER
            place.offset[batch] = offset
            place.finished.add(batch)
        else:
            if code not in NUMBERS:
                raise NotCovered(f"not covered: an answer with error code {code}")
            said = OUTCOMES[NUMBERS[code]]
            place.refused = place.refused or said != RETRIABLE
            if said == RETRIABLE or (batch in place.first and said == "OUT_OF_ORDER_SEQUENCE_NUMBER"):
                _insert(place.waiting, batch)
            else:
                place.finished.add(batch)
            yield from [{"action": FAULTS}] * NEWER
        before[f"answer_to_read({at})"] = said
        arguments = {"broker": at, **({"batch": place.number(batch)} if batch >= 0 else {})}
        yield {"action": "read_answer", "arguments": arguments, "before": before}

    def _in_place(self, place: Partition, batch: int, offset: int) -> bool | None:
        """Whether the log of the partition has the batch directly behind the one before it; None: it is not known.

        Records lie between them if some batch was written twice, or if another producer writes to the partition. It is
        another producer where nothing was sent again.
        """
        records, before = place.count(batch - 1), place.offset.get(batch - 1, -1)
        if records is None or before < 0 or offset < 0:
            return None
        if offset > before + records:
            place.shared = place.shared or not any(each >= place.forgotten for each in place.repeated)
            return None if place.shared else False
        return offset == before + records

    def _lost(self, node: str) -> Iterator[tuple[str, Event]]:
        """A connection is lost, and what is on it will be sent again."""
        gone = [request for request, (to, _) in self.flying.items() if to == node]
        lost: dict[str, list[int]] = {}
        for request in gone:
            for name, batch in self.flying.pop(request)[1].items():
                lost.setdefault(name, []).append(batch)
        for name, place in self.partitions.items():
            if node not in place.nodes.known:
                continue
            at = place.nodes[node]
            if name in lost:
                for batch in lost[name]:
                    _insert(place.waiting, batch)
                yield name, {"action": FAULTS}
                yield name, {"action": LOSING, "after": {f"connection[{at}].requests.length": 0}}
            else:
                yield name, {"action": FAULTS}


def _insert(waiting: deque[int], batch: int) -> None:
    """A batch goes back to where it was in the order of sequences."""
    at = next((place for place, other in enumerate(waiting) if other > batch), len(waiting))
    waiting.insert(at, batch)


# -- observations of the model -------------------------------------------------------------------------------


def newest_request(spec: KafkaProducer, broker: int) -> list[int] | None:
    """The request that was written last: partition, producer id, epoch, sequence."""
    link: Any = spec.connection[broker]
    requests = list(link.requests)
    if len(requests) <= link.handled:
        return None
    state: Any = spec.batch[requests[-1]]
    return [0, int(state.pid), int(state.epoch), int(state.position)]


def sent_to(spec: KafkaProducer, broker: int) -> bool:
    """Whether a request is on the way to a broker."""
    link: Any = spec.connection[broker]
    return len(link.requests) > link.handled


def answer_to_read(spec: KafkaProducer, broker: int) -> str | None:
    """The answer that the producer reads next."""
    link: Any = spec.connection[broker]
    if not link.handled:
        return None
    outcome = str(spec.batch[next(iter(link.requests))].outcome)
    return APPENDED if outcome == NONE else outcome


def follows_the_batch_before(spec: KafkaProducer, broker: int) -> bool | None:
    """Whether the offset of the next answer is that behind the batch before."""
    link: Any = spec.connection[broker]
    if not link.handled:
        return None
    batch = int(next(iter(link.requests)))
    at, log = int(spec.batch[batch].position), spec.log[0]
    return 0 < at < spec.log_capacity and at < log.end and int(log.entries[at - 1].batch) == batch - 1


def first_sequence_is_above(spec: KafkaProducer, before: int, sequence: int) -> bool:
    """A batch has at least one record."""
    return sequence > before


def first_sequence_of_an_epoch(spec: KafkaProducer, sequence: int) -> int:
    """An epoch begins with sequence 0."""
    return sequence


observes = (
    newest_request,
    sent_to,
    answer_to_read,
    follows_the_batch_before,
    first_sequence_is_above,
    first_sequence_of_an_epoch,
)
