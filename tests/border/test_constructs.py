"""No Python construct makes a violated spec PROVED: it is refused, or the verdict is that of plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from everystate.checker.engines import exhaustive, python
from everystate.checker.errors import EverystateError
from everystate.checker.ir.model import build
from tests.agreement.readers import load

from .constructs import CONSTRUCTS, PROPERTIES, SPEC, Construct


def source(construct: Construct, kind: str) -> str:
    guard = "require(not self.bad())" if kind == "guard" else "pass"
    return SPEC.format(guard=guard, bad=construct.bad.replace("{{", "{").replace("}}", "}"), property=PROPERTIES[kind])


def outcome(spec: object, engine: str) -> tuple[object, ...]:
    try:
        result = python.check(spec) if engine == "python" else exhaustive.check(build(spec))  # type: ignore[arg-type]
    except EverystateError as error:
        assert error.where is not None, "the error names no line"
        return ("refused", error.code)
    return (result.verdict, tuple((v.property, v.length) for v in result.violations), result.distinct)


@pytest.mark.parametrize("kind", PROPERTIES)
@pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda c: c.bad)
def test_a_construct_is_refused_or_means_what_it_means_in_python(
    construct: Construct, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("everystate.checker.engines.report.after_search", lambda *_, **__: None)
    compiled = outcome(load(source(construct, kind), tmp_path), "native")
    if construct.outcome != "same":
        assert compiled == ("refused", construct.outcome)
    else:
        assert compiled == outcome(load(source(construct, kind), tmp_path), "python")
