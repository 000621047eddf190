"""Mermaid, DOT, ShiViz, ITF and paths."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from everystate.checker.errors import EverystateError
from everystate.checker.results.itf import dump, parse
from everystate.counterexamples import (
    NoPath,
    diagram_of,
    dot,
    follow,
    gallery,
    mermaid,
    path_of,
    picture,
    read_path,
    show_path,
)
from everystate.counterexamples.shiviz import Event, events

from .sample_traces import message, note, plain, three_brokers, trace, traces

GALLERY = Path(gallery.__file__ or "").parent
NAMES = ["idem-producer/unsafe", "window/3-in-flight-2-remembered", "die-hard", "hanoi", "tcommit"]


@pytest.mark.parametrize("name", NAMES)
def test_a_path_replays_to_the_same_trace_and_violation(name: str) -> None:
    spec, found = traces(name)
    for known in found:
        path = read_path(show_path(path_of(spec, known)))
        again = [v.trace for v in follow(spec, path, name).violations if v.property == known.shows]
        assert [dump(t) for t in again if t] == [dump(known)]


@pytest.mark.parametrize("name", NAMES)
def test_itf_and_back_is_the_same_trace(name: str) -> None:
    spec, found = traces(name)
    for known in found:
        text = dump(known)
        assert dump(parse(text, "x").trace(spec)) == text


def test_a_path_that_does_not_fit_is_refused() -> None:
    spec, _ = traces("die-hard")
    with pytest.raises(NoPath, match="number 2 of the path is 9, but there are 6 steps"):
        follow(spec, [0, 9])
    with pytest.raises(NoPath, match="numbers with commas"):
        read_path("1;2")


def test_mermaid_of_the_peer_model() -> None:
    lines = mermaid(diagram_of(trace("idem-producer/unsafe"))).splitlines()
    assert lines[0] == "sequenceDiagram"
    assert lines[2:5] == [
        "    participant a0 as producer",
        "    participant a1 as broker",
        "    a0->>a1: 1. append b0 (epoch 0, seq 0)",
    ]
    assert "    a0--xa1: 13. connection lost" in lines
    assert lines[-1] == "    end" and "Invariant NoDup violated" in lines[-2]


def test_mermaid_text_is_escaped() -> None:
    text = mermaid(diagram_of(plain(note("a; b # {c} <d>", "p"))))
    assert "1. a#59; b #35; #123;c#125; #lt;d#gt;" in text


def test_mermaid_of_the_last_steps_only() -> None:
    lines = mermaid(diagram_of(trace("idem-producer/unsafe")), 4).splitlines()
    assert lines[4] == "    Note over a0,a1: 14 steps before these"
    assert lines[5] == "    Note over a1: 15. b0 has sequence 0, the broker knows 1 to 5: out of order"


def test_mermaid_is_parsed_by_mermaid_itself(tmp_path: Path) -> None:
    packages = os.environ.get("EVERYSTATE_NODE_MODULES", "")
    if not shutil.which("node") or not Path(packages, "mermaid").is_dir() or not packages:
        pytest.skip("needs node, and EVERYSTATE_NODE_MODULES set to a node_modules with mermaid: make test-mermaid")
    stored = [*GALLERY.rglob("*.itf.json"), *Path(__file__).parent.glob("files/*.itf.json")]
    files = []
    for at, told in enumerate([*(parse(f.read_text("utf-8"), f.name).plain() for f in stored), three_brokers(60)]):
        files.append(tmp_path / f"{at}.mmd")
        files[-1].write_text(mermaid(diagram_of(told)))
    script = Path(__file__).with_name("parse.mjs")
    done = subprocess.run(["node", script, packages, *files], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("sequence") == len(files) > 50


def before(a: Event, b: Event) -> bool:
    """Whether a happened before b, by their clocks."""
    return a.clock != b.clock and all(b.clock.get(host, 0) >= time for host, time in a.clock.items())


def test_shiviz_clocks_are_exact() -> None:
    diagram = diagram_of(
        plain(
            message("append b0", "p", "q"),
            note("p goes on", "p"),
            note("b0 is written", "q"),
            message("ok b0", "q", "p"),
            note("b0 is acknowledged", "p"),
        )
    )
    send, on, write, ok, done = events(diagram)
    assert write.clock == {"p": 1, "q": 1} and done.clock == {"p": 3, "q": 2}
    assert before(send, write) and before(write, ok) and before(ok, done)
    assert not before(on, write) and not before(write, on)


def test_shiviz_clocks_of_one_host_count_up_by_one() -> None:
    found = events(diagram_of(three_brokers(60)))
    for host in {event.host for event in found}:
        own = [event.clock[host] for event in found if event.host == host]
        assert own == list(range(1, len(own) + 1))
    assert all(" " not in event.host for event in found)


def test_dot_has_a_node_for_each_state() -> None:
    pytest.importorskip("graphviz")
    text = dot(trace("idem-producer/unsafe"))
    assert len(re.findall(r"^\ts\d+ \[", text, re.MULTILINE)) == 19
    assert "record b0 is in the log at offsets 0 and 6" in text


def test_without_graphviz_a_picture_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("graphviz")
    text = dot(trace("die-hard"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(EverystateError) as caught:
        picture(text, "svg")
    assert (caught.value.what, caught.value.exit_code) == ("Graphviz is not installed", 69)


def test_graphviz_draws_every_path() -> None:
    pytest.importorskip("graphviz")
    if not shutil.which("dot"):
        pytest.skip("the program dot of Graphviz is not installed")
    for name in NAMES:
        assert b"</svg>" in picture(dot(trace(name)), "svg")
