"""Explores all paths of a function by running it again and again.

Each run follows the decisions of the previous one up to the last that still has an open alternative, takes that, and
continues with first alternatives. The decisions of all runs, in order, form a decision tree; a finished subtree whose
sides are equal collapses to one.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import EverystateError, describe, user_place
from ..ir.expr import Expr
from ..ir.merged_choice import MergedChoice
from ..ir.tree import Branch, Choice, Tree, same

MAX_PATHS = 10_000
MAX_DECISIONS = 1_000
FEW_PATHS = 8
"""The number of paths up to which an `if` of an action splits the path."""
MAX_WORK, SIDE = 1_000_000, 2
"""The work for one action or property, which takes some ten seconds, and that of one side of a merged condition. A
decision on a path counts as 1. A registered spec needs at most 6,000."""


class Work:
    """Counts the decisions of one action or property on all of its paths, so that tracing ends."""

    def __init__(self) -> None:
        self.begin("")

    def begin(self, name: str) -> None:
        """An action or property begins."""
        self.name, self.done = name, 0

    def add(self, amount: int) -> None:
        """Count a decision; E239 where there were too many."""
        self.done += amount
        if self.done > MAX_WORK:
            raise EverystateError("E239", user_place(), action=self.name, limit=f"{MAX_WORK:,}")


@dataclass
class _Node:
    """An open question: a condition (two sides), a choice (one for each option) or a merged one (one for all)."""

    question: Any
    labels: Sequence[Any]
    kids: list[Tree] = field(default_factory=list)
    at: int = 0
    leaf: Tree | None = None
    """The leaf of the path where the condition does not hold; then only the other side is run."""
    origin: int | None = None
    """The number of the merge that failed and split the path here."""
    alternatives: Any = None
    """The alternatives of a choice, where they are the same on all paths, and the number of merges before it."""


class StartAgain(BaseException):
    """A function is traced again from its beginning: what was learned makes all its paths differ."""


class Explorer:
    """The open path through the decision tree of one function."""

    def __init__(self, name: str, work: Work, branches: bool = False) -> None:
        self.name, self.work = name, work
        self.branches = branches
        """Whether an `if` outside of all merges splits the path: that is faster where paths are few."""
        self._path: list[_Node] = []
        self._cursor = 0
        self.merges = 0
        """How many outermost conditions this run has begun to merge."""
        self.failed: int | None = None
        """The number of the one that has just failed."""
        self._lines: dict[tuple[str, int, str], int] = {}

    def explore(self, run: Callable[[], Tree]) -> Tree:
        """The decision tree of `run`, which returns the leaf that it reaches."""
        while True:
            try:
                return self._in_some_paths(run)
            except StartAgain:
                self._path, self._lines = [], {}

    def _in_some_paths(self, run: Callable[[], Tree]) -> Tree:
        if self.branches:
            found = self._explored(run, FEW_PATHS)
            if found is not None:
                return found
            self._path, self._lines, self.branches = [], {}, False
        found = self._explored(run, MAX_PATHS)
        if found is None:
            raise self._too_many()
        return found

    def _explored(self, run: Callable[[], Tree], most: int) -> Tree | None:
        """The decision tree; None where it has more paths than this."""
        paths = 0
        while True:
            self._cursor = self.merges = 0
            leaf = run()
            paths += 1
            if self._cursor != len(self._path):
                raise EverystateError("E207", None, action=self.name)
            whole = self._close(leaf)
            if whole is not None:
                return whole
            if paths + self._open() > most:
                return None

    def known_alternatives(self) -> Any:
        """The alternatives from an earlier run for the choice at this point; None where they are to be computed."""
        if self._cursor == len(self._path) or self._path[self._cursor].alternatives is None:
            return None
        found, self.merges = self._path[self._cursor].alternatives
        return found

    def ask(
        self,
        question: Expr | MergedChoice | int,
        labels: Sequence[Any],
        line: Callable[[], tuple[str, int, str]],
        alternatives: Any = None,
    ) -> int:
        """The alternative that this run takes: for a condition 0 is true and 1 is false."""
        self.work.add(1)
        if self._cursor == len(self._path):
            if sum(node.leaf is None for node in self._path) >= MAX_DECISIONS:
                raise EverystateError("E205", describe(*line()), action=self.name, limit=f"{MAX_DECISIONS:,}")
            known = None if alternatives is None else (alternatives, self.merges)
            self._path.append(_Node(question, labels, origin=self.failed, alternatives=known))
            if (
                math.prod(len(n.question.values) for n in self._path if isinstance(n.question, MergedChoice))
                > MAX_PATHS
            ):
                self._lines[line()] = MAX_PATHS
                raise self._too_many()
            here = line()
            self._lines[here] = self._lines.get(here, 0) + 1
        self.failed = None
        node = self._path[self._cursor]
        if node.question is not question and node.question != question:
            raise EverystateError("E207", describe(*line()), action=self.name)
        self._cursor += 1
        return node.at

    def exit(self, stays: Expr, leaf: Tree) -> None:
        """The path ends in a leaf where a condition does not hold, without a run of its own."""
        if self._cursor == len(self._path):
            self._path.append(_Node(stays, (True, False), leaf=leaf))
        node = self._path[self._cursor]
        if node.question is not stays or node.leaf is None:
            raise EverystateError("E207", None, action=self.name)
        self._cursor += 1

    @property
    def cursor(self) -> int:
        """How many questions this run has met."""
        return self._cursor

    def back(self, cursor: int) -> None:
        """Forget later decisions: they were made on a path that is not taken."""
        del self._path[cursor:]
        self._cursor = cursor

    def splits(self, term: Expr) -> bool:
        """Whether an earlier run could not merge the sides of the condition at this point."""
        if self._cursor == len(self._path):
            return False
        node = self._path[self._cursor]
        return node.leaf is None and node.question is term and node.origin == self.merges

    def _close(self, leaf: Tree) -> Tree | None:
        """Put a finished subtree in its place; the whole tree when nothing is open any more."""
        done = leaf
        while self._path:
            node = self._path[-1]
            node.kids.append(done)
            if node.leaf is not None:
                node.kids.append(node.leaf)
            if len(node.kids) < len(node.labels):
                node.at += 1
                return None
            self._path.pop()
            done = _join(node)
        return done

    def _open(self) -> int:
        """The minimum number of paths that were not run yet."""
        return 1 + sum(len(node.labels) - len(node.kids) - 1 for node in self._path if node.leaf is None)

    def _too_many(self) -> EverystateError:
        """E204, at the line where the path has split most often."""
        most = sorted(self._lines.items(), key=operator.itemgetter(1), reverse=True)[:3]
        lines = ", ".join(f"{count:,} times in line {line}" for (_, line, _), count in most)
        return EverystateError("E204", describe(*most[0][0]), action=self.name, limit=f"{MAX_PATHS:,}", lines=lines)


def _join(node: _Node) -> Tree:
    if isinstance(node.question, Expr):
        then, otherwise = node.kids
        return then if same(then, otherwise) else Branch(node.question, then, otherwise)
    if isinstance(node.question, MergedChoice):
        return node.question.apart(node.kids[0])
    return Choice(tuple(node.labels), tuple(node.kids))
