"""The producers of Kafka as a driver: a real client for each session, stepped and read by the tables here.

The brokers are the model's: their answers are in the move. A request to the coordinator may first meet trouble, which
the model does not know as it changes nothing (T9.5): a coordinator that moves, loads, or is busy, and a lost
connection. The kind depends on the number of the step alone, so a trace can be repeated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..clock import Clock
from ..codec import OLDER, known_errors
from ..driver import OPEN, Observation
from ..real_client import COORDINATOR
from ..still_side import StillSide
from ..watermark import BrokenRule
from .client import OK, TransactionalClient
from .client_moves import LEADER_GONE, ClientMove, ReceivedAnswer
from .client_wire import END_TXN, CoordinatorRequest

FIRST_PID, HIGHEST = 1_000, 32_767
TROUBLES = ("", "CONCURRENT_TRANSACTIONS", "", "NOT_COORDINATOR", "", "COORDINATOR_LOAD_IN_PROGRESS", "", "lost", "")
LOST = "lost"
EXCEPTIONS = {
    "INVALID_RECORD": ("InvalidRecordException",),
    "INVALID_PRODUCER_EPOCH": ("InvalidProducerEpochException", "ProducerFencedException"),
    "INVALID_PRODUCER_ID_MAPPING": ("InvalidPidMappingException",),
    "INVALID_TXN_STATE": ("InvalidTxnStateException",),
    "OUT_OF_ORDER_SEQUENCE_NUMBER": ("OutOfOrderSequenceException",),
    "PRODUCER_FENCED": ("ProducerFencedException",),
    "TRANSACTION_ABORTABLE": ("TransactionAbortableException",),
    "UNKNOWN_SERVER_ERROR": ("KafkaException",),
}
"""The exception of the application for an error; for a leader's old epoch ProducerFencedException up to 2.6."""
NO_RECORD, NO_CALL, FAILED = "no record", "none", "failed"


class BrokenClient(BrokenRule):
    """The real client does not do what a move requires."""


@dataclass(frozen=True)
class ClientSetup:
    """The initial state of the producers: their number, partitions, the model's highest epoch, the protocol version.

    `late` is whether an answer to a record that has expired may come; until 3.5 the model takes its connection to be
    lost, which fails the record once more (C6).
    """

    sessions: int
    partitions: int
    epochs: int
    tv2: bool
    late: bool = False

    def pair(self, pid: int, epoch: int) -> tuple[int, int]:
        """Producer id and epoch of the model as Kafka's; the highest epoch is Kafka's highest."""
        return FIRST_PID + pid, HIGHEST - self.epochs + epoch


