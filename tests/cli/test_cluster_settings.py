"""assess --bootstrap-server: which answers of a cluster become which settings."""

from __future__ import annotations

from typing import Any

import pytest

from everystate.model.commands import cluster_settings

pytest.importorskip("kafka")


class Answers:
    """What brokers 1 and 2 of a cluster answered."""

    def __init__(self, **options: Any) -> None:
        assert options == {"bootstrap_servers": ["a:1", "b:2"], "security_protocol": "SSL"}

    def close(self) -> None:
        """Nothing is open."""

    def describe_topics(self, topics: list[str]) -> list[dict[str, Any]]:
        partitions = [{"replica_nodes": [1, 2]}, {"replica_nodes": [1]}]
        return [{"error_code": 0 if topics == ["orders"] else 3, "partitions": partitions}]

    def describe_configs(self, resources: list[Any], config_filter: str) -> dict[str, Any]:
        assert (len(resources), config_filter) == (3, "all")
        each = [{"producer.id.expiration.ms": {"value": value}, "zone": {"value": "x"}} for value in ("1000", "2000")]
        topic = {"min.insync.replicas": {"value": "2"}, "cleanup.policy": {"value": "delete"}}
        return {"broker": dict(zip("12", each, strict=True)), "topic": {"orders": topic}}

    def describe_features(self) -> dict[str, Any]:
        return {"transaction.version": {"supported": (0, 2), "finalized": (1, 1)}}

    def get_broker_version_data(self, broker: int) -> Any:
        assert broker == 1
        return type("Data", (), {"broker_version": (4, 3)})


def test_answers_become_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka.admin.KafkaAdminClient", Answers)
    found = cluster_settings.ask("a:1,b:2", "orders", {"security.protocol": "SSL"})
    assert found.topic == {"min.insync.replicas": "2", "cleanup.policy": "delete", "replication.factor": "1"}
    assert found.broker == {"producer.id.expiration.ms": "1000", "transaction.version": "1"}
    assert found.release == "4.3"
    assert found.notes[1:] == ("Brokers differ in producer.id.expiration.ms: 1000, 2000; 1000 is taken.",)
    with pytest.raises(Exception, match="the cluster has no topic payments"):
        cluster_settings.ask("a:1,b:2", "payments", {"security.protocol": "SSL"})
