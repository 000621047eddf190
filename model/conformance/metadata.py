"""What the producer learns of leaders, as its metadata takes it in each release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .classes import has, java, kafka
from .codec import NO_ERROR, TOPIC, error_of
from .signatures import construct


def learn(metadata: Any, leaders: Mapping[Any, int], nodes: Sequence[Any], topic_id: Any, epoch: int, now: int) -> None:
    """New metadata of one topic: by partition its leader. Every node is a replica, and in sync."""
    if not has("Metadata", "updateWithCurrentRequestVersion"):  # before 2.5
        return metadata.update(*_old_news(leaders, nodes, epoch), now)
    return metadata.updateWithCurrentRequestVersion(_response(leaders, nodes, topic_id, epoch), False, now)


def _old_news(leaders: Mapping[Any, int], nodes: Sequence[Any], epoch: int) -> tuple[Any, ...]:
    if has("MetadataResponse", "data"):  # from 2.3
        return (_response(leaders, nodes, None, epoch),)
    if _takes_responses():
        return (_old_response(leaders, nodes, epoch),)
    return _cluster(leaders, nodes), java("java.util.HashSet")()


def _takes_responses() -> bool:
    """Whether metadata takes an answer, as from 2.2 on, and not a cluster."""
    updates = [each for each in kafka("Metadata").class_.getMethods() if str(each.getName()) == "update"]
    return any("MetadataResponse" in str(each) for each in updates)


def _response(leaders: Mapping[Any, int], nodes: Sequence[Any], topic_id: Any, epoch: int) -> Any:
    import jpype

    lists, data = java("java.util.Arrays"), kafka("MetadataResponseData")()
    ids = [jpype.JObject(node.id(), jpype.JInt) for node in nodes]
    for node in nodes:
        broker = kafka("MetadataResponseData$MetadataResponseBroker")()
        data.brokers().add(broker.setNodeId(node.id()).setHost("localhost").setPort(9092))
    [name] = {partition.topic() for partition in leaders}
    topic = kafka("MetadataResponseData$MetadataResponseTopic")().setName(name)
    if hasattr(topic, "setTopicId"):
        topic.setTopicId(topic_id)
    for partition, leader in leaders.items():
        found = kafka("MetadataResponseData$MetadataResponsePartition")().setPartitionIndex(partition.partition())
        found.setLeaderId(leader).setLeaderEpoch(epoch)
        found.setReplicaNodes(lists.asList(ids)).setIsrNodes(lists.asList(ids))
        topic.partitions().add(found)
    data.topics().add(topic)
    return construct("MetadataResponse", message=data, api_version=kafka("ApiKeys").METADATA.latestVersion())


def _old_response(leaders: Mapping[Any, int], nodes: Sequence[Any], epoch: int) -> Any:
    """An answer as in 2.2."""
    lists, none, found = java("java.util.ArrayList"), error_of(NO_ERROR), java("java.util.ArrayList")()
    every, term = lists(list(nodes)), java("java.util.Optional").of(java("java.lang.Integer").valueOf(epoch))
    for partition, leader in leaders.items():
        node, number = nodes[leader], partition.partition()
        found.add(kafka("MetadataResponse$PartitionMetadata")(none, number, node, term, every, every, lists()))
    topics = lists([kafka("MetadataResponse$TopicMetadata")(none, TOPIC, False, found)])
    return construct("MetadataResponse", brokers=every, topic_data=topics)


def _cluster(leaders: Mapping[Any, int], nodes: Sequence[Any]) -> Any:
    """A cluster, up to 2.1."""
    import jpype

    every, found = jpype.JArray(kafka("Node"))(list(nodes)), java("java.util.ArrayList")()
    for partition, leader in leaders.items():
        found.add(kafka("PartitionInfo")(partition.topic(), partition.partition(), nodes[leader], every, every))
    empty = java("java.util.Collections").emptySet()
    return kafka("Cluster")("cluster", java("java.util.ArrayList")(list(nodes)), found, empty, empty)
