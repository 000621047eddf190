"""What a specification consists of: Init, Next, fairness, and what else stands beside them."""

from __future__ import annotations

from ..errors import EverystateError
from .nodes import Node, Place
from .scopes import Env, Model, Operator, Substitution


class Parts:
    """The conjuncts of a specification by their kind, each with its scope."""

    def __init__(self) -> None:
        self.init: list[tuple[Node, Env]] = []
        self.next: tuple[Node, Env] | None = None
        self.fair: list[tuple[Node, Env]] = []
        self.others: list[tuple[Node, Env]] = []


def is_temporal(node: Node) -> bool:
    """Whether the outermost operator is temporal."""
    return node.kind == "fair" or (node.kind == "op" and node.value in ("[]", "<>", "~>", "-+->"))


def resolved(node: Node, env: Env) -> tuple[Node, Env]:
    """A name without parameters is what it is defined as."""
    while node.kind == "id":
        found = env.find(node.value)
        if isinstance(found, Substitution):
            node, env = found.node, found.env
        elif isinstance(found, Operator) and not found.definition.params and found.definition.body is not None:
            node, env = found.definition.body, found.env
        else:
            break
    return node, env


def _has_temporal(node: Node, env: Env, depth: int = 0) -> bool:
    if is_temporal(node):
        return True
    if node.kind == "id":
        inner, scope = resolved(node, env)
        return inner is not node and depth < 20 and _has_temporal(inner, scope, depth + 1)
    if node.kind == "op":
        found = env.find(node.value)
        if isinstance(found, Operator) and found.definition.body is not None:
            return depth < 20 and _has_temporal(found.definition.body, found.env, depth + 1)
    if node.kind == "let":
        return _has_temporal(node.args[0], env.let(node.value), depth)
    if node.kind in ("and", "forall", "exists", "or", "op", "if"):
        return any(_has_temporal(item, env, depth) for item in node.args)
    return False


def parts_of(node: Node, env: Env) -> Parts:
    """The parts of Init /\\ [][Next]_vars /\\ ..."""
    found = Parts()

    def collect(node: Node, env: Env) -> None:
        if node.kind == "id" and _has_temporal(node, env):
            collect(*resolved(node, env))
        elif node.kind == "and" and _has_temporal(node, env):
            for item in node.args:
                collect(item, env)
        elif node.kind == "op" and node.value == "[]" and node.args[0].kind == "box":
            found.next = node.args[0].args[0], env
        elif node.kind == "fair" or (node.kind == "forall" and _has_temporal(node, env)):
            found.fair.append((node, env))
        elif _has_temporal(node, env):
            op = env.find(node.value) if node.kind == "op" else None
            if isinstance(op, Operator) and op.definition.body is not None:
                collect(op.definition.body, op.scope(node.args, env))
            else:
                found.others.append((node, env))
        else:
            found.init.append((node, env))

    collect(node, env)
    return found


def specification(model: Model) -> Parts:
    """The parts of the specification that the configuration names."""
    config = model.config
    if config.specification:
        place = config.place(config.specification)
        return parts_of(Node("id", place, (), config.specification), model.root)
    found = Parts()
    names = (config.init or "Init", config.next or "Next")
    if not config.init and "Spec" in model.operators:
        return parts_of(Node("id", Place(model.root_module.file, 1), (), "Spec"), model.root)
    for name in names:
        if model.root.find(name) is None:
            problem = f"{model.path.name} has no {name}"
            remedy = "name them in the configuration: SPECIFICATION Spec, or INIT and NEXT"
            raise EverystateError("E462", None, place=str(model.path), problem=problem, remedy=remedy)
    found.init.append((Node("id", config.place(names[0]), (), names[0]), model.root))
    found.next = Node("id", config.place(names[1]), (), names[1]), model.root
    return found


def init_and_next(model: Model) -> tuple[Node, Node]:
    """Both, in the scope of the root module."""
    found = specification(model)
    place = Place(str(model.path), 1)
    assert found.next is not None
    return Node("and", place, tuple(node for node, _ in found.init)), found.next[0]
