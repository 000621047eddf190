"""Patches of Kafka as variants of the model of transactions: each is what the code did before."""

from __future__ import annotations

from dataclasses import replace

from everystate.model.transactions import KafkaTransactions
from everystate.model.transactions.generation import ABOVE, OLD_ID
from everystate.model.transactions.records import BUMPING, FENCED


class Before14884(KafkaTransactions):
    """KAFKA-14884 (3.6): whether the coordinator's word still holds was not asked again at the append (T7.11)."""

    def append(self, partition: int, slot: int) -> str:
        self.request[partition][slot].guard = True
        return super().append(partition, slot)


class Before18464(KafkaTransactions):
    """KAFKA-18464 (4.0): EndTxn compared the epoch before the state, while markers were still being written (T3.4)."""

    def end_of_epoch(self, pid: int, epoch: int, commit: bool) -> str:
        tc = self.coordinator
        if self.preparing() and tc.pid == pid and epoch + 1 != tc.epoch:
            return FENCED
        return super().end_of_epoch(pid, epoch, commit)


class Before17898(KafkaTransactions):
    """KAFKA-17898 (4.0): after a failed record a client of TV2 bumped its epoch by itself, too (T9.3, T9.4)."""

    def give_up(self, session: int, partition: int, expired: bool) -> None:
        super().give_up(session, partition, expired)
        self.producer[session].bump = True

    def go_on(self, session: int) -> None:
        me = self.producer[session]
        wants = me.bump == 1
        super().go_on(session)
        if wants:
            me.status = BUMPING


class Before17898Sent(Before17898):
    """The same with an instance of the action that sends the request."""

    def variables(self) -> None:
        super().variables()
        self.bumping = self.sessions


class Before19999(KafkaTransactions):
    """KAFKA-19999 (4.2): a repeated marker of TV2 was refused (T7.4)."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, marker_epoch=ABOVE)


class Before20090(KafkaTransactions):
    """KAFKA-20090 (4.3): after a timeout at the last epoch, a transaction could not be fenced (T5.6 to T5.9)."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, fences_the_highest=False, exhausted_fence=OLD_ID)


class Before20310(KafkaTransactions):
    """KAFKA-20310 (4.3): the record of a transaction had no previous and no next producer id (T1.11)."""

    def variables(self) -> None:
        super().variables()
        self.rules = replace(self.rules, log_has_ids=False)
