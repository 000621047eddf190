"""The text of a trace, and of what a step changed."""

from __future__ import annotations

import pytest

from everystate.checker.results.changes import compare
from everystate.checker.results.plain import Fields, Members, Pairs, Row, Tree, show, trees_of
from everystate.checker.results.text import render

from .specs import Zoo
from .test_itf import WALKS, wander

LONG = [Fields("Parcel", {"size": i, "sender": "a rather long name"}) for i in range(6)]


def told(old: Tree, new: Tree) -> list[str]:
    return [str(change) for change in compare("v", old, new)]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        (1, 2, ["v: 1 -> 2"]),
        (None, "x", ["v: None -> x"]),
        (["a", "b", "c"], ["a", "x", "c"], ["v[1]: b -> x"]),
        (["a", "b", "c"], ["x", "x", "x"], ["v: [a, b, c] -> [x, x, x]"]),
        (["a" * 20] * 4, ["b" * 20] * 4, [f"v[0..3]: {'a' * 20} -> {'b' * 20}"]),
        ([0, 1], [0, 1, 2], ["v: [0, 1] -> [0, 1, 2]"]),
        ([], [1], ["v: [] -> [1]"]),
        (Fields("R", {"a": 1, "b": 2}), Fields("R", {"a": 1, "b": 3}), ["v.b: 2 -> 3"]),
        (Pairs([(1, "a"), (2, "b")]), Pairs([(1, "a"), (2, "c")]), ["v[2]: b -> c"]),
        (Members([1]), Members([1, 2]), ["v: {1} -> {1, 2}"]),
        (LONG[:5], LONG[:6], [f"v: added {show(LONG[5])}"]),
        (LONG[:5], LONG[1:5], [f"v: took {show(LONG[0])} from the front"]),
        (LONG[:4], LONG[1:5], [f"v: took {show(LONG[0])} from the front; added {show(LONG[4])}"]),
        (Row(LONG[:4]), Row(LONG[1:5]), [f"v[{i}].size: {i} -> {i + 1}" for i in range(4)]),
        (LONG[:4], LONG[:3], [f"v: took {show(LONG[3])} from the end"]),
        (LONG, [], ["v: emptied (it held 6)"]),
        (LONG[:2], [LONG[0], Fields("Parcel", {**LONG[1].items, "size": 9})], ["v[1].size: 1 -> 9"]),
        (Members(list(range(50))), Members(list(range(1, 51))), ["v: removed 0; added 50"]),
    ],
)
def test_a_change_is_told_where_it_reads_best(old: Tree, new: Tree, lines: list[str]) -> None:
    assert told(old, new) == lines


@pytest.mark.parametrize("picks", WALKS)
def test_a_tree_reads_like_the_state_itself(picks: list[int]) -> None:
    for state in wander(picks).states:
        assert {name: show(tree) for name, tree in trees_of(state).items()} == {
            name: text.replace("(0, 'x')", "(0, x)").replace("(1, 'y')", "(1, y)")
            for name, text in state.shown().items()
        }


def test_the_text_of_a_trace() -> None:
    assert render(wander([0, 16])) == TEXT


def test_colours_change_nothing_but_colours() -> None:
    import re

    from everystate.checker.cli.output import paint

    trace = wander(WALKS[4])
    coloured = render(trace, paint)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == render(trace)


def test_nothing_of_the_state_is_left_out() -> None:
    names = list(Zoo().domains)
    assert all(f" {name} " in TEXT.split("  1.")[0] for name in names)


TEXT = """\
Invariant small violated after 2 steps. Expected: at most two
zoo.py:Zoo

  0. initial state
      number  = 0
      flag    = False
      light   = RED
      names   = [ann, ann]
      queue   = []
      members = {}
      places  = {(0, x): None, (1, y): None}
      nested  = {RED: [{}, {}], GREEN: [{}, {}]}
  1. send(who=ann) choosing RED, (0, 'x'), 1
      "ann -> depot: a parcel of size 1"
      "depot: it is wrapped"
      number: 0 -> -1
      queue: [] -> [Parcel(size=1, sender=ann, fragile=True)]
      members: {} -> {1}
      places[(0, x)]: None -> 1
      nested[RED][0]: {} -> {q}
  2. receive()
      "something arrives"
      flag: False -> True
      queue: [Parcel(size=1, sender=ann, fragile=True)] -> []

small is false in the last state:
  i = 2
  q = []
"""
