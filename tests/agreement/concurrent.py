"""Random specs of processes that hardly know each other, as source text: what partial-order reduction is made for.

Each process goes through its program by a counter of its own; some steps touch shared variables, a queue, or the
process beside. Properties look at a few of them.
"""

from __future__ import annotations

from .dice import Dice

HEAD = '''"""A random spec of processes."""

from everystate.checker import (
    Array, Bool, Int, Seq, Spec, action, action_constraint, choose, constraint, implies, invariant, reachable, require,
    step_invariant,
)


class Generated(Spec):
'''
TOP = 3
"""The largest value of a variable."""


class Author:
    """Writes one spec."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.processes, self.places = dice.integer(2, 4), dice.integer(2, 4)
        self.shared = [f"self.x{i}" for i in range(dice.integer(1, 3))]
        self.queue, self.errors = dice.chance(40), dice.chance(20)
        self.lines = HEAD.splitlines()

    def write(self) -> str:
        """The source text."""
        dice = self.dice
        self.lines += [f"    may_terminate = {dice.chance(50)}", "", "    def variables(self):"]
        self.lines.append(f"        self.at = Array({self.processes}, Int(0, {self.places}))")
        self.lines.append(f"        self.mine = Array({self.processes}, Int(0, {TOP}))")
        self.lines += [f"        {name} = Int(0, {TOP})" for name in self.shared]
        self.lines += ["        self.queue = Seq(Int(0, 1), 2)"] if self.queue else []
        for number in range(dice.integer(self.places, self.places + 2)):
            self._step(number)
        for number in range(dice.integer(0, 1)):
            self._alone(number)
        for number in range(dice.weighted({1: 60, 2: 30, 3: 10})):
            self._property(number)
        return "\n".join(self.lines) + "\n"

    def _method(self, decorator: str, head: str, body: list[str]) -> None:
        self.lines += ["", f"    @{decorator}", f"    def {head}:", *(f"        {line}" for line in body)]

    # -- steps

    def _step(self, number: int) -> None:
        dice = self.dice
        place = number % self.places
        after = place + 1 if dice.chance(75) else dice.integer(0, self.places)
        body = [f"require(self.at[i] == {place})"]
        if dice.chance(30):
            body.append(f"require({self._condition('i')})")
        body += self._effects("i")
        if dice.chance(90):
            body.append(f"self.at[i] = {after}")
        self._method(f"action(i=range({self.processes}))", f"step{number}(self, i)", body)

    def _alone(self, number: int) -> None:
        process = str(self.dice.integer(0, self.processes - 1))
        body = [f"require({self._condition(process)})", *self._effects(process)]
        self._method("action", f"alone{number}(self)", body)

    def _effects(self, i: str) -> list[str]:
        dice = self.dice
        kinds = {"mine": 60, "shared": 14, "choice": 8, "branch": 8, "nothing": 10}
        if self.queue:
            kinds |= {"put": 10, "get": 10}
        lines: list[str] = []
        for _ in range(dice.integer(1, 2)):
            kind = dice.weighted(kinds)
            if kind == "mine":
                lines += self._change(f"self.mine[{i}]")
            elif kind == "shared":
                lines += self._change(dice.pick(self.shared))
            elif kind == "choice":
                lines.append(f"{self._place(i)} = choose([0, {dice.integer(1, TOP)}])")
            elif kind == "branch":
                lines.append(f"if {self._condition(i)}:")
                lines += [f"    {line}" for line in self._change(self._place(i))]
            elif kind == "put":
                lines += ["require(len(self.queue) < 2)", f"self.queue.append({dice.integer(0, 1)})"]
            elif kind == "get":
                lines += ["require(self.queue)", f"{self._place(i)} = self.queue.popleft()"]
        return lines or ["pass"]

    def _change(self, place: str) -> list[str]:
        dice = self.dice
        if self.errors and dice.chance(25):
            return [f"{place} += 1"]
        kind = dice.integer(0, 3)
        if kind == 0:
            return [f"{place} = {dice.integer(0, TOP)}"]
        if kind == 1:
            return [f"{place} = ({place} + {dice.integer(1, 2)}) % {TOP + 1}"]
        if kind == 2:
            return [f"require({place} < {TOP})", f"{place} += 1"]
        return [f"{place} = {TOP} - {place}"]

    def _place(self, i: str) -> str:
        return self.dice.pick([f"self.mine[{i}]", *self.shared])

    # -- conditions

    def _condition(self, i: str) -> str:
        dice = self.dice
        other = f"self.at[{dice.integer(0, self.processes - 1)}]"
        place = dice.pick([self._place(i), f"self.mine[{i}]", other, *(["len(self.queue)"] if self.queue else [])])
        return f"{place} {dice.pick(['<', '==', '>=', '!='])} {dice.integer(0, TOP)}"

    def _places(self) -> str:
        """A conjunction of what several processes do at once: seldom true, and not for long."""
        one, other = self.dice.some([str(i) for i in range(self.processes)], 2, 2)
        where = [f"self.at[{i}] == {self.dice.integer(0, self.places)}" for i in (one, other)]
        return " and ".join([*where, *([self._condition(one)] if self.dice.chance(50) else [])])

    def _property(self, number: int) -> None:
        dice, name = self.dice, f"p{number}(self)"
        first = str(dice.integer(0, self.processes - 1))
        kind = dice.weighted({"invariant": 50, "goal": 15, "implies": 10, "step": 10, "constraint": 10, "bound": 5})
        if kind == "goal":
            self._method("reachable", name, [f"return {self._places()}"])
        elif kind == "constraint":
            self._method("constraint", name, [f"return not ({self._places()})"])
        elif kind == "step":
            place = self._place(first)
            before = place.replace("self", "before")
            self._method("step_invariant", f"p{number}(self, before)", [f"return {place} + {TOP - 1} >= {before}"])
        elif kind == "bound":
            place = self._place(first)
            before = place.replace("self", "before")
            said = [f"return {place} <= {before} + 1 or {self._condition(first)}"]
            self._method("action_constraint", f"p{number}(self, before)", said)
        elif kind == "implies":
            said = f"implies({self._condition(first)}, {self._condition(first)})"
            self._method("invariant", name, [f"return {said} or not ({self._places()})"])
        else:
            text = f"not ({self._places()})" if dice.chance(70) else self._condition(first)
            broken = (
                f"{TOP} // (1 + {self._place(first)}) >= 0" if dice.chance(90) else f"1 // {self._place(first)} < 9"
            )
            self._method("invariant", name, [f"return {broken} and {text}"])


def write(dice: Dice) -> str:
    """The source text of a random spec of processes."""
    return Author(dice).write()
