"""The states of a check, one after another or as a table.

They are visited again, by one worker and by the model that was traced for it: a check keeps no state, so that a
notebook may hold many. Their order is that of the levels, and the same every time.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from ..engines.explicit import python
from ..engines.explicit.reachable_states import visited
from ..engines.limits import Limits
from ..errors import EverystateError
from ..extras import require
from ..ir.traced import Model
from ..language.domains import Domain
from ..language.forms import Form
from ..language.spec import Spec
from ..language.state import State
from ..results.plain import Fields, Members, Pairs, Tree, scalar, trees_of
from ..results.result import Result
from ..results.text import count

EXTRA = "tables"


class States:
    """See the module; iterating gives States of the language, `state.name` being the value of a variable."""

    def __init__(self, model: Model | Spec, limits: Limits, result: Result) -> None:
        spec = model.spec if isinstance(model, Model) else model
        self._model, self._domains, self._result = model, spec.domains, result
        self._limits = replace(limits, workers=1, stop_early=False, max_states=_most(limits, result), deadline=None)

    def __repr__(self) -> str:
        return f"{count(len(self), 'state')} of {self._result.target}"

    def __len__(self) -> int:
        return self._result.distinct

    def __iter__(self) -> Iterator[State]:
        number = 0
        for cells in islice(self._visited(), self._result.distinct):
            number += 1
            yield State(self._domains, cells)
        if number != self._result.distinct:
            reason = f"{number:,} states instead of {self._result.distinct:,}"
            raise EverystateError("E505", None, spec=self._result.target, reason=reason)

    def _visited(self) -> Iterator[tuple[int, ...]]:
        """The states; what was not compiled is executed again as plain Python."""
        if isinstance(self._model, Model):
            return visited(self._model, self._limits)
        return python.visited(self._model, self._limits)

    def rows(self) -> Iterator[dict[str, Any]]:
        """A state as plain data: a variable is a number, a truth, a text, None, a list or a dictionary."""
        for state in self:
            yield {name: plain(tree) for name, tree in trees_of(state).items()}

    def to_arrow(self) -> Any:
        """A pyarrow.Table with a column for each variable, of the type of its domain. [tables]"""
        require("a table of states", "pyarrow", extra=EXTRA)
        import pyarrow

        fields = [(name, arrow_type(domain)) for name, domain in self._domains.items()]
        return pyarrow.Table.from_pylist(list(self.rows()), schema=pyarrow.schema(fields))

    def to_pandas(self) -> Any:
        """A pandas.DataFrame with a column for each variable. [tables]"""
        require("a table of states", "pandas", extra=EXTRA)
        import pandas

        return pandas.DataFrame.from_records(list(self.rows()), columns=list(self._domains))


def _most(limits: Limits, result: Result) -> int | None:
    """Where a search that ended early ends again: as soon as it has as many."""
    return max(1, result.distinct) if result.stopped else limits.max_states


def plain(tree: Tree) -> Any:
    """A tree as plain data; a map is a list of (key, value), as its keys need not be texts."""
    match tree:
        case Fields(_, items):
            return {name: plain(value) for name, value in items.items()}
        case Members(items):
            return [plain(item) for item in items]
        case Pairs(items):
            return [(plain(key), plain(value)) for key, value in items]
        case list() | tuple():
            return [plain(item) for item in tree]
        case enum.Enum():
            return scalar(tree)
    return tree


class _ArrowType(Form):
    def __init__(self) -> None:
        import pyarrow

        self.arrow = pyarrow

    def number(self, domain: Domain) -> Any:
        return self.arrow.int64()

    def boolean(self, domain: Domain) -> Any:
        return self.arrow.bool_()

    def name(self, domain: Domain) -> Any:
        return self.arrow.string()

    def option(self, domain: Any) -> Any:
        return self(domain.element)

    def sequence(self, domain: Any) -> Any:
        return self.arrow.list_(self(domain.element))

    array = members = sequence

    def pairs(self, domain: Any) -> Any:
        keys = self.arrow.infer_type([plain(scalar(key)) for key in domain.keys])
        return self.arrow.map_(keys, self(domain.element))

    def fields(self, domain: Any) -> Any:
        return self.arrow.struct([(name, self(part)) for name, part in domain.fields.items()])

    parts = fields


def arrow_type(domain: Domain) -> Any:
    """The type of Arrow for the values of a domain."""
    return _ArrowType()(domain)