class ClientSide(StillSide):
    """The producers in one state."""

    def __init__(self, setup: ClientSetup) -> None:
        super().__init__()
        self.setup, self.clock = setup, Clock(1_000_000_000)
        self.clients: dict[int, TransactionalClient] = {}
        self.steps = 0
        self.last_record: dict[tuple[int, int], int] = {}
        self.late: set[tuple[int, int]] = set()
        """Producers and partitions with a request for an expired record on the wire, in front of any other."""
        self.expired: dict[int, int] = {}
        """By partition the producer whose request the model has put aside last."""
        self.start(0)

    def start(self, session: int) -> None:
        """A further producer starts."""
        self.clients[session] = TransactionalClient(self.setup.partitions, self.setup.tv2, self.clock)
        self.clients[session].init_transactions()

    # -- steps ---------------------------------------------------------------------------------------------

    def step(self, move: ClientMove) -> None:
        """Execute a move."""
        self.steps += 1
        self.answer_late(self.expired.get(move.late, -1), move.late, "NONE")
        if move.session >= 0 or move.action in ACTIONS:
            ACTIONS.get(move.action, ClientSide.listen)(self, move)

    def client(self, move: ClientMove) -> TransactionalClient:
        """The producer that acts."""
        return self.clients[move.session]

    def send(self, move: ClientMove) -> None:
        """The application sends the record of a partition, which goes out at once, or waits behind a join (T9.1)."""
        partition = move.arguments["partition"]
        if self.last_record.get((move.session, partition)) != self.record_of(move):
            self.append(move)
        self.client(move).drain(partition)

    def record_of(self, move: ClientMove) -> int:
        """The number of a transaction's record for a partition."""
        return move.transaction * self.setup.partitions + move.arguments["partition"]

    def append(self, move: ClientMove) -> None:
        """The record is in the accumulator."""
        partition, record = move.arguments["partition"], self.record_of(move)
        self.last_record[move.session, partition] = record
        self.client(move).send(record, partition)

    def join(self, move: ClientMove) -> None:
        """The application sends the record of a partition, which joins the transaction (T9.1)."""
        self.append(move)
        self.listen(move)

    def refuse(self, move: ClientMove) -> None:
        """The record of a partition joins it, another one is refused at once, and the answer is lost (T9.15)."""
        self.append(move)
        self.client(move).refuse()
        self.client(move).lose(COORDINATOR)

    def expire_unsent(self, move: ClientMove) -> None:
        """The record of a partition waits for it to join, and expires; no request is sent (T9.16)."""
        self.append(move)
        self.client(move).expire_record(self.record_of(move))

    def expire(self, move: ClientMove) -> None:
        """The delivery timeout of a record passes while its request is on the way; its answer may come later."""
        client, partition = self.client(move), move.arguments["partition"]
        self.answer_late(move.session, partition)
        client.expire_record(self.last_record[move.session, partition])
        self.expired[partition] = move.session
        if self.setup.late:
            self.late.add((move.session, partition))
        else:
            client.lose(partition)

    def disconnect(self, move: ClientMove) -> None:
        """A connection is lost with all that is on it."""
        partition = move.arguments["partition"]
        self.late.discard((move.session, partition))
        self.expired[partition] = move.session
        self.client(move).lose(partition)

    def lose_leader(self, move: ClientMove) -> None:
        """The leader of a partition is gone, and so are all connections to it."""
        partition = move.arguments["partition"]
        for session, client in self.clients.items():
            self.late.discard((session, partition))
            if client.frames[partition]:
                client.lose(partition)

    def answer_late(self, session: int, partition: int, code: str = "NOT_ENOUGH_REPLICAS") -> None:
        """The answer to an expired record, if it is still to come; an error changes nothing then (C6)."""
        if (session, partition) in self.late:
            self.late.remove((session, partition))
            self.clients[session].hear(partition, code, self.steps if code == "NONE" else -1)
            self.noted["C4.5 late"] += code == "NONE"

    def listen(self, move: ClientMove) -> None:
        """An answer arrives."""
        heard = move.heard
        if heard is None:
            return
        if heard.partition >= 0:
            self.hear_leader(self.clients[heard.session], heard)
        else:
            self.hear_coordinator(self.clients[heard.session], heard)

    def hear_leader(self, client: TransactionalClient, heard: ReceivedAnswer) -> None:
        """A leader answers; a final error reaches the application as an exception of its own."""
        self.answer_late(heard.session, heard.partition)
        record = self.last_record[heard.session, heard.partition]
        was_open = client.result(record) is None
        client.hear(heard.partition, heard.code, self.steps)
        if was_open and (result := client.result(record)) is not None:
            self.expect(heard.code, result.error or OK)

    def expect(self, code: str, told: str) -> None:
        """An error of a broker reaches the application as the exception of that error."""
        code = OLDER.get(code, code) if code not in known_errors() else code
        expected = (OK,) if code == "NONE" else EXCEPTIONS[code]
        if told not in expected:
            raise BrokenClient(f"after {code} the application is told {told}, not {' or '.join(expected)}")

    def hear_coordinator(self, client: TransactionalClient, heard: ReceivedAnswer) -> None:
        """The coordinator answers; before that the request may meet trouble, and be sent again as it was (T9.5)."""
        asked = client.asked()
        if asked is None:
            raise BrokenClient(f"it has no request to the coordinator, which is to answer {heard.code}")
        trouble = TROUBLES[self.steps % len(TROUBLES)]
        if trouble:
            self.trouble(client, asked, trouble)
        client.told(heard.code, None if heard.pair is None else self.setup.pair(*heard.pair))
        if asked.api == END_TXN and client.last is not None and client.last.ended:
            self.expect(heard.code, client.last.ended)

    def trouble(self, client: TransactionalClient, asked: CoordinatorRequest, trouble: str) -> None:
        """A request meets trouble: it is sent again, and nothing has changed."""
        before = client.state(), client.pair()
        if trouble == LOST:
            client.lose(COORDINATOR)
        else:
            client.told(trouble)
        self.noted[f"T9.5 {trouble}"] += 1
        if client.asked() != asked or (client.state(), client.pair()) != before:
            raise BrokenClient(f"after {trouble} it asks {client.asked()}, and not {asked} again")

    # -- observations --------------------------------------------------------------------------------------

    def observe(self) -> Observation:
        """Every observable."""
        found: Observation = {}
        for session in range(self.setup.sessions):
            client = self.clients.get(session)
            found |= {} if client is None else self.seen_of(session, client)
        return found

    def seen_of(self, session: int, client: TransactionalClient) -> Observation:
        """The observables of one producer."""
        who = f"producer {session}"
        asked = client.asked()
        found: Observation = {
            f"state of {who}": client.state(),
            f"pair of {who}": client.pair(),
            f"request of {who} to the coordinator": "" if asked is None else str(asked),
            f"call of {who}": NO_CALL if client.last is None else client.last.ended or OPEN,
        }
        for partition in range(self.setup.partitions):
            frames = [frame.batch for frame in client.frames[partition]][(session, partition) in self.late :]
            sent = [(b.pid, b.epoch, b.sequence, b.ids[0] // self.setup.partitions) for b in frames if b is not None]
            found[f"request of {who} to the leader of {partition}"] = tuple(sent)
            found[f"next sequence of {who} for {partition}"] = client.next_sequence(partition)
            record = self.last_record.get((session, partition))
            found[f"record of {who} for {partition}"] = NO_RECORD if record is None else self.told(client, record)
        return found

    def told(self, client: TransactionalClient, record: int) -> str:
        """What the application knows of a record."""
        result = client.result(record)
        return OPEN if result is None else FAILED if result.error else OK


ACTIONS: dict[str, Callable[[ClientSide, ClientMove], None]] = {
    "begin": lambda side, move: side.client(move).begin_transaction(),
    "add_partition": ClientSide.join,
    "send": ClientSide.send,
    "send_again": lambda side, move: side.client(move).drain(move.arguments["partition"]),
    "commit": lambda side, move: side.client(move).commit(),
    "abort": lambda side, move: side.client(move).abort(),
    "abort_failed": lambda side, move: side.client(move).abort(),
    "deadline": ClientSide.expire,
    "disconnect": ClientSide.disconnect,
    **dict.fromkeys(LEADER_GONE, ClientSide.lose_leader),
    "lose_join": ClientSide.refuse,
    "wait_in_vain": ClientSide.expire_unsent,
    "delay_end": lambda side, move: side.client(move).lose(COORDINATOR),
    "delay_start": lambda side, move: side.client(move).lose(COORDINATOR),
    "take_over": lambda side, move: side.start(move.arguments["session"]),
}
"""The effect of each action of the model on the producers; other actions only deliver their answer, if there is one."""
