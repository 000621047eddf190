"""Whatever is told of a spec that is executed as plain Python must follow from its states alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

from ..border import examine
from ..ir.reproducibility import Others
from ..language.spec import Spec


@contextmanager
def executed(spec: Spec) -> Iterator[None]:
    """What is executed within it: E232 where something lies outside of the state, E144 where the order of plain sets
    makes another spec of it with the next start of Python."""
    for refined in spec.refinements.values():
        examine(refined.abstract, symbols=False)
    outside = examine(spec, symbols=False)
    with closing(Others(spec)) as others:
        others.begin(outside.reach)
        others.compare()
    yield
    outside.check()
