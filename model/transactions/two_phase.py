"""Two-phase commit with a database (KIP-939): whether both decide the same when the application crashes.

A transaction of Kafka and one of a database are to end alike. The application prepares, the database commits together
with the id and epoch that it is given, then Kafka is asked to commit. Rules: T2.5, T4.5, T5.2, T2.10, T9.18.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from everystate.checker import (
    Array,
    Bool,
    Constant,
    Enum,
    Int,
    Spec,
    action,
    assumption,
    eventually,
    fair,
    initial,
    invariant,
    narrate,
    require,
)

NONE = -1


@dataclass(frozen=True)
class TwoPhase:
    """What clients and coordinators do."""

    name: str
    versions: str
    times_out: bool = False  # T5.2
    keeps: bool = False  # T2.10: InitProducerId keeps the prepared transaction
    bumps_once: bool = False  # a reading: its end does not bump an epoch that InitProducerId has bumped already


ORDINARY = TwoPhase("without", "until 4.0, and later without transaction.two.phase.commit.enable", times_out=True)
ENABLED = TwoPhase("4.1", "4.1 to 4.4, transaction.two.phase.commit.enable=true")
KIP_939 = TwoPhase("kip-939", "in no release up to 4.4", keeps=True)
ONE_BUMP = replace(KIP_939, name="kip-939-one-bump", versions="none: a mistake that its review names", bumps_once=True)
PHASES = {p.name: p for p in (ORDINARY, ENABLED, KIP_939, ONE_BUMP)}

STARTING, READY, WRITING, PREPARED, ENDING = "starts", "is ready", "writes", "has prepared", "has asked for the end"
OPEN, COMMITTED, ABORTED = "open", "committed", "aborted"


class DualWrite(Spec):
    """An application that writes to Kafka and to a database in one distributed transaction."""

    generation = Constant("4.1", "what clients and coordinators do")
    transactions = Constant(2, "distributed transactions, one after the other")
    crashes = Constant(1, "crashes of the application, which starts again")
    delays = Constant(0, "EndTxn requests whose first copy is delayed")

    may_terminate = True

    @assumption
    def generation_is_known(self) -> bool:
        """what clients and coordinators do is one of everystate.model.transactions.two_phase"""
        return self.generation in PHASES

    def variables(self) -> None:
        self.rules: TwoPhase = PHASES[self.generation]
        self.all = range(self.transactions)
        epoch = Int(NONE, 2 * self.transactions + 2 * self.crashes + 2)
        self.status = Enum(STARTING, READY, WRITING, PREPARED, ENDING)
        self.number = Int(0, self.transactions)
        self.kafka = Array(self.transactions, Enum("none", OPEN, COMMITTED, ABORTED))
        self.database = Array(self.transactions, Enum("none", COMMITTED, ABORTED))
        self.database_epoch = epoch
        self.epoch = epoch
        self.open_epoch = epoch
        self.client_epoch = epoch
        self.prepared_epoch = epoch
        self.delayed_epoch = epoch
        self.delayed_commits = Bool()
        self.crashes_left = Int(0, self.crashes, init=self.crashes)
        self.delays_left = Int(0, self.delays, init=self.delays)

    @initial
    def nothing_is_begun(self) -> None:
        """The coordinator has no transaction, the database no id."""
        self.epoch = 0
        self.database_epoch = self.open_epoch = self.client_epoch = self.prepared_epoch = self.delayed_epoch = NONE

    def close(self, outcome: str) -> None:
        """The open transaction ends, and the epoch is raised (T4.5)."""
        for n in self.all:
            if self.kafka[n] == OPEN:
                self.kafka[n] = outcome
        kept = self.open_epoch != self.epoch
        if not (self.rules.bumps_once and kept):
            self.epoch += 1
        self.open_epoch = NONE
        narrate(f"the transaction is {outcome}", at="coordinator")

    # -- the application -----------------------------------------------------------------------------------

    @fair
    @action
    def initialize(self) -> None:
        """T2.5, T2.10: InitProducerId aborts the open transaction, or keeps it with a new epoch for its producer."""
        require(self.status == STARTING)
        kept = self.rules.keeps and self.open_epoch != NONE
        if self.open_epoch != NONE and not kept:
            self.close(ABORTED)
        else:
            self.epoch += 1
        self.client_epoch = self.epoch
        self.prepared_epoch = self.open_epoch
        self.status = PREPARED if kept else READY
        if not kept:
            self.count()

    def count(self) -> None:
        """What has ended is behind the application."""
        done = 0
        for n in self.all:
            done = n + 1 if self.kafka[n] == COMMITTED or self.kafka[n] == ABORTED else done
        self.number = done

    @fair
    @action
    def begin(self) -> None:
        """The first record opens the transaction at the coordinator."""
        require(self.status == READY and self.number < self.transactions and self.client_epoch == self.epoch)
        for n in self.all:
            if n == self.number:
                self.kafka[n] = OPEN
        self.open_epoch, self.status = self.epoch, WRITING

    @fair
    @action
    def prepare(self) -> None:
        """T9.18: all is flushed; id and epoch are given to the application."""
        require(self.status == WRITING)
        self.prepared_epoch, self.status = self.client_epoch, PREPARED

    @fair
    @action(commits=(True, False))
    def decide(self, commits: bool) -> None:
        """The database commits with the epoch that it is given, or rolls back."""
        require(self.status == PREPARED)
        for n in self.all:
            if n == self.number:
                require(self.database[n] == "none")
                self.database[n] = COMMITTED if commits else ABORTED
        if commits:
            self.database_epoch = self.prepared_epoch
        narrate("commits" if commits else "rolls back", at="database")

    @fair
    @action(late=lambda w: (False, True) if w.delays else (False,))
    def end(self, late: bool) -> None:
        """T9.18: completeTransaction commits if the database has this transaction's epoch, else aborts."""
        require(self.status == PREPARED and (not late or self.delays_left > 0))
        for n in self.all:
            if n == self.number:
                require(self.database[n] != "none")
        self.status = ENDING
        if late:
            self.delays_left -= 1
            self.delayed_epoch, self.delayed_commits = self.client_epoch, self.database_epoch == self.prepared_epoch
            narrate("the request is delayed", at="network")

    def ask(self, epoch: int, commits: bool) -> None:
        """T4.2: EndTxn of the epoch that the coordinator has, if a transaction is open."""
        if epoch == self.epoch and self.open_epoch != NONE:
            self.close(COMMITTED if commits else ABORTED)

    @fair
    @action
    def hear(self) -> None:
        """EndTxn is sent, again if need be, and answered; an application that is fenced starts again."""
        require(self.status == ENDING)
        ended = self.client_epoch == self.epoch or self.open_epoch == NONE
        self.ask(self.client_epoch, self.database_epoch == self.prepared_epoch)
        self.client_epoch, self.status = self.epoch, READY if ended else STARTING
        self.count()

    @action(once=lambda w: (0,) if w.delays else ())
    def arrive_late(self, once: int) -> None:
        """A delayed EndTxn arrives."""
        require(self.delayed_epoch != NONE)
        self.ask(self.delayed_epoch, self.delayed_commits)
        self.delayed_epoch = NONE

    # -- what goes wrong -----------------------------------------------------------------------------------

    @action(once=lambda w: (0,) if w.crashes else ())
    def crash(self, once: int) -> None:
        """The application crashes; the database rolls back what is not decided."""
        require(self.crashes_left > 0 and self.status != STARTING)
        self.crashes_left -= 1
        for n in self.all:
            if n == self.number and self.kafka[n] != "none" and self.database[n] == "none":
                self.database[n] = ABORTED
        self.status = STARTING

    @action(once=lambda w: (0,) if w.rules.times_out else ())
    def time_out(self, once: int) -> None:
        """T5.2: the coordinator aborts the open transaction."""
        require(self.open_epoch != NONE)
        self.close(ABORTED)

    # -- promises ------------------------------------------------------------------------------------------

    @invariant
    def BothDecideTheSame(self) -> bool:
        """what the database has committed is not aborted in Kafka, and nothing else is committed there"""
        return not any(
            (self.database[n] == COMMITTED and self.kafka[n] == ABORTED)
            or (self.database[n] != COMMITTED and self.kafka[n] == COMMITTED)
            for n in self.all
        )

    @eventually
    def every_transaction_ends(self) -> bool:
        """every transaction is committed or aborted"""
        return all(kafka in (COMMITTED, ABORTED) for kafka in self.kafka)
