"""Structured control flow on top of llvmlite's instruction builder.

Mutable locals live in stack slots that LLVM turns into registers, so loops need no phi nodes here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir

I1, I8, I16, I32, I64 = ir.IntType(1), ir.IntType(8), ir.IntType(16), ir.IntType(32), ir.IntType(64)
PTR = ir.PointerType()
VOID = ir.VoidType()


class Function:
    """A function under construction, positioned at the end of its current block."""

    def __init__(self, module: ir.Module, name: str, arguments: Sequence[ir.Type], result: ir.Type = VOID) -> None:
        self.module = module
        self.llvm = ir.Function(module, ir.FunctionType(result, list(arguments)), name)
        self.llvm.attributes.add("nounwind")
        for argument in self.llvm.args:
            if argument.type == PTR:
                argument.add_attribute("noalias")
        self.entry = self.llvm.append_basic_block("entry")
        self.b = ir.IRBuilder(self.entry)
        self.arguments: tuple[Any, ...] = tuple(self.llvm.args)

    def private(self) -> Function:
        """Only called from this module: LLVM may inline it and drop the original."""
        self.llvm.linkage = "private"
        return self

    # -- values --------------------------------------------------------------------------------------------

    def const(self, value: int, type: ir.Type = I64) -> ir.Constant:
        """An integer constant, taken modulo the width of its type."""
        return ir.Constant(type, value & ((1 << type.width) - 1))

    def local(self, initial: Any) -> ir.Instruction:
        """A mutable local with its initial value; read with get, assign with put."""
        with self.b.goto_entry_block():
            slot = self.b.alloca(initial.type)
        self.b.store(initial, slot)
        return slot

    def buffer(self, type: ir.Type, length: int) -> ir.Instruction:
        """An array on the stack."""
        with self.b.goto_entry_block():
            return self.b.alloca(type, length)

    def get(self, slot: Any) -> Any:
        """The value of a local."""
        return self.b.load(slot, typ=slot.allocated_type)

    def put(self, slot: Any, value: Any) -> None:
        """Assign a local."""
        self.b.store(value, slot)

    def at(self, pointer: Any, index: Any, type: ir.Type = I64) -> Any:
        """The address of element `index` of an array."""
        if isinstance(index, int):
            index = self.const(index)
        return self.b.gep(pointer, [index], inbounds=True, source_etype=type)

    def load(self, pointer: Any, index: Any, type: ir.Type = I64) -> Any:
        """Element `index` of an array."""
        return self.b.load(self.at(pointer, index, type), typ=type)

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
        self.b.store(self.b.add(self.b.load(address, typ=I64), amount), address)

    def call(self, function: Function | ir.Function, *arguments: Any) -> Any:
        """Call a function of this module."""
        return self.b.call(function.llvm if isinstance(function, Function) else function, arguments)

    def splat(self, value: Any, lanes: int) -> Any:
        """A vector with one value in every lane."""
        kind = ir.VectorType(value.type, lanes)
        first = self.b.insert_element(ir.Constant(kind, ir.Undefined), value, self.const(0, I32))
        lanes_of_zero = ir.Constant(ir.VectorType(I32, lanes), [ir.Constant(I32, 0)] * lanes)
        return self.b.shuffle_vector(first, ir.Constant(kind, ir.Undefined), lanes_of_zero)

    def store_compressed(self, vector: Any, address: Any, lanes: Any) -> None:
        """Store the chosen lanes of a vector of 32-bit numbers one after the other."""
        kind = ir.FunctionType(VOID, [vector.type, PTR, lanes.type])
        name = f"llvm.masked.compressstore.v{vector.type.count}i32"
        intrinsic = self.module.globals.get(name) or ir.Function(self.module, kind, name)
        self.call(intrinsic, vector, address, lanes)

    def ones(self, value: Any) -> Any:
        """How many bits of a number are set; of a vector, in each lane."""
        if not isinstance(value.type, ir.VectorType):
            return self.b.ctpop(value)
        name = f"llvm.ctpop.v{value.type.count}i{value.type.element.width}"
        kind = ir.FunctionType(value.type, [value.type])
        return self.call(self.module.globals.get(name) or ir.Function(self.module, kind, name), value)

    def trailing_zeros(self, value: Any) -> Any:
        """The position of the lowest set bit, as i64; the width when there is none."""
        return self.b.zext(self.b.cttz(value, self.const(0, I1)), I64)

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
        head, body, done = (self.llvm.append_basic_block(n) for n in ("head", "body", "done"))
        self.b.branch(head)
        self.b.position_at_end(head)
        self.b.cbranch(condition(), body, done)
        self.b.position_at_end(body)
        yield
        self.b.branch(head)
        self.b.position_at_end(done)

    @contextmanager
    def if_(self, condition: Any, likely: bool | None = None) -> Iterator[None]:
        """The body runs where the condition holds."""
        with self.b.if_then(condition, likely=likely):
            yield

    def prefetch(self, address: Any, write: bool = False) -> None:
        """Ask the cache for a line that will soon be read, or written."""
        kind = ir.FunctionType(VOID, [PTR, I32, I32, I32])
        name = "llvm.prefetch.p0"
        intrinsic = self.module.globals.get(name) or ir.Function(self.module, kind, name)
        self.call(intrinsic, address, *(ir.Constant(I32, v) for v in (int(write), 3, 1)))

    def done(self, value: Any = None) -> None:
        """Return."""
        if value is None:
            self.b.ret_void()
        else:
            self.b.ret(value)
