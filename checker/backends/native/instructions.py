"""LLVM assembly as text: types, values, and functions whose blocks grow by a line for each instruction.

It supports only what this package writes. LLVM checks types and structure when it reads the text, so nothing here does.
llvmlite's own builder keeps an object for every instruction and took three times as long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any


class Type:
    """A type, by its text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def literal(self, value: Any) -> str:
        """A constant of this type; None has all bits zero."""
        return "zeroinitializer" if value is None else str(value)


class IntType(Type):
    """An integer of a number of bits."""

    __slots__ = ("width",)

    def __init__(self, width: int) -> None:
        super().__init__(f"i{width}")
        self.width = width


class TypeList(Type):
    """So many values of a type, `brackets` around them."""

    __slots__ = ("brackets", "count", "element")

    def __init__(self, element: Type, count: int, brackets: str) -> None:
        super().__init__(f"{brackets[0]}{count} x {element.text}{brackets[1]}")
        self.element, self.count, self.brackets = element, count, brackets

    def literal(self, value: Any) -> str:
        if value is None or isinstance(value, str):
            return super().literal(value)
        return self.brackets[0] + ", ".join(f"{v.type.text} {v.text}" for v in value) + self.brackets[1]


class VectorType(TypeList):
    """A vector."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(element, count, "<>")


class ArrayType(TypeList):
    """An array."""

    __slots__ = ()

    def __init__(self, element: Type, count: int) -> None:
        super().__init__(element, count, "[]")


I1, I8, I16, I32, I64 = map(IntType, (1, 8, 16, 32, 64))
PTR, VOID = Type("ptr"), Type("void")
UNDEFINED = "undef"


class Value:
    """An operand of instructions: a constant, an argument, or the result of an instruction."""

    __slots__ = ("text", "type")

    def __init__(self, type: Any, text: str) -> None:
        self.type, self.text = type, text


class Slot(Value):
    """The address of a place on the stack, which has a value of some type, or several."""

    __slots__ = ("holds",)

    def __init__(self, text: str, holds: Type) -> None:
        super().__init__(PTR, text)
        self.holds = holds


def constant(type: Any, value: Any) -> Value:
    """A constant: a number, the constants of a vector or an array, UNDEFINED, or None for zero."""
    return Value(type, type.literal(value))


@cache
def number(value: int, type: IntType) -> Value:
    """An integer constant, taken modulo the width of its type."""
    return Value(type, str(value & ((1 << type.width) - 1)))


def joined(modules: Sequence[Module], whole: bool) -> Module:
    """One module from several modules that call each other."""
    found = Module(modules[0].triple, whole)
    for module in modules:
        for name, value in module.globals.items():
            other = found.globals.get(name)
            if other is None or (isinstance(other, Routine) and not other.blocks):
                found.globals[name] = value
    return found


class Table(Value):
    """A private constant array of a module."""

    __slots__ = ("initial",)

    def __init__(self, module: Module, name: str, values: Sequence[Value]) -> None:
        super().__init__(PTR, f"@{name}")
        self.initial = constant(ArrayType(I64, len(values)), values)
        module.globals[name] = self

    def __str__(self) -> str:
        return f"{self.text} = private constant {self.initial.type.text} {self.initial.text}"


class Module:
    """Functions and tables, by name, in the order in which they came; `whole` where its inner functions are private."""

    def __init__(self, triple: str = "", whole: bool = False) -> None:
        self.triple, self.whole = triple, whole
        self.globals: dict[str, Any] = {}

    @property
    def size(self) -> int:
        """How many instructions its functions have."""
        return sum(value.size for value in self.globals.values() if isinstance(value, Routine))

    def __str__(self) -> str:
        shown = (v.shown(self.whole) if isinstance(v, Routine) else str(v) for v in self.globals.values())
        return "\n".join([f'target triple = "{self.triple}"', *shown])

    def declared(self, name: str, arguments: Sequence[Type], result: Type) -> Routine:
        """A function that LLVM or another module brings, or one of this module."""
        return self.globals.get(name) or Routine(self, name, arguments, result)


class Routine:
    """A function of a module; only a declaration as long as it has no block."""

    def __init__(self, module: Module, name: str, arguments: Sequence[Type], result: Type) -> None:
        if name in module.globals:
            raise ValueError(f"there is another function {name}")
        module.globals[name] = self
        self.module, self.name, self.result = module, name, result
        self.arguments = tuple(Value(type, f"%a{k}") for k, type in enumerate(arguments))
        self.private = self.inner = False
        self.attributes = list[str]()
        self.convention = ""
        """The calling convention, if it is another one than C's, and a space."""
        self.blocks: list[Block] = []

    @property
    def size(self) -> int:
        """The number of its instructions, including terminators."""
        return sum(len(block.lines) + 1 for block in self.blocks)

    def block(self) -> Block:
        """A new block, behind all others."""
        self.blocks.append(Block(f"b{len(self.blocks)}"))
        return self.blocks[-1]

    def shown(self, whole: bool) -> str:
        """Its text, in a module that is the whole or is not."""
        if not self.blocks:
            types = ", ".join(a.type.text for a in self.arguments)
            return f"declare {self.convention}{self.result.text} @{self.name}({types})"
        given = (f"{a.type.text}{' noalias' * (a.type is PTR)} {a.text}" for a in self.arguments)
        head = f"{self.result.text} @{self.name}({', '.join(given)}) {' '.join(self.attributes)}"
        private = "private " * (self.private or (self.inner and whole))
        lines = [f"define {private}{self.convention}{head} {{"]
        for block in self.blocks:
            lines += (f"{block.name}:", *block.lines, block.end)
        return "\n".join([*lines, "}"])


