"""The engines that must agree, and chunks of a few states, so that all workers take part in small levels too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from everystate.checker import Spec
from everystate.checker.engines.explicit import exhaustive, python
from everystate.checker.engines.limits import Limits
from everystate.checker.frontend import model

Engine = Callable[..., Any]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exhaustive, "CHUNK", 8)


def native(spec: Spec, **limits: Any) -> Any:
    return exhaustive.check(model.build(spec), Limits(**limits))


def two_workers(spec: Spec, **limits: Any) -> Any:
    return exhaustive.check(model.build(spec), Limits(workers=2, **limits))


def concrete(spec: Spec, **limits: Any) -> Any:
    return python.check(spec, Limits(**limits))


@pytest.fixture(params=[native, two_workers, concrete], ids=["native", "two workers", "python"])
def check(request: pytest.FixtureRequest) -> Engine:
    engine: Engine = request.param
    return engine
