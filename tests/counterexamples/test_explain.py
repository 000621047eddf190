"""Explanations, the state graph, and the commands that show them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from everystate import check
from everystate.checker.cli.main import main
from everystate.checker.results.itf import dump
from everystate.counterexamples import report
from everystate.counterexamples.explain import Explanation, explain, sections
from everystate.counterexamples.graph import (
    GraphLimits,
    as_dot,
    as_graphml,
    as_json,
    bottlenecks,
    components,
    dead_ends,
    state_graph,
    summary_lines,
)
from everystate.counterexamples.sections import Section, lines

from .sample_traces import trace, traces
from .turning import Down, Low, Tight

UNSAFE = "idem-producer/unsafe"


@pytest.fixture(scope="module")
def explained() -> Explanation:
    spec, found = traces(UNSAFE)
    return explain(spec, found[0])


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "trace.itf.json"
    path.write_text(dump(trace(UNSAFE)), "utf-8")
    return str(path)


def test_the_violation_needs_a_lost_connection_and_a_bump(explained: Explanation) -> None:
    assert explained.needed == ("resets", "bumps")
    assert explained.not_needed == explained.undecided == ()


def test_a_page_and_the_text_have_the_same_sections(explained: Explanation) -> None:
    told = sections(explained, {"resets": "connection losses"})
    assert told[1] == Section(
        "Required for the violation (with 0 the property holds)",
        (("resets", "= 1", "connection losses"), ("bumps", "= 1", "")),
    )
    assert "  resets  = 1  connection losses" in list(lines(told))
    page = report(explained.trace, why=told)
    assert '<tr><th scope="row">resets</th><td>= 1</td><td>connection losses</td></tr>' in page


def test_one_less_in_flight_or_one_more_remembered_is_safe(explained: Explanation) -> None:
    safe = {(change.name, change.new) for change in explained.nearest}
    assert {("max_in_flight", 5), ("window", 6)} <= safe
    assert ("max_in_flight", 7) not in safe and ("window", 4) not in safe


@pytest.mark.thorough
def test_a_run_that_meets_the_limit_decides_nothing() -> None:
    spec, found = traces(UNSAFE)
    small = explain(spec, found[0], max_states=20)
    assert set(small.undecided) == {"resets", "bumps"} and small.needed == ()
    told = list(lines(sections(replace(small, open=small.open[:2]), {})))
    assert told[-2:] == [
        "No change of one constant by 1 or 2 is known to be safe",
        "  not decided within the limit on states: batches = 5, batches = 7",
    ]
    assert len(small.open) == 22 and small.refused == ()


def test_what_the_spec_refuses_is_not_called_unsafe() -> None:
    spec = Tight()
    trace = check(spec, cache=False).violations[0].trace
    assert trace is not None
    why = explain(spec, trace)
    assert list(lines(sections(why, {})))[-2:] == [
        "No change of one constant by 1 or 2 is known to be safe",
        "  no setting of the spec: top = 3, limit = 2, top = 0, top = 4, limit = 1, limit = 5",
    ]


def test_the_graph_of_a_small_space_is_the_space() -> None:
    pytest.importorskip("networkx")
    spec, _ = traces("die-hard")
    graph = state_graph(spec)
    assert (graph.number_of_nodes(), graph.graph["complete"]) == (16, True)
    assert dead_ends(graph) == [] and len(components(graph)[0]) == 16
    assert len(json.loads(as_json(graph))["nodes"]) == 16
    assert as_graphml(graph).count("<node ") == 16


def test_violating_states_and_steps_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("networkx")
    pytest.importorskip("graphviz")
    graph = state_graph(traces("die-hard")[0])
    wrong = [node for node, names in graph.nodes(data="violates") if names]
    assert [graph.nodes[node]["violates"] for node in wrong] == ["goal_not_reached"] * 2
    assert all("big = 4" in graph.nodes[node]["text"] for node in wrong)
    assert as_dot(graph).count("#fdebea") == as_dot(graph).count("violates goal_not_reached") == 2
    assert main(["graph", "die-hard"]) == 0
    assert f"goal_not_reached is violated in 2 states: {wrong[0]}, {wrong[1]}\n" in capsys.readouterr().out

    graph = state_graph(Down())
    assert list(graph.edges(data="violates")) == [(0, 1, ""), (1, 2, ""), (2, 0, "grows")]
    assert [names for _, names in graph.nodes(data="violates")] == ["", "", ""]
    assert as_dot(graph).count("#c8372d") == 1 and "violates grows" in as_dot(graph)


def test_no_step_is_drawn_from_outside_a_constraint() -> None:
    """as none is searched; the state in which it is false is no dead end"""
    pytest.importorskip("networkx")
    graph = state_graph(Low())
    assert list(graph.edges()) == [(0, 1)] and dead_ends(graph) == [] and graph.graph["complete"]
    assert next(summary_lines(graph)) == "2 states, 1 step: the whole space inside the constraint low"


@pytest.mark.thorough
def test_dead_ends_and_bottlenecks() -> None:
    pytest.importorskip("networkx")
    graph = state_graph(traces(UNSAFE)[0])
    assert graph.number_of_nodes() == 3031 and graph.number_of_edges() == 6118 - 1
    assert all(not list(graph.successors(node)) for node in dead_ends(graph))
    assert bottlenecks(graph)[0] == (1, 3029)


def test_a_limit_makes_the_graph_a_part() -> None:
    pytest.importorskip("networkx")
    graph = state_graph(traces(UNSAFE)[0], GraphLimits(most=50))
    assert graph.number_of_nodes() == 50 and not graph.graph["complete"]
    assert not set(dead_ends(graph)) & {node for node, data in graph.nodes(data=True) if data.get("open")}


def test_the_neighbourhood_of_a_trace_marks_its_path() -> None:
    pytest.importorskip("networkx")
    pytest.importorskip("graphviz")
    spec, found = traces(UNSAFE)
    graph = state_graph(spec, GraphLimits(trace=found[0], steps=1))
    assert [node for node, data in graph.nodes(data=True) if data["trace"]] == list(range(19))
    assert 19 < graph.number_of_nodes() < 100
    wrong = [node for node, names in graph.nodes(data="violates") if names]
    assert as_dot(graph).count("#fdebea") == len(wrong) and 18 in wrong


@pytest.mark.thorough
def test_explain_on_the_command_line(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", file, "--quiet"]) == 0
    text = capsys.readouterr().out
    assert "Required for the violation (with 0 the property holds)\n  resets  = 1  connection losses" in text
    assert "max_in_flight  = 5  instead of 6  proved in 1,813 states" in text


@pytest.mark.thorough
def test_an_explanation_goes_into_the_page(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "why.html"
    assert main(["explain", file, "--quiet", "-o", str(page)]) == 0
    assert "Values that decide" in capsys.readouterr().out
    assert '<th scope="row">resets</th><td>= 1</td><td>connection losses</td>' in page.read_text("utf-8")


@pytest.mark.thorough
def test_a_roll_is_not_needed_where_a_restart_suffices(monkeypatch: pytest.MonkeyPatch) -> None:
    """also: not the nearest safe setting, for which 27 more models would be compiled"""
    monkeypatch.setattr("everystate.counterexamples.explain.FARTHEST", 0)
    found = trace("current/clean-restart")
    spec = type(traces("current/clean-restart")[0])(**{**found.constants, "faults": 2, "rolls": 1})
    why = explain(spec, replace(found, constants=spec.constants), max_states=50_000)
    assert why.needed == ("clean_restarts",) and why.not_needed == ("rolls",)


@pytest.mark.parametrize("form", ["text", "html", "svg", "mermaid", "shiviz", "itf", "path"])
def test_every_form_on_the_command_line(file: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", file, "--as", form]) == 0
    assert capsys.readouterr().out.strip()


def test_replay_on_the_command_line(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "path.txt"
    assert main(["show", file, "--as", "path", "-o", str(path)]) == 0
    assert main(["check", UNSAFE, "--replay", str(path)]) == 12
    assert "NoDup violated after 18 steps" in capsys.readouterr().out
    assert main(["check", UNSAFE, "--replay", "0,0"]) == 0
    assert main(["check", UNSAFE, "--replay", "0,99"]) == 2


def test_graph_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("networkx")
    assert main(["graph", "die-hard"]) == 0
    assert "16 states, 96 steps: the whole space" in capsys.readouterr().out
    assert main(["graph", "die-hard", "-o", str(tmp_path / "graph.json")]) == 0
    assert main(["graph", "die-hard", "-o", str(tmp_path / "graph.what")]) == 2


def test_a_property_without_a_sentence_promised_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "up.py").write_text(
        "from everystate.checker import Int, Spec, action, invariant\n\n\nclass Up(Spec):\n"
        "    def variables(self):\n        self.x = Int(0, 2)\n\n"
        "    @action\n    def up(self):\n        self.x = (self.x + 1) % 3\n\n"
        "    @invariant\n    def low(self):\n        return self.x < 2\n"
    )
    spec, traces = str(tmp_path / "up.py"), tmp_path / "traces"
    assert main(["check", spec, "-q", "--out", str(traces)]) == 12
    assert main(["explain", str(next(traces.iterdir())), "--spec", spec, "-q"]) == 0
    said = capsys.readouterr().out
    assert "Invariant low violated: x = 2\n" in said and "promised was" not in said
