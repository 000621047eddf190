"""The paths of an action instance: what one execution of its code does, from the first condition to a leaf of its tree.

A leaf is a successor, an error, or a guard that disables the action after it has branched. Guards at the top of a tree
have no path of their own: most attempts end there.
"""

from __future__ import annotations

from collections.abc import Iterator

from .tree import Branch, Choice, Disabled, Leaf, Tree, children


def is_guard(node: Branch) -> bool:
    """Whether one side of a branching is disabled, and the other is not."""
    return isinstance(node.then, Disabled) != isinstance(node.otherwise, Disabled)


def below(node: Tree, top: bool) -> Iterator[tuple[int, Tree, bool]]:
    """The parts of a node that have paths: the number of each, the part, and whether it is at the top of the tree."""
    for number, part in enumerate(children(node)):
        if isinstance(node, Branch) and not (top and is_guard(node)):
            yield number, part, False
        elif isinstance(node, Choice) or not isinstance(part, Disabled):
            yield number, part, top


def paths(tree: Tree) -> Iterator[Leaf]:
    """The leaves of a tree that end a path, from left to right."""
    todo: list[tuple[Tree, bool]] = [(tree, True)]
    while todo:
        node, top = todo.pop()
        if isinstance(node, (Branch, Choice)):
            todo += [(part, on_top) for _, part, on_top in reversed(list(below(node, top)))]
        elif not (top and isinstance(node, Disabled)):
            yield node
