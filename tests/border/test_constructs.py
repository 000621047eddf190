"""No Python construct makes a violated spec PROVED: it is refused, or the verdict is that of plain Python.

Each construct is tried as an invariant and in one of the other places; in all of them with EVERYSTATE_SLOW=1.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .constructs import CONSTRUCTS, PLACES, PROPERTIES, SPEC, Construct
from .verdicts import meaning, outcome

OTHERS = [kind for kind in PROPERTIES if kind != "invariant"]
ALL = os.environ.get("EVERYSTATE_SLOW") == "1"


def source(construct: Construct, kind: str) -> str:
    guard = "require(not self.bad())" if kind == "guard" else "pass"
    return SPEC.format(guard=guard, bad=construct.bad.replace("{{", "{").replace("}}", "}"), property=PROPERTIES[kind])


def cases() -> list[object]:
    return [
        pytest.param(construct, kind, id=f"{construct.bad}-{kind}")
        for i, construct in enumerate(CONSTRUCTS)
        for kind in PROPERTIES
        if ALL or kind in ("invariant", OTHERS[i % len(OTHERS)])
    ]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("construct", "kind"), cases())
def test_a_construct_is_refused_or_means_what_it_means_in_python(
    construct: Construct, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    compiled = outcome(source(construct, kind), "native", tmp_path)
    if construct.outcome != "same":
        assert compiled == ("refused", construct.outcome)
    else:
        assert compiled == meaning(source(construct, kind), tmp_path)


def others() -> list[object]:
    """Each construct in one of the other places, all of them in turn."""
    places = list(PLACES)
    return [
        pytest.param(construct, place, id=f"{construct.bad}-{place}")
        for i, construct in enumerate(CONSTRUCTS)
        for place in (places if ALL else places[i % len(places) : i % len(places) + 1])
        if ALL or i % 2
    ]


@pytest.mark.filterwarnings("ignore::SyntaxWarning")
@pytest.mark.parametrize(("construct", "place"), others())
def test_a_construct_in_any_other_place(
    construct: Construct, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Initial states are computed by plain Python, so what symbols would refuse there may be decided instead."""
    monkeypatch.setattr("everystate.checker.engines.explicit.report.after_search", lambda *_, **__: None)
    guard, declared = PLACES[place]
    text = SPEC.format(guard=guard, bad=construct.bad.replace("{{", "{").replace("}}", "}"), property=declared)
    compiled = outcome(text, "native", tmp_path)
    if construct.outcome != "same" and place != "initial":
        assert compiled == ("refused", construct.outcome)
    elif compiled[0] != "refused" or construct.outcome == "same":
        assert compiled == meaning(text, tmp_path)
