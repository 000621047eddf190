"""Substitution: terms with other terms in place of the cells, in the same pool or in another one."""

from __future__ import annotations

from collections.abc import Sequence

from .expr import Expr, Pool


class Substitution:
    """Rebuilds terms in a pool, with a term of that pool in place of each cell, also of the state before."""

    def __init__(self, pool: Pool, cells: Sequence[Expr], before: Sequence[Expr] = ()) -> None:
        self.pool, self.cells, self.before = pool, cells, before
        self._known: dict[int, Expr] = {}

    def __call__(self, root: Expr) -> Expr:
        """The term over the cells that were given; its parts come first, however deep it is."""
        todo = [root]
        while todo:
            term = todo[-1]
            missing = [part for part in term.args if part.id not in self._known]
            if missing:
                todo += missing
                continue
            todo.pop()
            self._known.setdefault(term.id, self._built(term, [self._known[part.id] for part in term.args]))
        return self._known[root.id]

    def _built(self, term: Expr, parts: list[Expr]) -> Expr:
        pool = self.pool
        match term.op:
            case "const":
                return pool.truth(bool(term.value)) if term.boolean else pool.const(term.value)
            case "var":
                return self.cells[term.value]
            case "before":
                return self.before[term.value]
            case "and":
                return pool.and_(parts)
            case "or":
                return pool.or_(parts)
            case "not":
                return pool.not_(parts[0])
            case "count":
                return pool.count(parts)
            case "select":
                return pool.select(parts[0], parts[1:])
            case "ite":
                return pool.ite(*parts)
        built: Expr = getattr(pool, term.op)(*parts)
        return built
