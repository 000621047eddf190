"""The state as the tables that a Kafka engineer would draw; for readers only, never compiled."""

from __future__ import annotations

from typing import Any

from everystate.checker import display

from .properties import Properties
from .records import APPENDED, QUEUED, RETRYING, SENT, UNREAD, Entry

Row = dict[str, Any]
DELETED = "deleted"


class Tables(Properties):
    """The producer, both directions of each connection, and of each broker the log and what it remembers."""

    @display
    def tables(self) -> dict[str, Any]:
        """Groups of tables, one for each actor and connection."""
        found: dict[str, Any] = {"producer": {"": self.producer_row(), "batches": self.batch_rows()}}
        for broker in self.used_brokers:
            found[f"connection to {self.node(broker)}"] = self.connection_tables(broker)
        if self.survivors:
            rows = [self.request_row(request) for request in self.surviving]
            found["requests of a closed connection"] = {"still executed": rows}
        for broker in range(self.replicas):
            found[self.node(broker)] = self.broker_tables(broker)
        found["faults"] = {"": [{"left": self.faults_left}]}
        return found

    # -- the producer --------------------------------------------------------------------------------------

    def producer_row(self) -> list[Row]:
        """What Sender and TransactionManager know, a row for each partition."""
        if not self.client.idempotent:
            return [{"leader": self.node(self.client_leader)}]
        return [
            {
                **({"partition": p} if self.partitions > 1 else {}),
                "producer id": self.number_text(self.pid),
                "epoch": self.epoch,
                "next seq": entry.next_sequence,
                "last acked": self.number_text(entry.last_acked),
                "bump": "requested" if self.must_bump(p) else "",
                "leader": self.node(self.client_leader),
            }
            for p, entry in enumerate(self.partition)
        ]

    def batch_rows(self) -> list[Row]:
        """Every batch; the sequence of one that is in flight or waits for its retry."""
        return [self.batch_row(b) for b in self.sending]

    def batch_row(self, batch: int) -> Row:
        """One ProducerBatch."""
        state = self.batch[batch]
        live = self.client.idempotent and state.status in (RETRYING, SENT)
        row: Row = {"batch": f"b{batch}", "state": state.status}
        if self.client.idempotent:
            entry = self.partition[self.partition_of(batch)]
            row["epoch"] = (entry.epoch if self.client.bumps else state.epoch) if live else ""
            row["seq"] = state.sequence if live else ""
        row["retries"] = state.attempts if state.status != QUEUED and state.attempts else ""
        return row

    # -- connections ---------------------------------------------------------------------------------------

    def connection_tables(self, broker: int) -> dict[str, list[Row]]:
        """Both directions: requests that the broker has not read, answers that the producer has not read."""
        link = self.connection[broker]
        batches = list(link.requests)
        waiting = [self.request_row(self.stamped(b)) for b in batches[link.handled :]]
        answers = [self.answer_row(b) for b in batches[: link.handled]]
        return {"requests \u2192": waiting, "\u2190 answers": answers}

    def request_row(self, request: Any) -> Row:
        """A produce request, as it was stamped."""
        return {"batch": f"b{request.batch}", **self.identity(request)}

    def answer_row(self, batch: int) -> Row:
        """An answer: its error code, and the offset of a success."""
        state = self.batch[batch]
        appended = state.outcome == APPENDED and state.position < self.log_capacity
        return {
            "batch": f"b{batch}",
            "answer": "ok" if state.outcome == APPENDED else state.outcome if state.outcome != UNREAD else "",
            "offset": state.position if appended else "",
        }

    # -- brokers -------------------------------------------------------------------------------------------

    def broker_tables(self, broker: int) -> dict[str, list[Row]]:
        """The log of a replica and its ProducerStateEntry cache, of every partition."""
        role = "leader" if self.leader == broker else "follower"
        if role == "follower" and self.in_sync[broker] == 0:
            role = "follower, out of sync"
        tables: dict[str, list[Row]] = {"": [{"role": role}]}
        for p in range(self.partitions):
            name = self.of(p)
            log = self.own_log(broker, p)
            tables[f"log{name}"] = [self.log_row(broker, p, at, entry) for at, entry in enumerate(log)]
            if self.client.idempotent and self.may_be_asked(broker):
                tables[f"remembers{name}"] = self.memory_rows(broker, p)
        return tables

    def log_row(self, broker: int, partition: int, at: int, entry: Entry) -> Row:
        """One batch in the log."""
        row: Row = {"offset": at, "record": self.record_name(entry, at), **self.identity(entry)}
        if self.retentions:
            row["retention"] = DELETED if at < self.log_start(broker, partition) else ""
        return row

    def record_name(self, entry: Entry, at: int) -> str:
        """The record of an entry: ours by number, those of the warm start and of others in words."""
        if entry.batch < self.foreign:
            return f"b{entry.batch}"
        return "before" if at < self.warm else "of another"

    def memory_rows(self, broker: int, partition: int) -> list[Row]:
        """The remembered batches, oldest first, of every producer id."""
        entries = self.own_log(broker, partition)
        places = [at for pid in range(self.pids) for at in self.remembered(broker, partition, pid)]
        return [{"offset": at, **self.identity(entries[at])} for at in sorted(places)]

    # -- words ---------------------------------------------------------------------------------------------

    def identity(self, found: Any) -> Row:
        """Producer id, epoch and sequence of a request or of a log entry."""
        if not self.client.idempotent:
            return {}
        return {"pid": self.number_text(found.pid), "epoch": found.epoch, "seq": found.sequence}

    def number_text(self, number: int) -> Any:
        """A number, or nothing where it stands for none."""
        return number if number >= 0 else "none"
