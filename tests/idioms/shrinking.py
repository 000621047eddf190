"""A body that shows something, made as small as it still shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from .grammar import BLOCK, Block, Node, Production, production
from .writing import Body

PLAINEST = {
    "int": ("1", "0"),
    "digit": ("1", "0"),
    "bool": ("True", "False"),
    "list": ("[1, 0]", "[]"),
    "fresh": ("[1, 0]", "[]"),
    "ints": ("[1, 0]", "[]"),
    "iter": ("iter([1, 0])",),
    "set": ("{1, 0}", "set()"),
    "opt": ("None", "1"),
    "rec": ("Rec(1, True)",),
    "pair": ("(0, 1)",),
    "text": ('"red"',),
    "stmt": ("pass",),
}


def _plain(kind: str) -> list[Node]:
    made = [Production(kind, text, 1, False, production(kind, "x").parts) for text in PLAINEST.get(kind, ())]
    return [Node(way, [way.text]) for way in made]


def _smaller(body: Body) -> Iterator[Body]:
    """Bodies with one thing less, the largest steps first."""
    if body.helper:
        yield replace(body, helper=None)
    if body.rare:
        yield replace(body, rare=False)
    if body.parameter:
        yield replace(body, parameter=False)
    for name in ("block", "end", "helper"):
        tree = getattr(body, name)
        for changed in _trees(tree) if tree else ():
            part: dict[str, Any] = {name: changed}
            yield replace(body, **part)


def _trees(node: Node) -> Iterator[Node]:
    """The same tree with one node of it replaced by something smaller."""
    yield from _instead(node)
    for i, child in enumerate(node.values):
        if isinstance(child, Node):
            for changed in _trees(child):
                yield type(node)(node.production, [*node.values[:i], changed, *node.values[i + 1 :]])


def _instead(node: Node) -> Iterator[Node]:
    if isinstance(node, Block):
        half = len(node.values) // 2
        for cut in ((0, half), (half, len(node.values))) if half else ():
            yield Block(BLOCK, [*node.values[: cut[0]], *node.values[cut[1] :]])
        for i, value in enumerate(node.values):
            yield Block(BLOCK, [*node.values[:i], *node.values[i + 1 :]])
            inner = [c for c in value.children if isinstance(c, Block)] if isinstance(value, Node) else []
            for block in inner:
                yield Block(BLOCK, [*node.values[:i], *block.values, *node.values[i + 1 :]])
        return
    kind = node.production.kind
    for plain in _plain(kind):
        if str(plain) != str(node):
            yield plain
    yield from (below for below in list(node.walk())[1:] if below.production.kind == kind)


def shrink(body: Body, shows: Callable[[Body], bool], most: int = 400) -> Body:
    """The smallest body found that still shows it, after so many trials at most."""
    tried = set[str]()
    smaller = True
    while smaller:
        smaller = False
        for candidate in sorted(_smaller(body), key=lambda b: len(b.source())):
            text = candidate.source()
            if text in tried or len(text) >= len(body.source()):
                continue
            tried.add(text)
            if len(tried) > most:
                return body
            if shows(candidate):
                body, smaller = candidate, True
                break
    return body
