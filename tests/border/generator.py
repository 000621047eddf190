"""Random hostile specs: conditions of `constructs` and `hostile`, wrapped in what Python offers, in any place."""

from __future__ import annotations

from random import Random

from .constructs import CONSTRUCTS, PROPERTIES, SPEC
from .hostile import HOSTILE

WRAPPERS = (
    "bool({0})",
    "(lambda v: v)({0})",
    "[{0}][0]",
    "If({0}, True, False)",
    "any_of([0], lambda _: {0})",
    "str(bool({0})) == 'True'",
    "{{True: 1}}.get(bool({0})) == 1",
    "not not ({0})",
    "next(iter([{0}]))",
    "max(bool({0}), False)",
    "functools.partial(lambda v: v, {0})()",
    "(x := ({0}))",
    "[v for v in [{0}]][0]",
    "any(({0}) for _ in [0])",
    "all_of([0, 1], lambda i: i == 1 or ({0}))",
    "copy.copy({0})",
    "sum([bool({0})]) == 1",
    "f'{{bool({0})}}' == 'True'",
    "'%s' % bool({0}) == 'True'",
    "(({0}), 1)[0]",
    "sorted([bool({0}), False])[1]",
    "implies(self.n == 7, {0}) and self.n == 7",
    "({0}) and ({1})",
    "({0}) or ({1})",
    "bool({0}) != bool({1})",
    "({0}) if ({1}) else False",
    "If({0}, lambda: bool({1}), lambda: False)",
    "len([1 for v in (bool({0}), bool({1})) if v]) == 2",
    "bool({0}) + bool({1}) == 2",
    "operator.and_(bool({0}), bool({1}))",
    "count([bool({0}), bool({1})], lambda v: v) == 2",
    "list(map(bool, [{0}, {1}])) == [True, True]",
)


def _conditions(outcome: str | None) -> list[str]:
    """The conditions that need no code of their own, with one outcome or with any."""
    found = [c.bad.replace("{{", "{").replace("}}", "}") for c in CONSTRUCTS if outcome in (None, c.outcome)]
    plain = [h for h in HOSTILE if not h.module and not h.members and outcome in (None, h.outcome)]
    return found + [h.bad for h in plain if "\n" not in h.bad and not h.bad.startswith("return")]


EXACT, ANY = _conditions("same"), _conditions(None)
REFUSED_NOW_AND_THEN = 0.02


def condition(dice: Random, depth: int) -> str:
    """A condition of a nesting depth."""
    if depth == 0:
        return dice.choice(ANY if dice.random() < REFUSED_NOW_AND_THEN else EXACT)
    return dice.choice(WRAPPERS).format(condition(dice, depth - 1), condition(dice, dice.randrange(depth)))


def spec(seed: int) -> str:
    """The text of a random spec."""
    dice = Random(seed)
    kind = dice.choice(list(PROPERTIES))
    bad = condition(dice, dice.randint(1, 3))
    guard = "require(not self.bad())" if kind == "guard" else "pass"
    return SPEC.format(guard=guard, bad=bad, property=PROPERTIES[kind])
