"""Whatever is told of a spec that is executed as plain Python must follow from its states alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from ..border import Outside, examine
from ..errors import EverystateError
from ..frontend.unguarded import LIFTING, Unguarded
from ..ir.reproducibility import Others
from ..language.spec import Spec


def examined(spec: Spec) -> Outside:
    """What lies around a spec that will be executed, to be looked at again after that; E232 where something of it is
    state, E144 and E138 where the order of plain sets, or the environment, makes another spec of it."""
    if LIFTING:
        return Unguarded()  # type: ignore[return-value]
    for refined in spec.refinements.values():
        examine(refined.abstract, symbols=False)
    outside = examine(spec, symbols=False)
    with closing(Others(spec)) as others:
        others.begin(outside)
        others.compare()
    return outside


@contextmanager
def executed(spec: Spec) -> Iterator[None]:
    """What is executed within it changes nothing but the state: else E232, and E144 as above."""
    outside = examined(spec)
    try:
        yield
    except EverystateError as error:
        if error.code == "E217":  # it may be why no step leads where one led
            outside.check()
        raise
    outside.check()
