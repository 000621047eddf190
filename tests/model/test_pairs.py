"""The search over pairs of failures: which cells are new, and that each reason names what the models have."""

from __future__ import annotations

import json
from pathlib import Path

from pytest import CaptureFixture, MonkeyPatch

from bench import pairs
from bench.pairs import ALL, Table, again, keep_all, kept, new_cells, of_release, reasons, same, settings_of, steps
from bench.same_models import Noting, equals, noted
from everystate.checker.api.fingerprint import dump
from everystate.checker.engines.explicit.exhaustive import check
from everystate.checker.frontend.model import build
from everystate.checker.results.text import render
from everystate.model import GENERATIONS, KafkaProducer, variables
from everystate.model.assess import Check, scope_of
from everystate.model.assess.assessment import BROKEN, KEPT, Cell


def test_reasons_name_properties_and_faults() -> None:
    known = {
        name: {promise.property for promise in scope_of(settings_of(configuration, same(4, 4, 0))).promises.values()}
        for name, configuration in (("producer", "defaults"), ("transactions", "transactions"))
    }
    for model, broken, faults in reasons():
        assert broken in known[model] and set(faults) <= ALL


def test_a_cell_is_new_where_each_failure_alone_keeps_the_promise() -> None:
    table = Table("defaults", "4.4", settings_of("defaults", same(4, 4, 0)), [], {})
    alone = [("refusal", KEPT), ("rejection", BROKEN), ("retention", KEPT)]
    two = [("refusal+rejection", BROKEN), ("refusal+retention", BROKEN), ("retention+refusal", KEPT)]
    cells = tuple(Cell("no-duplicate", failure, status) for failure, status in alone + two)
    assert [new.cell.failure for new in new_cells(table, cells)] == ["refusal+retention"]


def test_the_steps_of_a_counterexample_have_the_kinds_of_their_faults() -> None:
    spec = KafkaProducer(batches=2, replicas=1, clean_restarts=1, deadlines=1, faults=2)
    [trace] = [v.trace for v in check(build(spec)).violations if v.trace and v.property == "NoFalseFailure"]
    found = list(steps(render(trace)))
    assert [step for step in found if "[" in step] == [
        "restart_cleanly(broker=0) [clean_restarts]",
        "delivery_timeout(batch=0) [deadlines]",
    ]
    assert len(found) == 9


def test_an_early_release_asks_for_producer_ids() -> None:
    """and its brokers are as old as its client"""
    newer = {"generation": "kip-360", "broker_generation": "kafka-12152", "max_in_flight": 3}
    found = of_release(Check(newer), same(2, 5, early="kip-98"))
    assert found.constants == {"generation": "kip-98", "max_in_flight": 1, "pids": 3}
    plain = of_release(Check({"generation": "non-idempotent"}), same(2, 5, early="2.4"))
    assert plain.constants == {"generation": "non-idempotent", "broker_generation": "2.4"}


def test_protocol_versions_with_the_same_model_share_a_result(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    """retention_drops_state is all that differs between 2.4 and 2.3, and asked of retentions only"""

    def at(version: str, **faults: int) -> Check:
        constants = {"generation": version, "batches": 2, "replicas": 1, "pids": 3, **faults, "faults": 1}
        return Check(constants, {}, "everystate.model:KafkaProducer")

    wanted = [at("kafka-8484", refusals=1), at("kafka-8484", retentions=1), at("kafka-8484", disconnects=1)]
    made = [at("2.4", refusals=1), at("2.4", retentions=1), at("kip-360", disconnects=1)]
    monkeypatch.setattr(variables, "GENERATIONS", GENERATIONS)
    noting = Noting(tmp_path / "asked.jsonl")
    models = {check.command: list(dump(build(noting(check.target, check.constants)))) for check in (*made, *wanted)}
    noting.end()
    asked = noted(noting.path)
    assert list(equals(wanted, made, asked)) == [(wanted[0], made[0])]
    assert models[wanted[0].command] == models[made[0].command]
    assert models[wanted[1].command] != models[made[1].command]
    assert {field for side, field in asked[made[1].command] if side == "server"} >= {"retention_drops_state"}


def test_kept_results_are_compared_with_checks_that_are_made_again(
    tmp_path: Path, monkeypatch: MonkeyPatch, capsys: CaptureFixture[str]
) -> None:
    check = Check({"batches": 2, "replicas": 1, "clean_restarts": 1, "faults": 1}, {}, "everystate.model:KafkaProducer")
    table = Table("small", "4.4", settings_of("defaults", same(4, 4, 0)), [], {check.command: check})
    monkeypatch.setattr(pairs, "KEPT", tmp_path / "pairs.jsonl.gz")
    monkeypatch.setattr(pairs, "tables", lambda configurations, names: [table])
    pairs.archive.cache_clear()
    results, nothing = tmp_path / "results.jsonl", tmp_path / "none.jsonl"
    line = {"command": check.command, "result": {"violated": {"NoGap": 5}, "traces": {}}}
    results.write_text(f"{json.dumps(line)}\n{json.dumps(line | {'command': 'of no table'})}\n")
    keep_all(results)
    pairs.archive.cache_clear()
    assert {command: result.violated for command, result in kept(nothing).items()} == {check.command: {"NoGap": 5}}
    assert again([table], nothing, 9, 1) == 1
    assert "was {'NoGap': 5}\n  is {'NoDuplicate': 11}\n1 checks made again, 1 differ" in capsys.readouterr().out
    results.write_text(json.dumps(line | {"result": {"violated": {"NoDuplicate": 11}, "traces": {}}}) + "\n")
    assert again([table], results, 9, 1) == 0
    pairs.archive.cache_clear()


def test_brokers_differ_in_nothing_for_a_client_without_producer_ids(tmp_path: Path, monkeypatch: MonkeyPatch) -> None:
    faults = {"retentions": 1, "clean_restarts": 1, "disconnects": 1, "faults": 2}

    def at(broker: str) -> Check:
        constants = {"generation": "non-idempotent", "broker_generation": broker, "batches": 2, "replicas": 1, **faults}
        return Check(constants, {}, "everystate.model:KafkaProducer")

    made, *wanted = [at(version) for version in ("current", "2.4", "kafka-8484", "1.0.0", "kip-98")]
    monkeypatch.setattr(variables, "GENERATIONS", GENERATIONS)
    noting = Noting(tmp_path / "asked.jsonl")
    found = [check(build(noting(each.target, each.constants))) for each in (made, *wanted)]
    noting.end()
    assert list(equals(wanted, [made], noted(noting.path))) == [(each, made) for each in wanted]
    lengths = [[(violation.property, violation.length) for violation in report.violations] for report in found]
    assert lengths == [[("NoDuplicate", 5), ("NoGap", 6), ("InOrder", 7)]] * 5
