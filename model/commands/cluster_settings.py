"""The settings of topics and their brokers, read from a running cluster with the Admin client of kafka-python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import click

from ...checker.extras import require
from ..assess.settings import BROKER, TOPIC

FEATURE = "transaction.version"


@dataclass(frozen=True)
class Cluster:
    """The settings of topics and brokers, the release that the brokers speak, and what a user has to know."""

    topics: dict[str, dict[str, str]]
    broker: dict[str, str]
    release: str
    notes: tuple[str, ...]


def ask(server: str, topic: str | None, options: dict[str, str]) -> Cluster:
    """Ask a cluster of a topic, or of all that are not internal.

    `options` are those of kafka-python, with dots: security.protocol, sasl.plain.username, ...
    """
    require("--bootstrap-server", "kafka")
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError

    given = {name.replace(".", "_"): value for name, value in options.items()}
    try:
        with closing(KafkaAdminClient(bootstrap_servers=server.split(","), **given)) as client:
            return _asked(client, topic)
    except (KafkaError, OSError, ValueError, AssertionError) as error:
        raise click.UsageError(f"{server} cannot be asked: {error}") from None


def _asked(client: Any, topic: str | None) -> Cluster:
    from kafka.admin import ConfigResource, ConfigResourceType

    found = _topics(client, topic)
    partitions = [partition for each in found.values() for partition in each]
    brokers = sorted({str(node) for partition in partitions for node in partition["replica_nodes"]}, key=int)
    asked = [ConfigResource(ConfigResourceType.BROKER, broker) for broker in brokers]
    asked += [ConfigResource(ConfigResourceType.TOPIC, name) for name in found]
    configs = client.describe_configs(asked, config_filter="all")
    own = {}
    for name, parts in found.items():
        factor = min(len(partition["replica_nodes"]) for partition in parts)
        own[name] = _values(configs["topic"][name], list(TOPIC)) | {"replication.factor": str(factor)}
    each = [_values(configs["broker"][broker], list(BROKER)) for broker in brokers]
    finalized = client.describe_features().get(FEATURE, {}).get("finalized") or (0, 0)
    release = ".".join(map(str, client.get_broker_version_data(int(brokers[0])).broker_version[:2]))
    notes = [f"The brokers answer as {release} does; they may be newer (--kafka).", *_differences(each)]
    return Cluster(own, each[0] | {FEATURE: str(finalized[1])}, release, tuple(notes))


def _topics(client: Any, topic: str | None) -> dict[str, list[dict[str, Any]]]:
    """The partitions of a topic, or of all that Kafka does not call internal; none is left out without a word."""
    found = client.describe_topics([topic] if topic else None)
    for each in found:
        if each["error_code"] and topic:
            raise click.UsageError(f"the cluster has no topic {topic} (error {each['error_code']})")
        if each["error_code"] or not each["partitions"]:
            raise click.UsageError(f"the topic {each['name']} cannot be read (error {each['error_code']})")
    own = {each["name"]: each["partitions"] for each in found if topic or not each["is_internal"]}
    if not own:
        raise click.UsageError("the cluster has no topics but internal ones")
    return dict(sorted(own.items()))


def _values(config: dict[str, dict[str, Any]], names: list[str]) -> dict[str, str]:
    return {name: str(config[name]["value"]) for name in names if name in config}


def _differences(brokers: list[dict[str, str]]) -> Iterator[str]:
    """Settings in which brokers differ; the first broker is taken."""
    for name, value in brokers[0].items():
        values = dict.fromkeys(broker.get(name, "") for broker in brokers)
        if len(values) > 1:
            yield f"Brokers differ in {name}: {', '.join(values)}; {value} is taken."
