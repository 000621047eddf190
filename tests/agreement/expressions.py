"""Random expressions of every type, as source text."""

from __future__ import annotations

from collections.abc import Callable

from .paths import Paths, Want
from .types import BEYOND, BOOL, EDGES, Type, integer


def _is(*kinds: str) -> Want:
    return lambda t: t.kind in kinds


class Expressions(Paths):
    """Expressions over the names in scope; `fuel` bounds how deep they nest."""

    helpers: tuple[str, ...] = ()

    def _spent(self, make: Callable[..., str], *args: object) -> str:
        self.fuel -= 1
        try:
            return make(*args)
        finally:
            self.fuel += 1

    # -- numbers -------------------------------------------------------------------------------------------

    def number(self) -> str:
        """Some integer."""
        if self.fuel <= 0:
            found = self.path(lambda t: t.kind == "int") if self.dice.chance(60) else None
            return found[0] if found else self._literal()
        kinds = {
            "leaf": 6, "arithmetic": 6, "divide": 3, "unary": 2, "least": 3, "size": 3, "count": 4, "sum": 2,
            "some": 3, "position": 1, "most": 1, "merge": 3, "truth": 1, "option": 2, "helper": 2, "total": 1,
        }  # fmt: skip
        return self._spent(getattr(self, f"_{self.dice.weighted(kinds)}"))

    def _literal(self) -> str:
        if self.wide and self.dice.chance(30):
            return str(self.dice.pick((*EDGES, *BEYOND)))
        return str(self.dice.pick((0, 1, 2, 3, -1, -2, 5)))

    def _leaf(self) -> str:
        found = self.path(lambda t: t.kind == "int")
        return found[0] if found else str(self.dice.integer(0, 3))

    def _arithmetic(self) -> str:
        left, right = self.number(), self.number()
        return f"({left} {self.dice.pick('+-*')} {right})"

    def _divide(self) -> str:
        left, op = self.number(), self.dice.pick(("//", "%"))
        literal = self._literal() if self.wide else str(self.dice.pick((2, 3, 1, -2, -3)))
        right = literal if self.dice.chance(50 if self.wide else 85) else self.number()
        return f"({left} {op} {right})"

    def _unary(self) -> str:
        inner = self.number()
        return f"-({inner})" if self.dice.chance(50) else f"abs({inner})"

    def _least(self) -> str:
        numbers = [self.number() for _ in range(self.dice.weighted({2: 5, 3: 1}))]
        return f"{self.dice.pick(('min', 'max'))}({', '.join(numbers)})"

    def _size(self) -> str:
        found = self.path(_is("seq", "set", "array", "map"))
        return f"len({found[0]})" if found else self._leaf()

    def _count(self) -> str:
        return self._quantified("sum")

    def _some(self) -> str:
        """What a comprehension makes of the elements for which a condition holds."""
        found = self.path(lambda t: t.kind in ("array", "seq", "set") and t.of.kind == "int")
        if not found:
            return self._leaf()
        name, text = self.name("x"), found[0]
        with self.scope((name, found[1].of)):
            kept = f"for {name} in {text} if {self._plain(name) if self.dice.chance(60) else self.truth()}"
            kind = self.dice.weighted({"len": 3, "sum": 3, "least": 2})
            item = name if kind == "len" or self.dice.chance(50) else self.number()
        if kind == "least":
            return f"{self.dice.pick(('min', 'max'))}(({item} {kept}), default={self.dice.integer(0, 2)})"
        return f"len([{item} {kept}])" if kind == "len" else f"sum({item} {kept})"

    def _sum(self) -> str:
        found = self.path(lambda t: t.kind in ("array", "seq") and t.of.kind == "int")
        if not found:
            return f"sum({self.number()} for _ in range(2))"
        cut = self.slice() if self.dice.chance(40) else ""
        return f"sum({found[0]}{cut})"

    def _most(self) -> str:
        found = self.path(lambda t: t.kind in ("array", "seq") and t.of.kind == "int" and t.n < 3)
        return f"{self.dice.pick(('min', 'max'))}([{self.number()}, *{found[0]}])" if found else self._leaf()

    def slice(self) -> str:
        """A slice."""
        return self.dice.pick(("[1:]", "[:2]", "[-2:]", "[::-1]", "[:-1]", "[0:3:2]", "[5:]"))

    def _position(self) -> str:
        found = self.path(_is("array", "seq"))
        return f"{found[0]}.index({self.value(found[1].of)})" if found and self.dice.chance(40) else self._leaf()

    def _merge(self) -> str:
        return f"({self.number()} if {self.truth()} else {self.number()})"

    def _truth(self) -> str:
        return f"({self.truth()} + {self.number()})"

    def _option(self) -> str:
        found = self.path(lambda t: t.kind == "option" and t.of.kind == "int")
        if not found:
            return self._leaf()
        if self.dice.chance(50):
            return f"known({found[0]}, {self.number()})"
        return f"({found[0]} if {found[0]} is not None else {self.number()})"

    def _helper(self) -> str:
        return f"{self.dice.pick(self.helpers)}({self.number()}, {self.truth()})" if self.helpers else self._leaf()

    def _total(self) -> str:
        found = self.path(_is("record"))
        return f"{found[0]}.total()" if found and found[0] != "self" else self._leaf()

    # -- truths --------------------------------------------------------------------------------------------

    def truth(self) -> str:
        """Some condition."""
        if self.fuel <= 0:
            found = self.path(lambda t: t.kind == "bool") if self.dice.chance(70) else None
            sign = self.dice.pick(("<", "==", ">=", "!="))
            return found[0] if found else f"({self._leaf()} {sign} {self.dice.integer(0, 3)})"
        kinds = {
            "flag": 3, "compare": 7, "chain": 1, "enum": 4, "logic": 4, "bits": 2, "quantified": 5, "implies": 2,
            "within": 4, "subset": 2, "same": 3, "missing": 2, "filled": 2, "below": 3 if self.wide else 0,
        }  # fmt: skip
        kind = self.dice.weighted(kinds)
        if kind == "quantified":
            return self._spent(self._quantified, self.dice.pick(("all", "any", "not any")))
        return self._spent(getattr(self, f"_{kind}"))

    def _flag(self) -> str:
        found = self.path(lambda t: t.kind == "bool")
        text = found[0] if found else self._compare()
        return f"(not {text})" if self.dice.chance(30) else text

    def _compare(self) -> str:
        return f"({self.number()} {self.dice.pick(('<', '<=', '==', '!=', '>', '>='))} {self.number()})"

    def _below(self) -> str:
        """A condition on the first elements of an array: as many as some number says."""
        found = self.path(lambda t: t.kind == "array" and t.of.kind in ("int", "bool", "enum"))
        if not found:
            return self._compare()
        text, type = found
        name, word = self.name("x"), self.dice.pick(("all", "any", "not any"))
        with self.scope((name, integer(0, type.n - 1))):
            bound, item = self.number(), f"{text}[{name}]"
            test = item if type.of.kind == "bool" else f"({item} {self.dice.pick(('==', '!='))} {self.value(type.of)})"
        join = f"{name} < {bound} and {test}" if word != "all" else f"{name} >= {bound} or {test}"
        return f"({word}({join} for {name} in range({type.n})))"

    def _chain(self) -> str:
        return f"(0 <= {self.number()} < {self.number()})"

    def _enum(self) -> str:
        found = self.path(_is("enum"))
        if not found:
            return self._compare()
        text, type = found
        if self.dice.chance(25):
            return f"({text} in ({', '.join(self.dice.some(type.literals, 1, 2))},))"
        other = self.path(lambda t: t.kind == "enum" and t != type and '"' in t.text and '"' in type.text)
        if other and self.dice.chance(30):
            return f"({text} {self.dice.pick(('==', '!='))} {other[0]})"
        return f"({text} {self.dice.pick(('==', '!='))} {self.value(type)})"

    def _logic(self) -> str:
        truths = [self.truth() for _ in range(self.dice.weighted({2: 5, 3: 1}))]
        return f"({self.dice.pick((' and ', ' or ')).join(truths)})"

    def _bits(self) -> str:
        return f"({self._flag()} {self.dice.pick('&|^')} {self._compare()})"

    def _implies(self) -> str:
        left, right = self.truth(), self.truth()
        kind = self.dice.integer(0, 2)
        return f"implies({'lambda: ' if kind == 2 else ''}{left}, {'lambda: ' if kind else ''}{right})"

    def _within(self) -> str:
        found = self.path(_is("array", "seq", "set", "map"))
        if not found:
            return f"({self.number()} in range({self.dice.integer(1, 3)}))"
        text, type = found
        item = self.value(type.of) if type.kind != "map" else self.key(type)
        return f"({item} {self.dice.pick(('in', 'in', 'not in'))} {text})"

    def _subset(self) -> str:
        found = self.path(_is("set"))
        if not found:
            return self._compare()
        return f"({found[0]} {self.dice.pick(('<=', '==', '>=', '!='))} {self.value(found[1], operand=True)})"

    def _same(self) -> str:
        found = self.path(lambda t: t.composite or t.kind == "option")
        if not found:
            return self._compare()
        return f"({found[0]} {self.dice.pick(('==', '!='))} {self.value(found[1])})"

    def _missing(self) -> str:
        found = self.path(_is("option"))
        return f"({found[0]} is {self.dice.pick(('', 'not '))}None)" if found else self._compare()

    def _filled(self) -> str:
        found = self.path(_is("seq", "set"))
        return f"({self.dice.pick(('bool(', 'not ('))}{found[0]}))" if found else self._compare()

    def _quantified(self, word: str) -> str:
        kind = self.dice.weighted({"listed": 2, "elements": 5, "numbers": 2})
        found = self.path(_is("array", "seq", "set", "map"))
        if kind == "listed" or not found:
            return f"({word}(({self.truth()}, {self.truth()})))"
        name = self.name("x")
        item = self.item(found[1]) if kind == "elements" else integer(0, 2)
        source = f"for {name} in {found[0] if kind == 'elements' else f'range({self.dice.integer(1, 3)})'}"
        with self.scope((name, item)):
            condition = self._plain(name) if kind == "elements" and self.dice.chance(50) else self.truth()
            kept = f" if {self.truth()}" if self.dice.chance(20) else ""
        return f"({word}({condition} {source}{kept}))"

    def _plain(self, name: str) -> str:
        """A short condition on an element, such as compiled code answers for all elements at once."""
        with self.only([root for root in self.roots if root[0] == name]):
            text, type = self.path(lambda t: t.kind in ("int", "bool", "enum", "option")) or ("", BOOL)
        if not text:
            return self.truth()
        if type.kind == "bool":
            return f"not {text}" if self.dice.chance(50) else text
        return f"{text} {self.dice.pick(('==', '!=', '=='))} {self.value(type)}"

    def item(self, type: Type) -> Type:
        """The type of what iterating over a collection gives."""
        return type.fields[0][1] if type.kind == "map" else type.of

    # -- values of a type ----------------------------------------------------------------------------------

    def value(self, type: Type, operand: bool = False) -> str:
        """A value of a type, mostly inside its domain."""
        if type.kind == "int":
            return self.fitting(type)
        if type.kind == "bool":
            return self.truth()
        if type.kind == "option":
            return self._optional(type)
        if self.dice.chance(45 if type.kind != "enum" else 30):
            found = self.path(lambda t: t == type)
            if found:
                return found[0]
        if self.fuel > 0 and self.dice.chance(20):
            return self._spent(self._merged, type, operand)
        if type.kind == "enum":
            return self.dice.pick(type.literals)
        if type.kind == "set":
            return self._set(type, operand)
        made: str = getattr(self, f"_{type.kind}")(type)
        return made

    def _optional(self, type: Type) -> str:
        """A value that may be None: mostly a plain one, or that of some option."""
        found = self.path(lambda t: t == type) if self.dice.chance(40) else None
        if not found:
            return self.value(type.of) if self.dice.chance(60) else "None"
        other = self.path(lambda t: t == type) if self.dice.chance(40) else None
        if not other:
            return found[0]
        return f"({found[0]} if {self.truth()} else {self.dice.pick((other[0], 'None'))})"

    def fitting(self, type: Type) -> str:
        """A number, mostly inside a domain."""
        kind = self.dice.weighted({"literal": 25, "path": 20, "modulo": 32, "clamp": 12, "any": 5})
        if kind == "literal":
            return str(self.dice.integer(type.lo, type.hi))
        if kind == "path":
            found = self.path(lambda t: t.kind == "int" and type.lo <= t.lo and t.hi <= type.hi)
            return found[0] if found else str(type.hi)
        inner = self.number()
        if kind == "modulo":
            return f"{type.lo} + {inner} % {type.hi - type.lo + 1}"
        return inner if kind == "any" else f"min(max({inner}, {type.lo}), {type.hi})"

    def _merged(self, type: Type, operand: bool = False) -> str:
        one, two = self.path(lambda t: t == type), self.path(lambda t: t == type)
        if not one or not two:
            return self.value(type, operand)
        otherwise = two[0] if self.dice.chance(60) else self.value(type, operand)
        return f"({one[0]} if {self.truth()} else {otherwise})"

    def _record(self, type: Type) -> str:
        return f"{type.literals[0]}({', '.join(f'{n}={self.value(t)}' for n, t in type.fields)})"

    def _pair(self, type: Type) -> str:
        return f"Pair({', '.join(self.value(t) for _, t in type.fields)})"

    def _array(self, type: Type) -> str:
        if self.dice.chance(25):
            return f"[{self.value(type.of)} for _ in range({type.n})]"
        return f"[{', '.join(self.value(type.of) for _ in range(type.n))}]"

    def _seq(self, type: Type) -> str:
        found = self.path(lambda t: t == type) if self.dice.chance(40) else None
        if found:
            return f"{found[0]}{self.slice()}"
        other = self.path(lambda t: t.kind in ("seq", "array") and t.of == type.of) if self.dice.chance(30) else None
        if other:
            return other[0]
        return f"[{', '.join(self.value(type.of) for _ in range(self.dice.integer(0, type.n)))}]"

    def _set(self, type: Type, operand: bool = False) -> str:
        found = self.path(lambda t: t == type)
        if found and self.dice.chance(50):
            return f"({found[0]} {self.dice.pick('|&-')} {self._members(type, False)})"
        return self._members(type, not operand)

    def _members(self, type: Type, sequences: bool) -> str:
        kind = type.of
        if kind.kind == "int" and self.dice.chance(60):
            texts = [str(v) for v in self.dice.some(range(kind.lo, kind.hi + 1), 1, 2)]
        elif kind.literals and self.dice.chance(60):
            texts = self.dice.some(kind.literals, 1, 2)
        else:
            texts = [self.value(kind)]
        if sequences and self.dice.chance(30):
            other = self.path(lambda t: t.kind in ("array", "seq") and t.of == kind)
            if other:
                return other[0]
        if sequences and self.dice.chance(30):
            return f"[{', '.join(texts)}]"
        return f"{{{', '.join(texts)}}}"

    def _map(self, type: Type) -> str:
        return f"{{{', '.join(f'{k}: {self.value(type.of)}' for k in type.literals)}}}"
