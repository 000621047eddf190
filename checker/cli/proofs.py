"""What an inductive proof rests on, or what stands in its way, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..results.text import Paint, render

if TYPE_CHECKING:
    from ..engines.inductive import Induction
    from ..engines.lemmas import Candidate


def attempt(found: Induction, paint: Paint) -> str:
    """The lemmas of a proof, or the counterexamples to induction."""
    return "\n".join(_lines(found, paint))


def _lines(found: Induction, paint: Paint) -> Iterator[str]:
    for obstacle in found.obstacles:
        yield paint("title", f"{obstacle.property} is not inductive: from a state that satisfies everything assumed,")
        yield render(obstacle.trace, paint)
        yield f"the first of these states is {obstacle.first}\n"
    yield from _listed("proved with the lemmas", found.used, paint)
    yield from _listed("lemmas that are not inductive", found.dropped, paint)


def _listed(title: str, lemmas: Sequence[Candidate], paint: Paint) -> Iterator[str]:
    if lemmas:
        yield paint("title", f"{title}:")
        yield from (f"  {lemma.name}" + (f": {lemma.text}" if lemma.text else "") for lemma in lemmas)
        yield ""
