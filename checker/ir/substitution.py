"""Substitution: terms with other terms in place of the cells, in the same pool or in another one."""

from __future__ import annotations

from collections.abc import Sequence

from .expr import Expr, Pool


class Substitution:
    """Rebuilds terms in a pool, with a term of that pool in place of each cell, also of the state before."""

    def __init__(self, pool: Pool, cells: Sequence[Expr], before: Sequence[Expr] = (), replaced: int = -1) -> None:
        self.pool, self.cells, self.before = pool, cells, before
        self.replaced = replaced
        """The variables of which something depends; a term that reads none of them is `kept`."""
        self._known: dict[int, Expr] = {}

    def __call__(self, root: Expr) -> Expr:
        """The term over the cells that were given; its parts come first, however deep it is."""
        known, replaced = self._known, self.replaced
        if not root.reads & replaced:
            return self.kept(root)
        todo = [root]
        while todo:
            term = todo[-1]
            if term.id in known:
                todo.pop()
                continue
            missing = []
            for part in term.args:
                if part.id not in known:
                    if part.reads & replaced:
                        missing.append(part)
                    else:
                        known[part.id] = self.kept(part)
            if missing:
                todo += missing
                continue
            todo.pop()
            known[term.id] = self._built(term, [known[part.id] for part in term.args])
        return known[root.id]

    def kept(self, term: Expr) -> Expr:
        """What becomes of a term that reads nothing that is replaced."""
        return self._built(term, list(map(self.kept, term.args)))

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
