"""assess --bootstrap-server: which answers of a cluster become which settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.model.commands import cluster_settings

pytest.importorskip("kafka")


class Answers:
    """What brokers 1 and 2 of a cluster answered."""

    def __init__(self, **options: Any) -> None:
        assert options == {"bootstrap_servers": ["a:1", "b:2"], "security_protocol": "SSL"}

    def close(self) -> None:
        """Nothing is open."""

    def describe_topics(self, topics: list[str] | None) -> list[dict[str, Any]]:
        partitions = [{"replica_nodes": [1, 2]}, {"replica_nodes": [1]}]
        names = topics or ["orders", "__consumer_offsets", "audit", "__returns"]
        return [
            {
                "name": name,
                "error_code": 3 if name == "payments" else 0,
                "is_internal": name == "__consumer_offsets",
                "partitions": partitions,
            }
            for name in names
        ]

    def describe_configs(self, resources: list[Any], config_filter: str) -> dict[str, Any]:
        assert config_filter == "all"
        each = [{"producer.id.expiration.ms": {"value": value}, "zone": {"value": "x"}} for value in ("1000", "2000")]
        topic = {"min.insync.replicas": {"value": "2"}, "cleanup.policy": {"value": "delete"}}
        names = [each.name for each in resources[2:]]
        topics = {name: topic | {"flush.messages": {"value": "1"}} if name == "audit" else topic for name in names}
        return {"broker": dict(zip("12", each, strict=True)), "topic": topics}

    def describe_features(self) -> dict[str, Any]:
        return {"transaction.version": {"supported": (0, 2), "finalized": (1, 1)}}

    def get_broker_version_data(self, broker: int) -> Any:
        assert broker == 1
        return type("Data", (), {"broker_version": (4, 3)})


def test_answers_become_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kafka.admin.KafkaAdminClient", Answers)
    found = cluster_settings.ask("a:1,b:2", "orders", {"security.protocol": "SSL"})
    assert found.topics == {
        "orders": {"min.insync.replicas": "2", "cleanup.policy": "delete", "replication.factor": "1"}
    }
    assert found.broker == {"producer.id.expiration.ms": "1000", "transaction.version": "1"}
    assert found.release == "4.3"
    assert found.notes[1:] == ("Brokers differ in producer.id.expiration.ms: 1000, 2000; 1000 is taken.",)
    with pytest.raises(Exception, match="the cluster has no topic payments"):
        cluster_settings.ask("a:1,b:2", "payments", {"security.protocol": "SSL"})


def test_all_topics_are_assessed_and_equal_ones_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kafka.admin.KafkaAdminClient", Answers)
    monkeypatch.chdir(tmp_path)
    Path("admin.properties").write_text("security.protocol=SSL")
    line = "assess --bootstrap-server a:1,b:2 --command-config admin.properties --require no-loss --under refusal -q"
    assert main([*line.split(), "--no-repairs"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [each for each in printed if each.startswith("==")] == ["== __returns, orders ==", "== audit =="]
