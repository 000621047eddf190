"""Structured control flow on top of instructions.

Mutable locals live in stack slots that LLVM turns into registers, so loops need no phi nodes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .instructions import (
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    UNDEFINED,
    VOID,
    Builder,
    IntType,
    Module,
    Routine,
    Slot,
    Type,
    Value,
    VectorType,
    constant,
    number,
)

__all__ = ["I1", "I8", "I16", "I32", "I64", "PTR", "VOID", "Function"]


class Function:
    """A function under construction, positioned at the end of its current block."""

    def __init__(self, module: Module, name: str, arguments: Sequence[Type], result: Type = VOID) -> None:
        self.module = module
        self.llvm = Routine(module, name, arguments, result)
        self.llvm.attributes.append("nounwind")
        self.b = Builder(self.llvm)
        self.arguments: tuple[Any, ...] = self.llvm.arguments

    def private(self) -> Function:
        """Called only from this module: LLVM may inline it and drop the original."""
        self.llvm.private = True
        return self

    def inner(self) -> Function:
        """Called only from the modules of this program: private where these are one module."""
        self.llvm.inner = True
        return self

    # -- values --------------------------------------------------------------------------------------------

    def const(self, value: int, type: IntType = I64) -> Value:
        """An integer constant, taken modulo the width of its type."""
        return number(value, type)

    def local(self, initial: Any) -> Slot:
        """A mutable local with its initial value; read with get, assign with put."""
        slot = self.b.alloca(initial.type)
        self.b.store(initial, slot)
        return slot

    def buffer(self, type: Type, length: int) -> Slot:
        """An array on the stack."""
        return self.b.alloca(type, length)

    def get(self, slot: Any) -> Any:
        """The value of a local."""
        return self.b.load(slot, slot.holds)

    def put(self, slot: Any, value: Any) -> None:
        """Assign a local."""
        self.b.store(value, slot)

    def at(self, pointer: Any, index: Any, type: Type = I64) -> Any:
        """The address of element `index` of an array."""
        if isinstance(index, int):
            index = self.const(index)
        return self.b.gep(pointer, index, type)

    def load(self, pointer: Any, index: Any, type: Type = I64) -> Any:
        """Element `index` of an array."""
        return self.b.load(self.at(pointer, index, type), type)

    def store(self, pointer: Any, index: Any, value: Any) -> None:
        """Assign element `index` of an array of the value's type."""
        self.b.store(value, self.at(pointer, index, value.type))

    def words(self, pointer: Any, index: Any, count: int) -> list[Any]:
        """The words of state `index` of an array of states."""
        base = self.at(pointer, self.b.mul(index, self.const(count)))
        return [self.load(base, w) for w in range(count)]

    def put_words(self, pointer: Any, index: Any, words: Sequence[Any]) -> None:
        """Assign state `index` of an array of states."""
        base = self.at(pointer, self.b.mul(index, self.const(len(words))))
        for w, word in enumerate(words):
            self.store(base, w, word)

    def increment(self, pointer: Any, index: Any, by: Any = 1) -> None:
        """Add to a counter in memory."""
        amount = self.const(by) if isinstance(by, int) else by
        address = self.at(pointer, index)
        self.b.store(self.b.add(self.b.load(address, I64), amount), address)

    def call(self, function: Function | Routine, *arguments: Any) -> Any:
        """Call a function of this module."""
        return self.b.call(function.llvm if isinstance(function, Function) else function, arguments)

    def splat(self, value: Any, lanes: int) -> Any:
        """A vector with one value in every lane."""
        undefined = constant(VectorType(value.type, lanes), UNDEFINED)
        first = self.b.insert_element(undefined, value, self.const(0, I32))
        return self.b.shuffle_vector(first, undefined, constant(VectorType(I32, lanes), None))

    def store_compressed(self, vector: Any, address: Any, lanes: Any) -> None:
        """Store the chosen lanes of a vector of 32-bit numbers one after the other."""
        name = f"llvm.masked.compressstore.v{vector.type.count}i32"
        self.call(self.module.declared(name, [vector.type, PTR, lanes.type], VOID), vector, address, lanes)

    def trailing_zeros(self, value: Any) -> Any:
        """The position of the lowest set bit, as i64; the width when there is none."""
        return self.b.zext(self.b.cttz(value), I64)

    # -- control -------------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, start: Any, end: Any) -> Iterator[Any]:
        """The body runs for each index of start..end-1."""
        index = self.local(start)
        with self.while_(lambda: self.b.icmp_unsigned("<", self.get(index), end)):
            current = self.get(index)
            yield current
            self.put(index, self.b.add(current, self.const(1)))

    @contextmanager
    def while_(self, condition: Callable[[], Any]) -> Iterator[None]:
        """The body runs as long as the condition, evaluated before each round, holds."""
        head, body, done = (self.llvm.block() for _ in range(3))
        self.b.branch(head)
        self.b.go_to(head)
        self.b.cbranch(condition(), body, done)
        self.b.go_to(body)
        yield
        self.b.branch(head)
        self.b.go_to(done)

    @contextmanager
    def if_(self, condition: Any, rarely: bool = False) -> Iterator[None]:
        """The body runs where the condition holds."""
        with self.b.if_then(condition, rarely):
            yield

    def prefetch(self, address: Any) -> None:
        """Prefetch a line that will soon be read into the second-level cache, which allows more pending requests than
        the first-level cache."""
        intrinsic = self.module.declared("llvm.prefetch.p0", [PTR, I32, I32, I32], VOID)
        self.call(intrinsic, address, *(self.const(v, I32) for v in (0, 2, 1)))

    def done(self, value: Any = None) -> None:
        """Return."""
        self.b.ret(value)
