# ruff: noqa: RUF001, E501
"""From the text of a module to nodes, with the grammar of tree-sitter-tlaplus."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import EverystateError
from ..extras import require
from .nodes import Bound, Definition, Module, Node, Place

SPELLINGS = {
    "\\land": "/\\", "∧": "/\\", "\\lor": "\\/", "∨": "\\/", "\\lnot": "~", "\\neg": "~", "¬": "~", "#": "/=", "≠": "/=",
    "\\equiv": "<=>", "≡": "<=>", "⇔": "<=>", "⇒": "=>", "\\leq": "<=", "=<": "<=", "≤": "<=", "\\geq": ">=", "≥": ">=",
    "\\union": "\\cup", "∪": "\\cup", "\\intersect": "\\cap", "∩": "\\cap", "∈": "\\in", "∉": "\\notin",
    "⊆": "\\subseteq", "\\circ": "\\o", "∘": "\\o", "‥": "..", "\\times": "\\X", "×": "\\X", "◇": "<>", "□": "[]", "↝": "~>",
}  # fmt: skip


@cache
def _parser() -> Any:
    require("reading TLA+", "tree_sitter", "tree_sitter_tlaplus")
    import tree_sitter
    import tree_sitter_tlaplus

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the grammar hands over its pointer as a number
        return tree_sitter.Parser(tree_sitter.Language(tree_sitter_tlaplus.language()))


def refused(place: Place, construct: str, remedy: str) -> EverystateError:
    """E460: the reader of TLA+ does not understand something."""
    return EverystateError("E460", None, place=str(place), construct=construct, remedy=remedy)


def parse(path: Path) -> Module:
    """The module of a file; E461 with its line where the text is not TLA+."""
    return Reader(path.read_bytes(), str(path)).module()


class Reader:
    """Reads one file."""

    def __init__(self, text: bytes, file: str) -> None:
        self.text, self.file = text, file

    def module(self) -> Module:
        """The module that begins the file; it has those that follow as its inner modules."""
        root = _parser().parse(self.text).root_node
        modules = [child for child in root.children if child.type == "module"]
        if root.has_error or not modules:
            raise self._broken(root)
        first, *others = map(self._module, modules)
        first.inner.update((other.name, other) for other in others)
        return first

    def _broken(self, root: Any) -> EverystateError:
        node = root
        while True:
            inner = next((c for c in node.children if c.has_error or c.is_missing), None)
            if inner is None or node.type == "ERROR":
                break
            node = inner
        line = self.text.splitlines()[node.start_point[0]].decode(errors="replace").strip() if self.text else ""
        return EverystateError("E461", None, place=str(self._place(node)), line=line)

    def _place(self, node: Any) -> Place:
        return Place(self.file, node.start_point[0] + 1, node.start_point[1] + 1)

    def _source(self, node: Any) -> str:
        return self.text[node.start_byte : node.end_byte].decode()

    def _module(self, node: Any) -> Module:
        module = Module(self._source(node.child_by_field_name("name")), self.file)
        comments: list[tuple[int, str]] = []
        arities: dict[str, int] = {}
        last: tuple[int, list[Definition]] = -1, []
        for child in node.children:
            kind = child.type
            if kind in ("comment", "block_comment"):
                text, line = _comment_text(self._source(child)), child.start_point[0]
                if line == last[0]:  # beside the end of a definition
                    for made in last[1]:
                        made.comment = "\n".join(filter(None, (made.comment, text)))
                elif comments and comments[-1][0] == line - 1 and kind == "comment":
                    comments[-1] = child.end_point[0], f"{comments[-1][1]}\n{text}".strip("\n")
                else:
                    comments.append((child.end_point[0], text))
                continue
            above = (
                comments[-1][1]
                if comments and comments[-1][0] in (child.start_point[0] - 1, child.start_point[0])
                else ""
            )
            if kind == "extends":
                module.extends += [self._source(c) for c in child.children if c.type == "identifier_ref"]
                module.comment = "\n\n".join(text for _, text in comments if text)
            elif kind == "constant_declaration":
                module.constants.update(self._declared(child))
            elif kind == "variable_declaration":
                module.variables.update(self._variables(child))
            elif kind == "recursive_declaration":
                arities.update(self._declared(child))
            elif kind == "assumption":
                named = child.child_by_field_name("name")
                body = [c for c in child.children if c.is_named and c.type not in ("identifier", "def_eq")][-1]
                module.assumptions.append((self._source(named) if named else "", self.expression(body)))
            elif kind == "module":
                inner = self._module(child)
                module.inner[inner.name] = inner
            elif kind in DEFINING:
                last = child.end_point[0], self.definitions(child)
                for made in last[1]:
                    made.comment = made.comment or self._comment_inside(child) or above
                    (module.definitions if made.name else module.instances).append(made)
            comments = comments if kind in ("header_line", "identifier", "extends") and not module.variables else []
        return module

    def _comment_inside(self, node: Any) -> str:
        """The comment between `==` and the body of a definition."""
        found, begun = list[str](), False
        for child in node.children:
            if child.type == "def_eq":
                begun = True
            elif begun and child.type in ("comment", "block_comment"):
                found.append(_comment_text(self._source(child)))
            elif begun:
                break
            elif child.type in DEFINING:  # behind LOCAL
                return self._comment_inside(child)
        return "\n".join(filter(None, found))

    def _declared(self, node: Any) -> dict[str, int]:
        found = {}
        for child in node.children:
            if child.type == "identifier":
                found[self._source(child)] = 0
            elif child.type == "operator_declaration":
                count = sum(c.type == "placeholder" for c in child.children)
                found[self._source(child.child_by_field_name("name"))] = count
        return found

    def _variables(self, node: Any) -> dict[str, str]:
        found: dict[str, str] = {}
        lines: dict[int, str] = {}
        for child in node.children:
            if child.type == "identifier":
                found[self._source(child)] = ""
                lines[child.start_point[0]] = self._source(child)
            elif child.type in ("comment", "block_comment") and child.start_point[0] in lines:
                found[lines[child.start_point[0]]] = " ".join(_comment_text(self._source(child)).split())
        following = node.next_sibling
        if following is not None and following.type == "comment" and following.start_point[0] in lines:
            found[lines[following.start_point[0]]] = " ".join(_comment_text(self._source(following)).split())
        return found

    # -- definitions

    def definitions(self, node: Any) -> list[Definition]:
        """What one definition of a module or of a LET defines."""
        place, kind = self._place(node), node.type
        if kind == "local_definition":
            made = [d for c in node.children if c.type in DEFINING for d in self.definitions(c)]
            for one in made:
                one.local = True
            return made
        if kind == "recursive_declaration":
            return []
        if kind == "instance":
            return [self._instance("", (), node, place)]
        name = node.child_by_field_name("name") or next(
            c for c in node.children if c.is_named and c.type != "identifier"
        )
        params, arities = [], {}
        for child in node.children_by_field_name("parameter"):
            if child.type == "identifier":
                params.append(self._source(child))
            elif child.type == "operator_declaration":
                declared = self._source(child.child_by_field_name("name"))
                params.append(declared)
                arities[declared] = sum(c.type == "placeholder" for c in child.children)
        body = node.child_by_field_name("definition")
        title = _spelled(self._source(name))
        if kind == "module_definition":
            return [self._instance(title, tuple(params), body, place)]
        bounds = self._bounds(c for c in node.children if c.type == "quantifier_bound")
        made_one = Definition(title, tuple(params), self.expression(body), place, bounds=bounds, arities=arities)
        return [made_one]

    def _instance(self, name: str, params: tuple[str, ...], node: Any, place: Place) -> Definition:
        module = next(self._source(c) for c in node.children if c.type == "identifier_ref")
        given = {}
        for child in node.children:
            if child.type == "substitution":
                target, value = child.children[0], child.children[-1]
                given[_spelled(self._source(target))] = self.expression(value)
        return Definition(name, params, None, place, module=module, substitutions=given)

    def _bounds(self, nodes: Any) -> tuple[Bound, ...]:
        found: list[Bound] = []
        for node in nodes:
            within = self.expression(node.child_by_field_name("set"))
            for intro in node.children_by_field_name("intro"):
                if intro.type == "identifier":
                    found.append(Bound(self._source(intro), within))
                elif intro.type == "tuple_of_identifiers":
                    names = tuple(self._source(c) for c in intro.children if c.type == "identifier")
                    found.append(Bound(names, within))
        return tuple(found)

    # -- expressions

    def expression(self, node: Any) -> Node:
        """One expression."""
        read: Callable[[Reader, Any], Node] | None = EXPRESSIONS.get(node.type)
        if read is None:  # an error only where it is used
            return self.node(node, "unknown", value=(node.type.replace("_", " "), " ".join(self._source(node).split())))
        return read(self, node)

    def node(self, at: Any, kind: str, *args: Any, value: Any = None) -> Node:
        """A node at the place of another."""
        return Node(kind, self._place(at), args, value)

    def named(self, node: Any) -> list[Any]:
        """The parts of a node without brackets, commas and comments."""
        skipped = ("comment", "block_comment", "langle_bracket", "rangle_bracket", "rangle_bracket_sub")
        return [c for c in node.children if c.is_named and c.type not in skipped]

    def all(self, nodes: Any) -> tuple[Node, ...]:
        """Several expressions."""
        return tuple(self.expression(n) for n in nodes if n.is_named and n.type not in ("comment", "block_comment"))

    def _number(self, node: Any) -> Node:
        text = self._source(node).lower()
        base = {"\\b": 2, "\\o": 8, "\\h": 16}.get(text[:2])
        return self.node(node, "num", value=int(text[2:], base) if base else int(text))

    def _string(self, node: Any) -> Node:
        inner = self._source(node)[1:-1]
        return self.node(node, "str", value=inner.replace('\\"', '"').replace("\\\\", "\\"))

    def _infix(self, node: Any) -> Node:
        left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
        name = _spelled(self._source(node.child_by_field_name("symbol")))
        if name == "\\X":
            return self.node(node, "product", *self._crossed(node))
        a, b = self.expression(left), self.expression(right)
        if name in ("/\\", "\\/"):
            kind = "and" if name == "/\\" else "or"
            flat = [item for side in (a, b) for item in (side.args if side.kind == kind else (side,))]
            return self.node(node, kind, *flat)
        return self.node(node, "op", a, b, value=name)

    def _crossed(self, node: Any) -> list[Node]:
        left, right = node.child_by_field_name("lhs"), node.child_by_field_name("rhs")
        inner = left.type == "bound_infix_op" and _spelled(self._source(left.child_by_field_name("symbol"))) == "\\X"
        return [*(self._crossed(left) if inner else [self.expression(left)]), self.expression(right)]

    def _prefix(self, node: Any) -> Node:
        name = _spelled(self._source(node.child_by_field_name("symbol")))
        inner = self.expression(node.child_by_field_name("rhs"))
        if name == "UNCHANGED":
            return self.node(node, "unchanged", inner)
        return self.node(node, "op", inner, value="-." if name == "-" else name)

    def _postfix(self, node: Any) -> Node:
        name = self._source(node.child_by_field_name("symbol"))
        inner = self.expression(node.child_by_field_name("lhs"))
        return self.node(node, "prime", inner) if name in ("'", "′") else self.node(node, "op", inner, value=name)

    def _applied(self, node: Any) -> Node:
        head = node.child_by_field_name("name") or node.child_by_field_name("symbol") or node.children[0]
        name = _spelled(self._source(head))
        args = self.all(c for c in node.children_by_field_name("parameter"))
        return self.node(node, "op", *args, value=name)

    def _prefixed(self, node: Any) -> Node:
        prefix = []
        for component in node.child_by_field_name("prefix").children:
            if component.type == "subexpr_component":
                [one] = self.named(component)
                if one.type not in ("identifier_ref", "bound_op"):
                    raise refused(self._place(one), "the name of a part of a definition", "define that part by name")
                prefix.append(self.expression(one))
        inner = self.expression(node.child_by_field_name("op"))
        if inner.kind not in ("id", "op"):
            raise refused(self._place(node), f"`{self._source(node)}`", "name the definition")
        return self.node(node, "path", *prefix, value=inner)

    def _part(self, node: Any) -> Node:
        """`Inv!2`: a part of a definition, by its number."""
        names = self._source(node).split("!")
        steps = [n for n in names[1:] if n != ":"]
        if not all(n.isdigit() for n in steps):
            return self.node(node, "unknown", value=("the part of a definition", self._source(node)))
        return self.node(node, "part", value=(names[0], tuple(map(int, steps))))

    def _junction(self, node: Any) -> Node:
        kind = "and" if node.type == "conj_list" else "or"
        items = [c for item in node.children if item.type in ("conj_item", "disj_item") for c in self.named(item)[-1:]]
        return self.node(node, kind, *self.all(items))

    def _quantified(self, node: Any) -> Node:
        kind = {"\\E": "exists", "∃": "exists", "\\exists": "exists"}.get(
            self._source(node.child_by_field_name("quantifier")), "forall"
        )
        body = self.expression(node.child_by_field_name("expression"))
        bounds = self._bounds(c for c in node.children_by_field_name("bound") if c.type == "quantifier_bound")
        return self.node(node, kind, body, value=bounds)

    def _choose(self, node: Any) -> Node:
        intro, within = node.child_by_field_name("intro"), node.child_by_field_name("set")
        names = tuple(self._source(c) for c in intro.children if c.type == "identifier")
        bound = Bound(names or self._source(intro), self.expression(within) if within else None)
        return self.node(node, "choose", self.expression(node.child_by_field_name("expression")), value=(bound,))

    def _if(self, node: Any) -> Node:
        return self.node(node, "if", *(self.expression(node.child_by_field_name(n)) for n in ("if", "then", "else")))

    def _case(self, node: Any) -> Node:
        arms: list[tuple[Node | None, Node]] = []
        for child in node.children:
            parts = [c for c in self.named(child) if c.type != "case_arrow"]
            if child.type == "case_arm":
                arms.append((self.expression(parts[0]), self.expression(parts[1])))
            elif child.type == "other_arm":
                arms.append((None, self.expression(parts[-1])))
        return self.node(node, "case", *arms)

    def _let(self, node: Any) -> Node:
        made = [
            d for c in node.children_by_field_name("definitions") if c.type in DEFINING for d in self.definitions(c)
        ]
        return self.node(node, "let", self.expression(node.child_by_field_name("expression")), value=tuple(made))

    def _filter(self, node: Any) -> Node:
        bounds = self._bounds([node.child_by_field_name("generator")])
        return self.node(node, "filter", self.expression(node.child_by_field_name("filter")), value=bounds)

    def _map(self, node: Any) -> Node:
        bounds = self._bounds(c for c in node.children_by_field_name("generator") if c.type == "quantifier_bound")
        return self.node(node, "map", self.expression(node.child_by_field_name("map")), value=bounds)

    def _function(self, node: Any) -> Node:
        bounds = self._bounds(c for c in node.children if c.type == "quantifier_bound")
        return self.node(node, "function", self.expression(self.named(node)[-1]), value=bounds)

    def _functions(self, node: Any) -> Node:
        return self.node(node, "functions", *self.all(c for c in self.named(node) if c.type != "maps_to"))

    def _record(self, node: Any) -> Node:
        parts = [c for c in self.named(node) if c.type != "all_map_to"]
        kind = "record" if node.type == "record_literal" else "records"
        names = tuple(self._source(c) for c in parts[::2])
        return self.node(node, kind, *self.all(parts[1::2]), value=names)

    def _except(self, node: Any) -> Node:
        updates = []
        for update in node.children:
            if update.type != "except_update":
                continue
            [specifier] = [c for c in update.children if c.type == "except_update_specifier"]
            path = []
            for step in specifier.children:
                if step.type == "except_update_record_field":
                    name = self.named(step)[-1]
                    path.append(self.node(name, "str", value=self._source(name)))
                else:
                    index = self.all(self.named(step))
                    path.append(index[0] if len(index) == 1 else self.node(step, "tuple", *index))
            updates.append((tuple(path), self.expression(update.child_by_field_name("new_val"))))
        return self.node(node, "except", self.expression(node.child_by_field_name("expr_to_update")), value=updates)

    def _apply(self, node: Any) -> Node:
        function, *index = self.all(self.named(node))
        place = function.place
        argument = index[0] if len(index) == 1 else Node("tuple", place, tuple(index))
        return self.node(node, "apply", function, argument)

    def _field(self, node: Any) -> Node:
        record, name = self.named(node)
        return self.node(node, "field", self.expression(record), value=self._source(name))

    def _boxed(self, node: Any) -> Node:
        kind = "box" if node.type == "step_expr_or_stutter" else "angle"
        return self.node(node, kind, *self.all(self.named(node)))

    def _fair(self, node: Any) -> Node:
        kind = "SF" if self._source(node).startswith("SF") else "WF"
        return self.node(node, "fair", *self.all(self.named(node)), value=kind)

    def _lambda(self, node: Any) -> Node:
        names = tuple(self._source(c) for c in node.children if c.type == "identifier")
        return self.node(node, "lambda", self.expression(self.named(node)[-1]), value=names)


DEFINING = (
    "operator_definition", "function_definition", "module_definition", "local_definition", "instance",
    "recursive_declaration",
)  # fmt: skip

EXPRESSIONS: dict[str, Callable[[Reader, Any], Node]] = {
    "nat_number": Reader._number,
    "binary_number": Reader._number,
    "octal_number": Reader._number,
    "hex_number": Reader._number,
    "string": Reader._string,
    "boolean": lambda r, n: r.node(n, "bool", value=r._source(n) == "TRUE"),
    "identifier_ref": lambda r, n: r.node(n, "id", value=r._source(n)),
    "prev_func_val": lambda r, n: r.node(n, "at"),
    "parentheses": lambda r, n: r.expression(r.named(n)[-1]),
    "label": lambda r, n: r.expression(r.named(n)[-1]),
    "bound_infix_op": Reader._infix,
    "bound_prefix_op": Reader._prefix,
    "bound_postfix_op": Reader._postfix,
    "bound_op": Reader._applied,
    "bound_nonfix_op": Reader._applied,
    "prefixed_op": Reader._prefixed,
    "subexpression": Reader._part,
    "conj_list": Reader._junction,
    "disj_list": Reader._junction,
    "bounded_quantification": Reader._quantified,
    "choose": Reader._choose,
    "if_then_else": Reader._if,
    "case": Reader._case,
    "let_in": Reader._let,
    "finite_set_literal": lambda r, n: r.node(n, "set", *r.all(r.named(n))),
    "set_filter": Reader._filter,
    "set_map": Reader._map,
    "function_literal": Reader._function,
    "set_of_functions": Reader._functions,
    "record_literal": Reader._record,
    "set_of_records": Reader._record,
    "tuple_literal": lambda r, n: r.node(n, "tuple", *r.all(r.named(n))),
    "except": Reader._except,
    "function_evaluation": Reader._apply,
    "record_value": Reader._field,
    "step_expr_or_stutter": Reader._boxed,
    "step_expr_no_stutter": Reader._boxed,
    "fairness": Reader._fair,
    "lambda": Reader._lambda,
    "infix_op_symbol": lambda r, n: r.node(n, "id", value=_spelled(r._source(n))),
    "prefix_op_symbol": lambda r, n: r.node(n, "id", value=_spelled(r._source(n))),
    "postfix_op_symbol": lambda r, n: r.node(n, "id", value=_spelled(r._source(n))),
    **{
        f"{name}_set": lambda r, n: r.node(n, "id", value=r._source(n))
        for name in ("nat_number", "int_number", "real_number", "boolean", "string")
    },
}


def _spelled(name: str) -> str:
    """One spelling of an operator that has several."""
    return SPELLINGS.get(name, name)


def _comment_text(source: str) -> str:
    """What a comment says, without its frame; nothing where it is a ruler or a PlusCal algorithm."""
    lines = []
    text = source.strip()
    text = text[2:-2] if text.startswith("(*") else text
    if "--algorithm" in text or "--fair algorithm" in text:
        return ""
    for line in text.splitlines():
        stripped = line.strip().removeprefix("\\*").removeprefix("(*").removesuffix("*)").strip().strip("*").strip()
        if stripped and set(stripped) <= set("-=*_ "):
            stripped = ""
        lines.append(stripped)
    return "\n".join(lines).strip("\n")
