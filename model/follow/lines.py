"""Log lines of Kafka as events of the model, for `everystate follow --map everystate.model.follow.lines`.

Of a producer: DEBUG of NetworkClient, RecordAccumulator and TransactionManager, TRACE of Sender and TransactionManager.
Of its broker: DEBUG of kafka.request.logger. Lines are in one of the layouts of `layouts`, of Kafka 2.6 to 4.4. Lines
of other loggers and other clients are left out. A line of these that is truncated, or written in another way, is an
error: it could be the one that matters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .layouts import ANOTHER, BEGINS, moment_of, parts
from .words import AT_MOST, HANDLING, LOSING, OBSERVES, UNTOLD, Event, Nodes, Partitions, Pids, Unknown, answer, code_of

PRODUCER = "[Producer clientId="
CLIENT = re.compile(r"\[Producer clientId=(?P<client>[^,\]]*)[^\]]*\] (?P<text>.*)$")
OTHER_CLIENT = re.compile(r"\[(?:AdminClient|Consumer|ShareConsumer) ")

ID, NODE, PARTITION = r"(?P<id>\d+)", r"node (?P<node>-?\d+)", r"(?P<partition>\S+-\d+)"
PAIR = r"(?P<pid>\d+), epoch=(?P<epoch>\d+)"
HEADER = (
    rf"RequestHeader\(apiKey=(?P<api>\w+), apiVersion=\d+, clientId=.*, correlationId={ID}(?:, headerVersion=\d+)?\)"
)
TELLING = {
    "NetworkClient": {
        "Sending PRODUCE": rf"Sending PRODUCE request with header {HEADER} and timeout \d+ "
        rf"to {NODE}: \{{(?P<rest>.*)\}}",
        "Received PRODUCE": rf"Received PRODUCE response from {NODE} for request with header {HEADER}: (?P<rest>.*\))",
    },
    "RecordAccumulator": {
        "Assigned producerId": r"Assigned producerId (?P<pid>\d+) and producerEpoch (?P<epoch>\d+) to batch "
        rf"with base sequence (?P<sequence>\d+) being sent to partition {PARTITION}",
    },
    "Sender": {
        "Received produce response": rf"Received produce response from {NODE} with correlation id {ID}",
        "Cancelled request with header": rf"Cancelled request with header {HEADER} "
        rf"due to (?:the last request to )?{NODE} (?:being disconnected|timed out)",
        "Uncaught error in kafka producer": r"Uncaught error in kafka producer I/O thread: ?",
    },
    "TransactionManager": {
        "ProducerId set to": r"ProducerId set to (?P<pid>\d+) with epoch (?P<epoch>\d+)",
        "Incremented producer epoch": r"Incremented producer epoch, current producer ID and epoch are now "
        rf"\(producerId={PAIR}\)",
        "ProducerId: ": r"ProducerId: (?P<pid>\d+); Set last ack'd sequence number for topic-partition "
        rf"{PARTITION} to (?P<sequence>\d+)",
    },
    "logger": {"Completed request:": r"Completed request:(?P<json>\{.*\})"},
}
"""By logger: the beginning of a relevant line, and its whole pattern."""
WHOLE = {begin: re.compile(whole) for lines in TELLING.values() for begin, whole in lines.items()}
ANSWERED = re.compile(r"index=(?P<index>\d+), errorCode=(?P<code>\d+), baseOffset=(?P<offset>-?\d+)")
SIZES = re.compile(r"partitionSizes=\[(?P<sizes>[^\]]*)\]")

MOST_IN_FLIGHT = 20
"""Answers of a connection that are remembered."""

unseen = (*UNTOLD, *HANDLING)
at_most = AT_MOST
needs = (
    "events are in lines of DEBUG of NetworkClient, RecordAccumulator and TransactionManager, of TRACE of Sender and "
    "TransactionManager, or of DEBUG of kafka.request.logger: raise the levels of these loggers "
    "(docs/how-to/follow-a-log.md)"
)
observes = OBSERVES


def log(lines: Iterator[str]) -> Iterator[Event]:
    """The events of the lines of one producer, or of a broker; with several producers each is a `run`."""
    producers: dict[str, Producer] = {}
    broker = Broker()
    for text in lines:
        found = split(text)
        if found is None:
            continue
        begin = begins(found.logger, found.text)
        if not begin:
            continue
        record = WHOLE[begin].fullmatch(found.text)
        if record is None:
            raise Unknown(f"this line is cut off, or of a Kafka that writes it in another way: {found.text[:60]!r}")
        if begin == "Completed request:":
            events = broker.events(record["json"])
        else:
            events = producers.setdefault(found.client, Producer()).events(begin, record.groupdict())
        for event in events:
            yield {**event, "run": event.get("run", found.client), **({"time": found.time} if found.time else {})}
    for producer in producers.values():
        producer.require_read()


@dataclass(frozen=True)
class ParsedLine:
    """A line: its time, its logger and client, and its text."""

    time: float | None
    logger: str
    client: str
    text: str


def split(line: str) -> ParsedLine | None:
    """A line in its parts; None for one that is no line of a logger, such as one of a stack trace."""
    found = parts(line)
    if found is None:
        if BEGINS.match(line) or any(begin in line for begin in WHOLE):
            raise Unknown(f"this line is cut off, or of a log that is written in another way: {line[:60]!r}")
        return None
    if ANOTHER.search(found["text"]):
        raise Unknown("two lines are in one: several threads wrote at once")
    text, client = found["text"], ""
    if OTHER_CLIENT.match(text):
        return None
    own = CLIENT.match(text)
    if own:
        text, client = own["text"], own["client"]
    elif not text or text.startswith(PRODUCER) or PRODUCER.startswith(text):
        raise Unknown(f"this line is cut off: {line[-60:]!r}")
    return ParsedLine(moment_of(found["time"]), found["logger"].rpartition(".")[2], client, text)


def begins(logger: str, text: str) -> str:
    """The beginning of a relevant line; empty for others. Error for one that ends too early."""
    for begin in TELLING.get(logger, ()):
        if text.startswith(begin):
            return begin
        if text and begin.startswith(text):
            raise Unknown(f"this line is cut off: {text!r}")
    if logger == "NetworkClient" and re.match(r"(Sending|Received) .*\bPRODUCE\b", text):
        raise Unknown(f"a Kafka that is not known here wrote this: {text[:60]!r}")
    return ""


@dataclass
class Producer:
    """The content of the lines of one producer so far."""

    nodes: Nodes = field(default_factory=Nodes)
    partitions: Partitions = field(default_factory=Partitions)
    pids: Pids = field(default_factory=Pids)
    assigned: dict[str, dict[str, str]] = field(default_factory=dict)
    expected: dict[str, tuple[str, str, int]] = field(default_factory=dict)
    under_way: dict[int, list[int]] = field(default_factory=dict)
    to: dict[int, str] = field(default_factory=dict)
    answers: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    identity: tuple[int, int] | None = None
    lost: set[int] = field(default_factory=set)
    reading: bool = False

    def events(self, begin: str, record: dict[str, str]) -> Iterator[Event]:
        """The events of a line."""
        if not self.pids.known and begin not in ("ProducerId set to", "Uncaught error in kafka producer"):
            raise Unknown("the log does not begin with the producer: no producer id was set before")
        match begin:
            case "ProducerId set to":
                yield from self._identified(int(record["pid"]), int(record["epoch"]))
            case "Assigned producerId":
                self._assigned(record)
            case "Sending PRODUCE":
                yield self._sent(int(record["id"]), self.nodes[record["node"]], record["rest"])
            case "Received PRODUCE":
                self._received(int(record["id"]), self.nodes[record["node"]], record["rest"])
            case "Received produce response":
                yield self._read(int(record["id"]), self.nodes[record["node"]])
            case "Cancelled request with header":
                yield from self._lost(int(record["id"]), record["api"], self.nodes[record["node"]])
            case "Incremented producer epoch":
                yield self._bumped(int(record["pid"]), int(record["epoch"]))
            case "ProducerId: ":
                if not self.reading:
                    self.require_read()
                place = f"partition[{self.partitions[record['partition']]}]"
                pid = self._pid(int(record["pid"]))
                yield {"after": {f"{place}.pid": pid, f"{place}.last_acked": int(record["sequence"])}}
            case _:
                yield {"after": {"thrown_by_the_producer()": "an uncaught error"}}

    def _identified(self, pid: int, epoch: int) -> Iterator[Event]:
        """The first producer id exists when the model begins; a later line reports a new epoch."""
        if self.identity is None and epoch:
            raise Unknown(f"the producer begins with epoch {epoch}: it is not a new one")
        if self.identity == (pid, epoch):
            raise Unknown(f"producer id {pid} with epoch {epoch} was got before")
        known, first = pid in self.pids.known, self.identity is None
        number, self.identity = self.pids[pid], (pid, epoch)
        if not first and not known:
            yield {"action": "init_producer_id", "after": {"pid": number, "epoch": epoch}}

    def _pid(self, pid: int) -> int:
        if pid not in self.pids.known:
            raise Unknown(f"producer id {pid} was never set")
        return self.pids[pid]

    def _bumped(self, pid: int, epoch: int) -> Event:
        if self.identity is not None and self.identity != (pid, epoch):
            record = "producer id {} with epoch {}".format(*self.identity)
            raise Unknown(f"it is producer id {pid} with epoch {epoch} now, and before this line {record} was set")
        return {"action": "start_loop", "after": {"pid": self.pids[pid], "epoch": epoch}}

    def _assigned(self, record: dict[str, str]) -> None:
        partition, sequence = record["partition"], int(record["sequence"])
        pid, epoch, expected = self.expected.get(partition, ("", "", 0))
        if (pid, epoch) == (record["pid"], record["epoch"]) and sequence > expected:
            records = f"a batch before it had {sequence - expected + 1} records, and the model's have one each"
            raise Unknown(f"{records}: `everystate follow producer-log LOG` follows batches of any size")
        self.expected[partition] = (record["pid"], record["epoch"], sequence + 1)
        if partition in self.assigned:
            raise Unknown("a batch was numbered and not sent: a line is missing (DEBUG of NetworkClient)")
        self.assigned[partition] = record

    def _sent(self, request: int, node: int, rest: str) -> Event:
        """A batch is on the wire: a new one where a sequence was assigned before, else a retry."""
        sizes = SIZES.search(rest)
        if sizes is None:
            raise Unknown("the request does not tell its partitions")
        parts = sizes["sizes"].split(", ")
        if len(parts) > 1:
            raise Unknown("the request has batches of several partitions, and the model's have one")
        partition = parts[0].rpartition("=")[0].rpartition(":")[2]
        self.require_read()
        self.under_way.setdefault(node, []).append(request)
        self.to[request] = partition
        given = self.assigned.pop(partition, None)
        where, number = f"newest_request({node})", self.partitions[partition]
        if given is None:
            return {"action": "send_again"}
        stamp = [number, self._pid(int(given["pid"])), int(given["epoch"]), int(given["sequence"])]
        return {"action": "send", "after": {where: stamp}}

    def require_read(self) -> None:
        """Check that a received answer was read, and logged as such, before anything else is sent."""
        if self.answers:
            raise Unknown(f"that the answer to request {min(self.answers)} was read is not told (TRACE of Sender)")

    def _received(self, request: int, node: int, rest: str) -> None:
        found = ANSWERED.findall(rest)
        if len(found) != 1:
            raise Unknown("the answer is not of one batch")
        index, code, offset = found[0]
        partition = self.to.pop(request, None)
        if request in self.answers:
            raise Unknown(f"request {request} was answered twice")
        if partition is not None and partition.rpartition("-")[2] != index:
            raise Unknown(f"it is an answer of partition {index}, and request {request} was for {partition}")
        self.reading = False
        self.answers[request] = node, int(offset), answer(code_of(int(code)), int(offset))

    def _read(self, request: int, node: int) -> Event:
        if request not in self.answers:
            raise Unknown(f"what was answered to request {request} is not told (DEBUG of NetworkClient)")
        if request not in self.under_way.get(node, ()):
            raise Unknown(f"request {request} was answered, and that it was sent is not told (DEBUG of NetworkClient)")
        self.reading = True
        sender, offset, record = self.answers.pop(request)
        if sender != node:
            raise Unknown(f"the answer to request {request} came of node {sender}, and is read as one of node {node}")
        before: dict[str, str | int] = {f"oldest_answer({node}, {offset})": record}
        before[f"place_of_the_answer({node})"] = self.under_way[node].index(request)
        self.under_way[node].remove(request)
        return {"action": "read_answer", "arguments": {"broker": node}, "before": before}

    def _lost(self, request: int, api: str, node: int) -> Iterator[Event]:
        """The first request of a lost connection that is given up; the others go with it."""
        if api != "PRODUCE" or request in self.lost:
            self.lost.discard(request)
            return
        self.lost |= {other for other in self.under_way.pop(node, []) if other != request}
        yield {"action": LOSING, "after": {f"connection[{node}].requests.length": 0}}


class Broker:
    """The content of the request log so far: the answers of each connection."""

    def __init__(self) -> None:
        self.answers: dict[str, list[str]] = {}
        self.partitions: set[tuple[str, int]] = set()

    def events(self, text: str) -> Iterator[Event]:
        """The events of a line of the request log: a produce request, and all before it on the connection, were
        answered."""
        try:
            record: Any = json.loads(text)
            header = record["requestHeader"]
            if header["requestApiKeyName"] != "PRODUCE":
                return
            [topic] = record["response"]["responses"]
            [found] = topic["partitionResponses"]
            code, offset, client = int(found["errorCode"]), int(found["baseOffset"]), str(header["clientId"])
            self.partitions.add((topic.get("topicId") or topic["name"], found["index"]))
            connection = str(record["connection"])
        except (json.JSONDecodeError, KeyError, TypeError, ValueError):
            raise Unknown("this line is cut off, or the answer is not of one batch") from None
        seen = self.answers.setdefault(connection, [])
        before = {
            f"only_told({', '.join(map(repr, [0, *seen]))})": True,
            f"has_partitions({len(self.partitions)})": True,
        }
        seen.append(answer(code_of(code), offset))
        del seen[:-MOST_IN_FLIGHT]
        after = {f"newest_answer(0, {offset})": seen[-1]}
        yield {"action": HANDLING, "arguments": {"broker": 0}, "before": before, "after": after, "run": client}
