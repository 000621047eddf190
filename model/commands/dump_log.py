"""everystate show --as dump-log: the log at the end of a trace of the Kafka model, as kafka-dump-log.sh prints it."""

from __future__ import annotations

import click

from ...checker.cli.traces import without
from ...checker.language.spec import Spec
from ...checker.results.trace import Trace
from ..kafka import KafkaProducer
from ..log_dump import dump


def shown(trace: Trace, spec: Spec, path: str, broker: int | None, partition: int | None) -> str:
    """The log of a broker, by default of the leader, and of one partition, by default of all."""
    if not isinstance(spec, KafkaProducer):
        raise without(path, "dump-log", f"its spec {type(spec).__name__} is not the Kafka producer model")
    for name, given, number in (("broker", broker, spec.replicas), ("partition", partition, spec.partitions)):
        if given is not None and given >= number:
            raise click.BadParameter(f"the last {name} of the trace is {number - 1}", param_hint=f"--{name}")
    return dump(spec, trace.states[-1], broker, [partition] if partition is not None else list(range(spec.partitions)))
