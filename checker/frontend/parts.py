"""What the parts of the operations use of each other: they are the bases of one class, `operations.Operations`."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

from ..errors import EverystateError
from ..ir.expr import Expr, Pool
from .attempts import Attempts
from .branching import Branching
from .copied import Copied
from .journal import Journal


class Part:
    """The values that all operations of one tracer share, and those operations that one part uses of another."""

    tracer: Any
    pool: Pool
    branching: Branching
    attempts: Attempts
    known: dict[FunctionType, FunctionType]
    """The lifted functions of those that were called."""
    owned: dict[int, Any]
    """What this call has created, by identity; kept alive, so that no other object gets its identity."""
    sides: dict[int, int]
    """For iterators, the side in which each was created."""
    split_loops: set[Any]
    """The code of the conditions of loops whose turns are not merged."""
    depth: int
    """How many lifted functions are being executed."""
    order_matters: bool
    journal: Journal
    copied: Copied
    truth: Callable[[Any], Expr]
    decide: Callable[[Any], bool]
    depends: Callable[[Any], bool]
    refused: Callable[..., EverystateError]
    plain: Any
    operand: Any
    key: Any
    own: Any
    writes: Any
    stored: Any
    frame: Any
    settled: Any
    joined: Any
    one_of: Any
    checked: Any
    require: Any
    replaced: Any
    getattr: Any
    setattr: Any
    getitem: Any
    setitem: Any
    contains: Any
    eq: Any
    lt: Any
    is_: Any
    not_: Any
    same: Any
    any_of_pieces: Any
    set_of_pieces: Any
    special: Any
    call: Any
    in_python: Any
    made: Any
    deeply_plain: Any
    set_method: Any
    one_by_one: Any
    unchanged: Any
    all_true: Any
    unwrapped: Any
    owns: Any
    binary: Any
    iterate: Any
    each: Any
    pieces_of: Any
    in_order: Any
    in_any_order: Any
    lazy: Any
    walk: Any