class Block:
    """A list of instructions, and its terminator: `end` is empty until it is set."""

    __slots__ = ("end", "lines", "name")

    def __init__(self, name: str) -> None:
        self.name, self.end = name, ""
        self.lines: list[str] = []


COMPARED = {"==": "eq", "!=": "ne"}
ORDERED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
UNSIGNED = COMPARED | {sign: f"u{name}" for sign, name in ORDERED.items()}
SIGNED = COMPARED | {sign: f"s{name}" for sign, name in ORDERED.items()}
RARELY = ', !prof !{!"branch_weights", i32 1, i32 99}'


def _binary(operator: str) -> Callable[[Builder, Value, Value], Value]:
    def emit(self: Builder, a: Value, b: Value) -> Value:  # _value, without the call
        self._number += 1
        name, type = f"%v{self._number}", a.type
        self._lines.append(f"{name} = {operator} {type.text} {a.text}, {b.text}")
        return Value(type, name)

    return emit


def _cast(operator: str) -> Callable[[Builder, Value, Type], Value]:
    def emit(self: Builder, a: Value, type: Type) -> Value:
        if a.type.text == type.text:
            return a
        return self._value(type, f"{operator} {a.type.text} {a.text} to {type.text}")

    return emit


class Builder:
    """Writes instructions to the end of a block of a function; each method is called as LLVM calls its instruction."""

    def __init__(self, routine: Routine) -> None:
        self._routine, self._number = routine, 0
        self._block = self._entry = routine.block()
        self._lines = self._block.lines

    def _value(self, type: Any, text: str) -> Value:
        self._number += 1
        name = f"%v{self._number}"
        self._lines.append(f"{name} = {text}")
        return Value(type, name)

    @property
    def values(self) -> int:
        """How many values the instructions have so far."""
        return self._number

    def go_to(self, block: Block) -> None:
        """A jump at the end of a block."""
        self._block, self._lines = block, block.lines

    # -- numbers -------------------------------------------------------------------------------------------

    add, sub, mul = _binary("add"), _binary("sub"), _binary("mul")
    udiv, urem, sdiv, srem = _binary("udiv"), _binary("urem"), _binary("sdiv"), _binary("srem")
    and_, or_, xor = _binary("and"), _binary("or"), _binary("xor")
    shl, lshr = _binary("shl"), _binary("lshr")
    zext, trunc, bitcast = _cast("zext"), _cast("trunc"), _cast("bitcast")
    ptrtoint, inttoptr = _cast("ptrtoint"), _cast("inttoptr")

    def not_(self, a: Value) -> Value:
        """All bits inverted."""
        if isinstance(a.type, VectorType):
            return self.xor(a, constant(a.type, [constant(a.type.element, -1)] * a.type.count))
        return self.xor(a, constant(a.type, -1))

    def icmp_unsigned(self, sign: str, a: Value, b: Value) -> Value:
        """A comparison of numbers without a sign, or of addresses."""
        return self._compared(UNSIGNED[sign], a, b)

    def icmp_signed(self, sign: str, a: Value, b: Value) -> Value:
        """A comparison of numbers with a sign."""
        return self._compared(SIGNED[sign], a, b)

    def _compared(self, how: str, a: Value, b: Value) -> Value:
        type = VectorType(I1, a.type.count) if isinstance(a.type, VectorType) else I1
        return self._value(type, f"icmp {how} {a.type.text} {a.text}, {b.text}")

    def select(self, which: Value, a: Value, b: Value) -> Value:
        """The first where a condition holds, else the second.

        For booleans LLVM's fast selection has no such instruction: everything before it in its block took ten times as
        long. The optimiser restores it.
        """
        if a.type is I1:
            return self.or_(self.and_(which, a), self.and_(self.not_(which), b))
        type = a.type.text
        return self._value(a.type, f"select {which.type.text} {which.text}, {type} {a.text}, {type} {b.text}")

    def ctpop(self, a: Value) -> Value:
        """How many bits are set, in each lane."""
        kind = a.type
        lanes = f"v{kind.count}{kind.element.text}" if isinstance(kind, VectorType) else kind.text
        return self.call(self._routine.module.declared(f"llvm.ctpop.{lanes}", [kind], kind), [a])

    def cttz(self, a: Value) -> Value:
        """The position of the lowest bit that is set; the width where there is none."""
        return self._zeros("cttz", a)

    def ctlz(self, a: Value) -> Value:
        """The number of zero bits above the highest one that is set; the width where there is none."""
        return self._zeros("ctlz", a)

    def _zeros(self, name: str, a: Value) -> Value:
        function = self._routine.module.declared(f"llvm.{name}.{a.type.text}", [a.type, I1], a.type)
        return self.call(function, [a, constant(I1, 0)])

    # -- vectors -------------------------------------------------------------------------------------------

    def extract_element(self, vector: Value, lane: Value) -> Value:
        """The value in a lane."""
        text = f"extractelement {vector.type.text} {vector.text}, {lane.type.text} {lane.text}"
        return self._value(vector.type.element, text)

    def insert_element(self, vector: Value, value: Value, lane: Value) -> Value:
        """The vector with another value in a lane."""
        given = ", ".join(f"{v.type.text} {v.text}" for v in (vector, value, lane))
        return self._value(vector.type, f"insertelement {given}")

    def shuffle_vector(self, a: Value, b: Value, lanes: Value) -> Value:
        """Values of two vectors, by their positions."""
        given = ", ".join(f"{v.type.text} {v.text}" for v in (a, b, lanes))
        return self._value(VectorType(a.type.element, lanes.type.count), f"shufflevector {given}")

    # -- memory --------------------------------------------------------------------------------------------

    def alloca(self, type: Type, count: int = 1) -> Slot:
        """Space on the stack, from the beginning of the function on."""
        self._number += 1
        name = f"%v{self._number}"
        self._entry.lines.append(f"{name} = alloca {type.text}" + (f", i32 {count}" if count != 1 else ""))
        return Slot(name, type)

    def load(self, address: Value, type: Any, align: int = 0) -> Value:
        """The value at an address."""
        return self._value(type, f"load {type.text}, ptr {address.text}{_aligned(align)}")

    def store(self, value: Value, address: Value, align: int = 0) -> None:
        """Write a value to an address."""
        self._lines.append(f"store {value.type.text} {value.text}, ptr {address.text}{_aligned(align)}")

    def gep(self, pointer: Value, index: Value, type: Type) -> Value:
        """The address of an element of an array."""
        return self._value(
            PTR, f"getelementptr inbounds {type.text}, ptr {pointer.text}, {index.type.text} {index.text}"
        )

    def load_atomic(self, address: Value, ordering: str, align: int, type: Any) -> Value:
        """The value at an address that others write to at the same time."""
        return self._value(type, f"load atomic {type.text}, ptr {address.text} {ordering}, align {align}")

    def atomic_rmw(self, operator: str, address: Value, value: Value, ordering: str) -> Value:
        """Change the value at an address; returns the old one."""
        text = f"atomicrmw {operator} ptr {address.text}, {value.type.text} {value.text} {ordering}"
        return self._value(value.type, text)

    def cmpxchg(self, address: Value, expected: Value, value: Value, ordering: str, failing: str) -> Value:
        """Write a value where another is expected: whether that was there."""
        type = value.type.text
        given = f"{type} {expected.text}, {type} {value.text} {ordering} {failing}"
        both = self._value(None, f"cmpxchg ptr {address.text}, {given}")
        return self._value(I1, f"extractvalue {{ {type}, i1 }} {both.text}, 1")

    # -- control -------------------------------------------------------------------------------------------

    def call(self, routine: Routine, arguments: Sequence[Value]) -> Value:
        """Call a function."""
        return self.call_at(self.address(routine), routine.result, arguments, routine.convention)

    def call_at(self, function: Value, result: Type, arguments: Sequence[Value], convention: str = "") -> Value:
        """Call the function at an address."""
        given = ", ".join([f"{v.type.text} {v.text}" for v in arguments])
        text = f"call {convention}{result.text} {function.text}({given})"
        if result is VOID:
            self._lines.append(text)
            return Value(VOID, "")
        return self._value(result, text)

    def address(self, routine: Routine) -> Value:
        """Where a function is."""
        return Value(PTR, f"@{routine.name}")

    def branch(self, block: Block) -> None:
        """Go to a block."""
        self._block.end = f"br label %{block.name}"

    def cbranch(self, condition: Value, then: Block, otherwise: Block, rarely: bool = False) -> None:
        """Go to one block where a condition holds, which it may do rarely, else to another."""
        end = f"br i1 {condition.text}, label %{then.name}, label %{otherwise.name}"
        self._block.end = end + (RARELY if rarely else "")

    def ret(self, value: Value | None = None) -> None:
        """Return."""
        self._block.end = "ret void" if value is None else f"ret {value.type.text} {value.text}"

    @contextmanager
    def if_then(self, condition: Value, rarely: bool = False) -> Iterator[None]:
        """The body runs where a condition holds."""
        then, after = self._routine.block(), self._routine.block()
        self.cbranch(condition, then, after, rarely)
        self.go_to(then)
        yield
        self.branch(after)
        self.go_to(after)

    @contextmanager
    def if_else(self, condition: Value) -> Iterator[tuple[Any, Any]]:
        """One of two bodies runs: the first where a condition holds."""
        then, otherwise, after = self._routine.block(), self._routine.block(), self._routine.block()
        self.cbranch(condition, then, otherwise)
        yield self._body(then, after), self._body(otherwise, after)
        self.go_to(after)

    @contextmanager
    def _body(self, block: Block, after: Block) -> Iterator[None]:
        self.go_to(block)
        yield
        self.branch(after)


def _aligned(align: int) -> str:
    return f", align {align}" if align else ""
