"""Random statements: the bodies of actions and helpers, as lines of source text."""

from __future__ import annotations

from collections.abc import Callable

from .expressions import Expressions
from .types import Type, integer


class Statements(Expressions):
    """Statements over the names in scope."""

    steps: tuple[str, ...] = ()
    """Methods of the spec that change the state, called with one number."""

    def block(self, depth: int, most: int = 3) -> list[str]:
        """Some statements; names that they bind are known until the end of the block."""
        lines: list[str] = []
        with self.scope():
            for _ in range(self.dice.integer(1, most)):
                lines += self.statement(depth)
        return lines

    def statement(self, depth: int) -> list[str]:
        """One statement."""
        kinds = {
            "assign": 10, "augment": 3, "whole": 5, "sequence": 7, "members": 3, "choose": 4, "require": 2,
            "local": 3, "reference": 5, "swap": 3, "bump": 2, "check": 1, "step": 1, "tell": 1, "join": 1,
        }  # fmt: skip
        if depth > 0:
            kinds |= {"if": 6, "for": 4, "while": 1, "match": 1, "present": 2, "leave": 1}
        made: list[str] = getattr(self, f"_do_{self.dice.weighted(kinds)}")(depth)
        return made

    def _indented(self, lines: list[str]) -> list[str]:
        return [f"    {line}" for line in lines]

    # -- assignments ---------------------------------------------------------------------------------------

    def _target(self, want: Callable[[Type], bool]) -> tuple[str, Type] | None:
        found = self.path(want, writable=True)
        if found is None or found[0].endswith((".first", ".last")) or found[0] == "self" or _bare(found[0]):
            return None
        return found

    def _do_assign(self, depth: int) -> list[str]:
        found = self._target(lambda t: t.kind in ("int", "bool", "enum", "option"))
        return [f"{found[0]} = {self.value(found[1])}"] if found else ["pass"]

    def _do_augment(self, depth: int) -> list[str]:
        found = self._target(lambda t: t.kind == "int")
        if not found:
            return ["pass"]
        by = self.number() if self.dice.chance(25) else "1"
        lines = [f"{found[0]} {self.dice.pick(('+=', '-=', '*='))} {by}"]
        if self.dice.chance(60):
            return [f"if {found[1].lo} < {found[0]} < {found[1].hi}:", *self._indented(lines)]
        return lines

    def _do_whole(self, depth: int) -> list[str]:
        found = self._target(lambda t: t.composite)
        return [f"{found[0]} = {self.value(found[1])}"] if found else ["pass"]

    def _do_join(self, depth: int) -> list[str]:
        found = self._target(lambda t: t.kind == "set")
        return [f"{found[0]} {self.dice.pick('|&-')}= {self._members(found[1], False)}"] if found else ["pass"]

    def _do_swap(self, depth: int) -> list[str]:
        found = self._target(lambda t: True)
        other = self._target(lambda t: t == found[1]) if found else None
        return [f"{found[0]}, {other[0]} = {other[0]}, {found[0]}"] if found and other else ["pass"]

    def _do_local(self, depth: int) -> list[str]:
        name, kind = self.name("t"), self.dice.integer(0, 1)
        option = self.path(lambda t: t.kind == "option") if self.dice.chance(40) else None
        if option:
            self.roots.append((name, option[1]))
            return [f"{name} = {option[0]}"]
        line = f"{name} = {self.truth() if kind else self.number()}"
        self.roots.append((name, Type("bool", "") if kind else integer(-9, 9)))
        return [line]

    def _do_reference(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.composite)
        if not found:
            return ["pass"]
        name, text = self.name("r"), found[0]
        other = self.path(lambda t: t == found[1]) if self.dice.chance(35) else None
        if other:
            text = f"{text} if {self.truth()} else {other[0]}"
        self.roots.append((name, found[1]))
        return [f"{name} = {text}", *(self._through(name, found[1]) if self.dice.chance(60) else ())]

    def _through(self, name: str, type: Type) -> list[str]:
        """An assignment to a part of what a name refers to."""
        with self.only([(name, type)]):
            found = self._target(lambda t: t.kind in ("int", "bool", "enum"))
        return [f"{found[0]} = {self.value(found[1])}"] if found else []

    # -- collections ---------------------------------------------------------------------------------------

    def _do_sequence(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind == "seq", writable=True)
        if not found:
            return self._do_assign(depth)
        text, type = found
        kinds = {"append": 6, "popleft": 4, "pop": 2, "pop(i)": 2, "insert": 2, "extend": 2, "clear": 1}
        kind = self.dice.weighted(kinds)
        item = self.value(type.of)
        if kind in ("append", "extend", "insert"):
            more = self.value(type) if self.dice.chance(50) else f"[{item}, {self.value(type.of)}]"
            call = {
                "append": f"append({item})",
                "extend": f"extend({more})",
                "insert": f"insert({self.dice.pick((0, 1, self.number()))}, {item})",
            }[kind]
            return self._guarded(f"len({text}) < {type.n}", f"{text}.{call}")
        if kind == "clear":
            return [f"{text}.clear()"]
        call = {"popleft": "popleft()", "pop": "pop()", "pop(i)": f"pop({self.index(type)})"}[kind]
        return self._guarded(self.dice.pick((text, f"len({text}) > 0")), self._taken(type.of, f"{text}.{call}"))

    def _taken(self, type: Type, call: str) -> str:
        if self.dice.chance(40) or type.kind == "option":
            return call
        name = self.name("p")
        self.roots.append((name, type))
        return f"{name} = {call}"

    def _guarded(self, condition: str, line: str) -> list[str]:
        if self.dice.chance(80):
            return [f"require({condition})", line]
        return [line]

    def _do_members(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind == "set", writable=True)
        if not found:
            return self._do_assign(depth)
        text, type = found
        if self.dice.chance(10):
            return [f"{text}.clear()"]
        item = self.value(type.of)
        word = self.dice.pick(("add", "discard", "remove"))
        if word == "remove":
            return self._guarded(f"{item} in {text}", f"{text}.remove({item})")
        return [f"{text}.{word}({item})"]

    # -- control -------------------------------------------------------------------------------------------

    def _do_require(self, depth: int) -> list[str]:
        return [f"require({self.truth()})"]

    def _do_check(self, depth: int) -> list[str]:
        return [f"assert {self.truth()} or {self.truth()}, 'checked'"]

    def _do_tell(self, depth: int) -> list[str]:
        told = self.number().replace('"', "'")
        return [f'narrate(f"now {{({told})}}")']

    def _do_bump(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind == "record", writable=True)
        return [f"{found[0]}.bump({self.number()})"] if found and found[0] != "self" else self._do_assign(depth)

    def _do_step(self, depth: int) -> list[str]:
        return [f"{self.dice.pick(self.steps)}({self.number()})"] if self.steps else self._do_assign(depth)

    def _do_if(self, depth: int) -> list[str]:
        lines = [f"if {self.truth()}:", *self._indented(self.block(depth - 1, 2))]
        if self.dice.chance(25):
            lines += [f"elif {self.truth()}:", *self._indented(self.block(depth - 1, 2))]
        if self.dice.chance(45):
            lines += ["else:", *self._indented(self.block(depth - 1, 2))]
        return lines

    def _do_leave(self, depth: int) -> list[str]:
        return [f"if {self.truth()}:", *self._indented([*self.block(0, 1), "return"])]

    def _do_present(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind == "option")
        if not found:
            return self._do_if(depth)
        name = self.name("o")
        with self.scope((name, found[1].of)):
            body = self.block(depth - 1, 2)
        return [f"{name} = {found[0]}", f"if {name} is not None:", *self._indented(body)]

    def _do_match(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind in ("enum", "int"))
        if not found:
            return self._do_if(depth)
        text, type = found
        first = type.literals[0] if type.literals else str(type.lo)
        lines = [f"match {text}:", f"    case {first}:"]
        lines += self._indented(self._indented(self.block(depth - 1, 2)))
        return [*lines, "    case _:", *self._indented(self._indented(self.block(depth - 1, 1)))]

    def _do_for(self, depth: int) -> list[str]:
        found = self.path(lambda t: t.kind in ("array", "seq", "set", "map"))
        name = self.name("i")
        if not found or self.dice.chance(35):
            return self._loop(depth, f"for {name} in range({self._bound()}):", (name, integer(0, 2)))
        text, type = found
        if type.kind == "map" and self.dice.chance(60):
            if self.dice.chance(50):
                return self._loop(depth, f"for {name} in {text}.values():", (name, type.of))
            key = self.name("k")
            names = ((key, type.fields[0][1]), (name, type.of))
            return self._loop(depth, f"for {key}, {name} in {text}.items():", *names)
        if type.kind != "map" and self.dice.chance(20):
            names = ((name, integer(0, 2)), (f"e{name}", type.of))
            return self._loop(depth, f"for {name}, e{name} in enumerate({text}):", *names)
        item = self.item(type)
        return self._loop(depth, f"for {name} in {text}:", (name, item))

    def _bound(self) -> str:
        if self.dice.chance(75):
            return str(self.dice.integer(1, 3))
        found = self.path(lambda t: t.kind == "int" and t.hi <= 3)
        return found[0] if found else "2"

    def _loop(self, depth: int, head: str, *names: tuple[str, Type]) -> list[str]:
        with self.scope(*names):
            body = self.block(depth - 1 if self.dice.chance(50) else 0, 2)
            if self.dice.chance(20):
                leave = [f"if {self.truth()}:", f"    {self.dice.pick(('break', 'continue', 'return'))}"]
                body = [*leave, *body] if self.dice.chance(50) else [*body, *leave]
        lines = [head, *self._indented(body)]
        return [*lines, "else:", *self._indented(self.block(0, 1))] if self.dice.chance(10) else lines

    def _do_while(self, depth: int) -> list[str]:
        name = self.name("n")
        with self.scope((name, integer(0, 3))):
            body = self.block(0, 2)
            head = f"while {name} < {self.dice.integer(1, 3)} and {self.truth()}:"
        return [f"{name} = 0", head, *self._indented([f"{name} += 1", *body])]

    # -- choices -------------------------------------------------------------------------------------------

    def _do_choose(self, depth: int) -> list[str]:
        name = self.name("c")
        source = self.dice.weighted({"range": 3, "list": 2, "domain": 2, "state": 5, "references": 2})
        given, type = getattr(self, f"_from_{source}")()
        self.roots.append((name, type))
        return [f"{name} = choose({given})"]

    def _from_range(self) -> tuple[str, Type]:
        lo = self.dice.integer(0, 1)
        return f"range({lo}, {lo + self.dice.integer(1, 2)})", integer(0, 2)

    def _from_list(self) -> tuple[str, Type]:
        return f"[{self.number()}, {self.number()}]", integer(-9, 9)

    def _from_domain(self) -> tuple[str, Type]:
        type = self.dice.pick([Type("bool", "Bool()"), integer(-1, 1), self.enum])
        return type.text, type

    def _from_state(self) -> tuple[str, Type]:
        found = self.path(lambda t: t.kind in ("set", "seq", "array", "map"))
        if not found:
            return self._from_range()
        return found[0], self.item(found[1])

    def _from_references(self) -> tuple[str, Type]:
        found = self.path(lambda t: t.composite)
        other = self.path(lambda t: t == found[1]) if found else None
        return (f"[{found[0]}, {other[0]}]", found[1]) if found and other else self._from_range()

    enum: Type


def _bare(text: str) -> bool:
    """Whether a path is a local name, which an assignment would only bind again."""
    return "." not in text and "[" not in text
