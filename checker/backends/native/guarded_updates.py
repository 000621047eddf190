"""Splits an expensive update in two, guarded by a cheap condition, so that rarely needed terms are rarely computed.

"x and (an expensive term)" is code without a branch, so the expensive term is computed where x is false, too. This
module searches all values of an update for a condition under which such terms matter, and for simpler values where they
do not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ...ir.expr import Expr, Pool, subterms

Writes = tuple[tuple[int, Expr], ...]

DEAR = 40
"""The minimum number of terms that a branch must save: a mispredicted one costs as much."""
SHARE = 4
"""The minimum fraction of an update's terms that it must save, as it makes the code longer."""
CHEAP = 8
"""Terms of a part that may belong to the condition."""
FORKS = 2
"""Nested junctions with several expensive parts that are searched: more make the condition expensive."""


@dataclass(frozen=True)
class SplitUpdate:
    """Where `matters` does not hold, an update assigns the values of `rest`."""

    matters: Expr
    rest: Writes


def _terms_of(terms: Iterable[Expr]) -> int:
    """How many terms there are to evaluate, each once."""
    return sum(1 for part in subterms(terms) if part.args)


class UpdateSplitter:
    """Splits the updates of a program. Results are cached, because updates share most of their terms."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self._cheap: dict[Expr, bool] = {}
        self._found: dict[tuple[Expr, int], tuple[Expr, Expr]] = {}
        self._parted: dict[Writes, SplitUpdate | None] = {}

    def __call__(self, writes: Writes) -> SplitUpdate | None:
        """A split of an update with expensive parts under a cheap condition; None where there is none."""
        if writes not in self._parted:
            self._parted[writes] = self._part(writes)
        return self._parted[writes]

    def _part(self, writes: Writes) -> SplitUpdate | None:
        pool, whole = self.pool, _terms_of(term for _, term in writes)
        if whole < DEAR:
            return None
        conditions, rest = list[Expr](), list[tuple[int, Expr]]()
        for cell, term in writes:
            without, matters = self.without(term, FORKS)
            if matters is pool.true:
                without, matters = term, pool.false
            conditions.append(matters)
            rest.append((cell, without))
        found = SplitUpdate(pool.or_(conditions), tuple(rest))
        saved = whole - _terms_of([*(term for _, term in rest), found.matters])
        return found if saved >= max(DEAR, whole // SHARE) else None

    def cheap(self, term: Expr) -> bool:
        """Whether a term is not dear."""
        found = self._cheap.get(term)
        if found is None:
            parts = (part for part in subterms([term]) if part.args)
            found = self._cheap[term] = sum(1 for _ in islice(parts, CHEAP + 1)) <= CHEAP
        return found

    def without(self, term: Expr, forks: int) -> tuple[Expr, Expr]:
        """A term without expensive parts, and a condition: where that does not hold, both have the same value."""
        if self.cheap(term):
            return term, self.pool.false
        found = self._found.get((term, forks))
        if found is None:
            found = self._found[term, forks] = self._without(term, forks)
        return found

    def _without(self, term: Expr, forks: int) -> tuple[Expr, Expr]:
        pool = self.pool
        if term.op in ("and", "or"):
            return self._junction(term, forks)
        parts = [self.without(part, forks) for part in term.args] if term.op in ("not", "ite") else []
        match parts:
            case [(inner, matters)]:
                return pool.not_(inner), matters
            case [(condition, always), (then, here), (otherwise, there)]:
                return pool.ite(condition, then, otherwise), pool.or_((always, pool.ite(condition, here, there)))
        return pool.false if term.boolean else pool.const(term.lo), pool.true

    def _junction(self, term: Expr, forks: int) -> tuple[Expr, Expr]:
        """Expensive parts matter where the cheap ones leave the result open; all cheap ones are used."""
        pool, conjunction = self.pool, term.op == "and"
        cheap = [part for part in term.args if self.cheap(part)]
        dear = [part for part in term.args if not self.cheap(part)]
        forks -= len(dear) > 1
        found = [self.without(part, forks) if forks >= 0 else (pool.truth(conjunction), pool.true) for part in dear]
        open_ = [part if conjunction else pool.not_(part) for part in cheap]
        join = pool.and_ if conjunction else pool.or_
        return join([*cheap, *(part for part, _ in found)]), pool.and_([*open_, pool.or_(m for _, m in found)])
