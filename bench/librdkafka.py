"""Does another client duplicate as well? librdkafka behind the frame proxy: python bench/librdkafka.py [SCENARIO ...].

Needs `pip install confluent-kafka`. The client runs by itself, with its threads and its clock; what is steered are the
connections and the broker: answers are held until their batches are written, then they are lost with the connection,
while the broker restarts or goes on. --logs keeps the logs for `everystate audit`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import confluent_kafka
from confluent_kafka.admin import AdminClient, NewTopic

from everystate.model.cluster.node import Node
from everystate.model.cluster.properties import HOST
from everystate.model.cluster.proxy import PRODUCE, Frame, Proxy, Verdict, everything
from everystate.model.cluster.releases import BROKERS
from everystate.model.cluster.servers import Servers
from everystate.model.cluster.waiting import wait
from everystate.model.conformance.jars import provide

TOPIC = "topic"
PATIENCE = 60
FATAL_AT_MOST = 5
PRODUCER = {"enable.idempotence": True, "linger.ms": 0, "batch.num.messages": 1, "message.timeout.ms": 60_000}
QUICKLY = {"reconnect.backoff.ms": 20, "reconnect.backoff.max.ms": 100, "retry.backoff.ms": 50}


def restart(node: Node) -> None:
    """SIGTERM."""
    node.stop()


def crash(node: Node) -> None:
    """SIGKILL."""
    node.kill()


@dataclass(frozen=True)
class Scenario:
    """What happens to the broker while so many answers are lost; `unread`: the requests are lost instead."""

    records: int
    in_flight: int
    broker: Callable[[Node], None] | None = None
    unread: bool = False


SCENARIOS = {
    "clean-restart": Scenario(2, 5, restart),
    "crash-restart": Scenario(2, 5, crash),
    "clean-restart-five": Scenario(5, 5, restart),
    "control-lost-answers": Scenario(5, 5),
    "control-lost-requests": Scenario(5, 5, unread=True),
    "control-one-in-flight": Scenario(1, 1, restart),
    "control-one-in-flight-crash": Scenario(1, 1, crash),
}


class Trial:
    """One run: a broker, a proxy, a producer; `results` are what the application was told of each record."""

    def __init__(self, scenario: Scenario, servers: Servers, proxy: Proxy, words: bool) -> None:
        self.scenario, self.servers, self.proxy = scenario, servers, proxy
        self.node = servers.brokers[0]
        self.server = {"bootstrap.servers": f"{HOST}:{proxy.ports[0]}", **QUICKLY}
        self.told: dict[str, tuple[confluent_kafka.KafkaError | None, confluent_kafka.Message]] = {}
        self.results: dict[str, str] = {}
        admin = AdminClient(self.server)
        for made in admin.create_topics([NewTopic(TOPIC, 1, 1)]).values():
            made.result(PATIENCE)
        self.fatal = ""
        config = {**self.server, **PRODUCER, "max.in.flight": scenario.in_flight, "log_level": 6}
        self.producer = confluent_kafka.Producer({**config, **({"debug": "eos,msg", "log_level": 7} if words else {})})

    def run(self) -> list[tuple[int, str]]:
        """Offsets and values that a consumer reads in the end; the record `warm` is acknowledged before anything."""
        self._send("warm")
        self._flush()
        stopped = self.scenario.unread
        self.proxy.judge_with(lambda frame: Verdict.HOLD if _concerns(frame, not stopped) else Verdict.PASS)
        values = [f"r{number}" for number in range(self.scenario.records)]
        for value in values:
            self._send(value)
            self.producer.poll(0)
        if stopped:
            wait("the client has sent", lambda: self.proxy.held > 0)
        else:
            wait("the broker has written all", lambda: self._end() == 1 + len(values))
        if self.scenario.broker is not None:
            self.scenario.broker(self.node)
        self.proxy.cut()
        self.proxy.judge_with(everything)
        if self.scenario.broker is not None:
            self.node.start()
            self.node.ready()
        self._flush()
        self.results = {value: self.result(value) for value in ["warm", *values]}
        if self.fatal:
            self.results["another record"] = self._try_again()
        return self._read()

    def _send(self, value: str) -> None:
        def told(error: confluent_kafka.KafkaError | None, message: confluent_kafka.Message) -> None:
            self.told[value] = error, message  # no call here: a fatal error may be on its way out of flush

        self.producer.produce(TOPIC, value.encode(), partition=0, on_delivery=told)

    def _try_again(self) -> str:
        """What becomes of a record after a fatal error."""
        try:
            self._send("later")
            self._flush()
        except confluent_kafka.KafkaException as refused:
            return f"is refused: {refused.args[0].name()}"
        return self.result("later")

    def result(self, value: str) -> str:
        """What the application was told of a record."""
        if value not in self.told:
            return f"no result after {PATIENCE} s"
        error, message = self.told[value]
        if error is not None:
            return f"failed: {error.name()}"
        return "acknowledged without an offset" if message.offset() is None else f"at {message.offset()}"

    def _flush(self) -> int:
        """Until every record has a result; a fatal error is raised once, and the results come after it."""
        for _ in range(FATAL_AT_MOST):
            try:
                return self.producer.flush(PATIENCE)
            except (confluent_kafka.KafkaException, SystemError) as raised:
                cause = raised if isinstance(raised, confluent_kafka.KafkaException) else raised.__cause__
                assert isinstance(cause, confluent_kafka.KafkaException), raised
                self.fatal = cause.args[0].str()
        return len(self.producer)

    def _consumer(self) -> confluent_kafka.Consumer:
        return confluent_kafka.Consumer({**self.server, "group.id": "none", "enable.auto.commit": False})

    def _end(self) -> int:
        consumer = self._consumer()
        try:
            _, end = consumer.get_watermark_offsets(confluent_kafka.TopicPartition(TOPIC, 0), timeout=PATIENCE)
            return int(end)
        finally:
            consumer.close()

    def _read(self) -> list[tuple[int, str]]:
        end, found = self._end(), []
        consumer = self._consumer()
        try:
            consumer.assign([confluent_kafka.TopicPartition(TOPIC, 0, 0)])
            while len(found) < end:
                message = consumer.poll(PATIENCE)
                assert message is not None and message.error() is None, "a consumer does not read everything"
                found.append((int(message.offset()), message.value().decode()))
        finally:
            consumer.close()
        return found


def _concerns(frame: Frame, answers: bool) -> bool:
    return frame.api == PRODUCE and frame.is_answer == answers


def verdict(found: list[tuple[int, str]], results: dict[str, str]) -> str:
    """What a consumer sees: copies, gaps, order."""
    values = [value for _, value in found]
    copies = sorted({value for value in values if values.count(value) > 1})
    missing = [value for value in results if value not in values and results[value].startswith(("at", "ack"))]
    first = list(dict.fromkeys(values))
    told = [f"{value} is there {values.count(value)} times" for value in copies]
    told += [f"{value} is missing" for value in missing]
    if first != [value for value in results if value in values]:
        told.append("the order is another")
    return "; ".join(told) or "each record once, in order"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help=", ".join(SCENARIOS))
    parser.add_argument("--plain", action="store_true", help="without idempotence")
    parser.add_argument("--kafka", help="the release of the broker; the newest that is pinned")
    parser.add_argument("--logs", type=Path, help="keep the broker's folder of each scenario here")
    parser.add_argument("--words", type=Path, help="keep what librdkafka says of itself in this file")
    given = parser.parse_args()
    PRODUCER["enable.idempotence"] = not given.plain
    unknown = set(given.scenarios) - set(SCENARIOS)
    if unknown:
        parser.error(f"no scenario {', '.join(sorted(unknown))}; there are {', '.join(SCENARIOS)}")
    kafka, paths = provide(given.kafka, pinned=BROKERS, notify=print)
    print(f"librdkafka {confluent_kafka.libversion()[0]} (confluent-kafka {confluent_kafka.version()})", end=", ")
    print(f"Kafka {kafka.version}")
    words = (given.words or Path(os.devnull)).open("w")
    sys.stderr = os.fdopen(os.dup(2), "w")  # what goes wrong here is no word of librdkafka's
    os.dup2(words.fileno(), 2)
    for name in given.scenarios or SCENARIOS:
        print("----", name, file=words, flush=True)
        with Proxy() as proxy, Servers(paths, advertised=proxy.shown, place=Path(tempfile.gettempdir())) as servers:
            servers.start()
            trial = Trial(SCENARIOS[name], servers, proxy, given.words is not None)
            found = trial.run()
            print(f"{name}: {verdict(found, trial.results)}")
            print("  log:", ", ".join(f"{offset} {value}" for offset, value in found))
            print("  told:", ", ".join(f"{value} {result}" for value, result in trial.results.items()), flush=True)
            if trial.fatal:
                print("  fatal:", trial.fatal, flush=True)
            if given.logs:
                servers.brokers[0].stop()
                shutil.copytree(servers.brokers[0].data / f"{TOPIC}-0", given.logs / name / f"{TOPIC}-0")


if __name__ == "__main__":
    main()
