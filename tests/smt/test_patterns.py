"""Clauses that differ in indices only are printed once."""

from __future__ import annotations

import pytest

pytest.importorskip("z3", reason="z3 is not installed")

from everystate.checker.engines.symbolic.patterns import patterns


def pairs(form: str, *choices: tuple[int, ...]) -> list[list[str]]:
    return [form.format(*choice).split(" and ") for choice in choices]


CASES = {
    "never has[i] and has[j]  for all i < j of 0..2": pairs("has[{0}] and has[{1}]", (0, 1), (2, 0), (1, 2)),
    "never a[i] and b[j]  for all i != j of 0, 1": pairs("b[{0}] and a[{1}]", (0, 1), (1, 0)),
    "never a[i] and b[j]  for i, j = 0, 1; 2, 0": pairs("a[{0}] and b[{1}]", (0, 1), (2, 0)),
    "never a[i] and b[i]  for all i of 0..2": pairs("a[{0}] and b[{0}]", (0,), (1,), (2,)),
    "never a[i] and b[2]  for all i of 0, 1": pairs("a[{0}] and b[2]", (0,), (1,)),
    "never i in votes and not Vote(rm=i, value=1) in sent  for all i of 0, 3": pairs(
        "{0} in votes and not Vote(rm={0}, value=1) in sent", (0,), (3,)
    ),
    "never A(b=i, v=j) in sent and A(b=i, v=k) in sent  for all i of 0, 1, j < k of 0..2": pairs(
        "A(b={0}, v={1}) in sent and A(b={0}, v={2}) in sent",
        *[(b, v, w) for b in range(2) for v in range(3) for w in range(v)],
    ),
    "never a[0] and b[1]": pairs("a[0] and b[1]", ()),
    "never a[i] == 3 and b[j]  for 11 choices of i, j": pairs(
        "a[{0}] == 3 and b[{1}]", *[(i, j) for i in range(4) for j in range(4) if i != j and (i or j > 1)]
    ),
}


@pytest.mark.parametrize("line", CASES)
def test_a_pattern_says_which_clauses_it_stands_for(line: str) -> None:
    assert patterns(CASES[line]) == [line]


def test_clauses_of_several_patterns_keep_their_order() -> None:
    assert patterns([["a[1]"], ["b[0]"], ["a[0]"], ["a[1]", "b[10]"]]) == [
        "never a[i]  for all i of 0, 1",
        "never b[0]",
        "never a[1] and b[10]",
    ]
