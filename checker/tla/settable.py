"""Writes a number of the configuration as `Constant`, where the translation for another number differs by it alone.

A constant qualifies if it stands only in comparisons, arithmetic and ranges. What is decided by its value during the
translation, such as IF N > 3, would be wrong for another one. Then the translations for the value and two larger ones
are compared, number by number, and at last one in which all constants have other values.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..errors import EverystateError
from .layout import wrapped
from .nodes import Node, parts
from .python import Py, module_name
from .scopes import Constant, Env, Local, Model, Operator, Substitution
from .shapes import Unknown
from .writer import Translation, Value, Writer

SIGNS = {"<": "<", ">": ">", "<=": "<=", ">=": ">=", "=": "==", "/=": "!="}


def with_constants(path: Path, config: Path | None, bounds: dict[str, int], given: Mapping[str, Value]) -> Translation:
    """A translation whose constants can be set, as far as that is possible."""
    writer = Writer(Model(path, config, given), bounds)
    made = writer.translation()
    values = {n: v for n, v in writer.model.config.values.items() if type(v) is int}
    uses = {name: _Use(writer, name) for name in values}
    typed = writer.model.variables.keys() <= writer.typing.typed.keys() | writer.typing.guessed
    open_to = {name: use for name, use in uses.items() if typed and use.is_open()}

    def differences(steps: dict[str, int]) -> dict[tuple[int, int], int] | None:
        """The numbers that differ from the translation where some constants are larger."""
        model = Model(path, config, {**given, **{name: values[name] + step for name, step in steps.items()}})
        try:
            other = Writer(model, bounds, writer.typing.seen).translation()
        except EverystateError:
            return None
        return _differences(first, ast.parse(other.text))

    first, slopes = ast.parse(made.text), _Slopes()
    for name in list(open_to):
        found = differences({name: 1})
        slopes.of[name] = found or {}
        if found is None or differences({name: 2}) != slopes.at({name: 2}):
            del open_to[name], slopes.of[name]
    steps = {name: i for i, name in enumerate(open_to, 1)}
    if open_to and differences(steps) != slopes.at(steps):  # a product of two, as N * M
        shared = slopes.shared()
        open_to = {name: use for name, use in open_to.items() if name not in shared}
        slopes.of = {name: slopes.of[name] for name in open_to}
    if open_to:
        conditions = [c for use in open_to.values() for c in use.conditions]
        terms = [re.sub(r"\{(\w+)\}", lambda m: _term(m[1], open_to, values), c) for c in conditions]
        terms = [term for term in terms if "self." in term]
        text = _Rewriter(made.text, first, {n: values[n] for n in open_to}, slopes, terms).text()
        made = replace(made, text=text)
    return made


class _Use:
    """How a module uses a constant."""

    def __init__(self, writer: Writer, name: str) -> None:
        self.ex, self.model, self.name = writer.ex, writer.model, name
        self.spec = writer.spec
        self.seen: set[object] = set()
        self.mentioned: dict[int, bool] = {}
        self.conditions: dict[str, None] = {}
        """The assumptions about it, in Python."""

    def is_open(self) -> bool:
        """Whether another number makes the same spec with that number."""
        config, spec, root = self.model.config, self.spec, self.model.root
        names = [*config.invariants, *config.properties, *config.constraints, *config.action_constraints, config.view]
        asked = [(Node("id", config.place(n), (), n), root) for n in names if n]
        asked += [*spec.init, *spec.fair, *spec.others, *([spec.next] if spec.next is not None else [])]
        assumed = [n for m in self.model.modules.values() for _, n in m.assumptions if self.mentions(n, root)]
        return (
            isinstance(root.find(self.name), Constant)
            and all(map(self.assumption, assumed))
            and all(self.fine(*one) for one in asked)
        )

    def mentions(self, node: Node, env: Env) -> bool:
        """Whether an expression reads the constant."""
        if node.kind == "id" and env.find(node.value) is self.model.root.find(self.name):
            return True
        if node.kind == "path" or (node.kind == "let" and any(d.module for d in node.value)):
            return True  # an instance: not followed
        scope = env.let(node.value) if node.kind == "let" else env
        found = env.find(node.value) if node.kind in ("id", "op") else None
        if isinstance(found, Substitution) and self.mentions(found.node, found.env):
            return True
        if isinstance(found, Operator) and found.definition.body is not None:
            key = id(found.definition)
            if key not in self.mentioned:
                self.mentioned[key] = False
                body = found.definition.body
                within = [b.within for b in found.definition.bounds if b.within is not None]
                self.mentioned[key] = any(self.mentions(n, found.env) for n in [body, *within])
            if self.mentioned[key]:
                return True
        return any(self.mentions(part, scope) for part in parts(node))

    def fine(self, node: Node, env: Env) -> bool:
        """Whether all that is known in an expression while it is translated follows the constant by sums and ranges."""
        if not self.mentions(node, env):
            return True
        if not self.ex.depends(node, env):
            return self.follows(node, env)
        if node.kind == "let":
            return self.fine(node.args[0], env.let(node.value))
        if node.kind in ("id", "op"):
            found = env.find(node.value)
            if isinstance(found, Substitution):
                return self.fine(found.node, found.env)
            if isinstance(found, Operator):
                return self._called(node, found, env)
        inner = env
        if node.kind in ("forall", "exists", "choose", "filter", "map", "function"):
            inner = self._unknown(env, [n for b in node.value for n in b.names])
        elif node.kind == "except":
            inner = self._unknown(env, ["@"])
        elif node.kind == "lambda":
            inner = self._unknown(env, list(node.value))
        return node.kind not in ("path", "part", "unknown") and all(self.fine(part, inner) for part in parts(node))

    def _called(self, node: Node, found: Operator, env: Env) -> bool:
        made = found.definition
        known = [not self.ex.depends(a, env) for a in node.args]
        key = (id(made), *(id(a) if k else None for a, k in zip(node.args, known, strict=True)))
        if key in self.seen or made.body is None:
            return all(self.fine(a, env) for a in node.args)
        self.seen.add(key)
        scope = self._unknown(found.env, [n for b in made.bounds for n in b.names])
        pairs = zip(made.params, node.args, known, strict=False)
        names = {p: Substitution(a, env) if k else Local(Py(p, Unknown())) for p, a, k in pairs}
        within = [b.within for b in made.bounds if b.within is not None]
        return all(self.fine(a, env) for a in node.args) and all(
            self.fine(n, Env(scope, dict(names))) for n in [made.body, *within]
        )

    def _unknown(self, env: Env, names: list[str]) -> Env:
        return Env(env, {name: Local(Py(name, Unknown())) for name in names})

    def follows(self, node: Node, env: Env) -> bool:
        """Whether a known expression is a sum or a range of the constant, or a set, function or tuple of such."""
        if not self.mentions(node, env):
            return True
        if node.kind == "id":
            found = env.find(node.value)
            if isinstance(found, Operator) and not found.definition.bounds and found.definition.body is not None:
                return self.follows(found.definition.body, found.env)
            if isinstance(found, Substitution):
                return self.follows(found.node, found.env)
            return isinstance(found, Constant)
        if node.kind == "op" and env.find(node.value) is None:
            if node.value == "*" and all(self.mentions(a, env) for a in node.args):
                return False
            if node.value in ("+", "-", "*", "..", "SUBSET", "Seq", "-.") or (node.value == "\\cup"):
                return all(self.follows(a, env) for a in node.args)
        if node.kind == "function" and len(node.value) == 1 and node.value[0].within is not None:
            inner = self._unknown(env, list(node.value[0].names))
            return self.follows(node.value[0].within, env) and not self.mentions(node.args[0], inner)
        return node.kind in ("functions", "records", "product") and all(self.follows(a, env) for a in node.args)

    def assumption(self, node: Node) -> bool:
        """Whether an ASSUME about the constant is one that Python can check; it becomes one of the conditions."""
        env = self.model.root
        if node.kind == "and":
            return all(map(self.assumption, node.args))
        if node.kind == "op" and node.value in ("\\in", *SIGNS) and env.find(node.value) is None:
            left = self._sum(node.args[0], env)
            right, least = node.args[1], None
            if node.value in SIGNS:
                other = self._sum(right, env)
                text = f"{left} {SIGNS[node.value]} {other}" if other else ""
            elif right.kind == "op" and right.value == ".." and len(right.args) == 2:
                low, high = (self._sum(a, env) for a in right.args)
                text = f"{low} <= {left} <= {high}" if low and high else ""
            else:
                least = {"id:Nat": "0", "op:\\": "1"}.get(f"{right.kind}:{right.value}")
                positive = right.kind == "op" and right.args[0].value == "Nat" and right.args[1].kind == "set"
                positive = positive and [a.value for a in right.args[1].args] == [0]
                text = f"{left} >= {least}" if (right.kind == "id" and least) or positive else ""
            if left and text:
                self.conditions[text] = None
                return True
        return False

    def _sum(self, node: Node, env: Env) -> str:
        """A sum of numbers and constants of the configuration, in Python; empty for anything else."""
        if node.kind == "num":
            return str(node.value)
        found = env.find(node.value) if node.kind == "id" else None
        if isinstance(found, Constant) and type(found.value) is int:
            return f"{{{found.name}}}"
        if node.kind == "op" and node.value in ("+", "-", "*") and len(node.args) == 2:
            left, right = (self._sum(a, env) for a in node.args)
            return f"({left} {node.value} {right})" if left and right else ""
        return ""


@dataclass
class _Slopes:
    """By how much each number of a translation changes with each constant, by its place."""

    of: dict[str, dict[tuple[int, int], int]] = field(default_factory=dict)

    def shared(self) -> set[str]:
        """The constants that change a number together with another."""
        return {a for a in self.of for b in self.of if a != b and self.of[a].keys() & self.of[b].keys()}

    def at(self, steps: dict[str, int]) -> dict[tuple[int, int], int]:
        """The change of each number when all constants change at once."""
        found: dict[tuple[int, int], int] = {}
        for name, step in steps.items():
            for place, slope in self.of[name].items():
                found[place] = found.get(place, 0) + slope * step
        return {place: change for place, change in found.items() if change}


def _differences(a: ast.AST, b: ast.AST) -> dict[tuple[int, int], int] | None:
    """The numbers that differ between two translations, by their places in the first; None if anything else does."""
    found: dict[tuple[int, int], int] = {}
    pairs: list[tuple[object, object]] = [(a, b)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other):
            return None
        if isinstance(one, ast.Constant) and type(one.value) is int and isinstance(other, ast.Constant):
            if type(other.value) is not int:
                return None
            if one.value != other.value:
                found[one.lineno, one.col_offset] = other.value - one.value
        elif isinstance(one, ast.AST):
            pairs += [(getattr(one, name, None), getattr(other, name, None)) for name in one._fields]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return None
            pairs += list(zip(one, other, strict=True))
        elif one != other:
            return None
    return found


class _Rewriter:
    """Puts constants of the class in place of numbers."""

    def __init__(
        self, text: str, tree: ast.Module, values: dict[str, int], slopes: _Slopes, conditions: list[str]
    ) -> None:
        self.lines, self.tree, self.values, self.slopes = text.splitlines(), tree, values, slopes
        self.conditions = conditions
        self.names = {name: module_name(name) for name in values}
        self.edits: list[tuple[int, int, int, str]] = []
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        [self.cls] = [n for n in tree.body if isinstance(n, ast.ClassDef) and any(_is_spec(b) for b in n.bases)]
        self.places = {place for found in slopes.of.values() for place in found}

    def text(self) -> str:
        """The whole file."""
        moved = self.moved()
        taken = {n.arg if isinstance(n, ast.arg) else n.id for n in self.bound()}
        if taken & {*self.names.values(), *moved} or any(m is None for m in moved.values()):
            return "\n".join(self.lines) + "\n"
        known = {*self.names.values(), *moved}
        for node in [*ast.walk(self.cls), *(n for m in moved.values() if m is not None for n in ast.walk(m.value))]:
            if isinstance(node, ast.Name) and node.id in known:
                self.edit(node, f"self.{node.id}")
            elif isinstance(node, ast.Constant) and (node.lineno, node.col_offset) in self.places:
                self.edit(node, self.number(node))
        for decorator in (d for m in self.cls.body if isinstance(m, ast.FunctionDef) for d in m.decorator_list):
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else []:
                self.parameter(keyword.value, known)
        return self.assembled(moved)

    def moved(self) -> dict[str, ast.Assign | None]:
        """The definitions that follow a constant, and become derived constants; None for one that cannot."""
        found: dict[str, ast.Assign | None] = {}
        for node in self.tree.body:
            if not isinstance(node, ast.Assign) or not isinstance(name := node.targets[0], ast.Name):
                continue
            inside = list(ast.walk(node.value))
            uses = any(isinstance(n, ast.Name) and n.id in {*found, *self.names.values()} for n in inside)
            if name.id in self.names.values():
                continue
            if uses or any((getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) in self.places for n in inside):
                plain = isinstance(node.value, (ast.Constant, ast.Tuple)) or (
                    isinstance(node.value, ast.Call) and ast.unparse(node.value.func) == "range"
                )
                found[name.id] = node if plain else None
        return found

    def bound(self) -> Iterator[ast.arg | ast.Name]:
        """The names that the class binds itself."""
        for node in ast.walk(self.cls):
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)):
                yield node

    def number(self, node: ast.Constant) -> str:
        """A number, as the sum that it is."""
        place, rest = (node.lineno, node.col_offset), int(str(node.value))
        terms = []
        for name, slopes in self.slopes.of.items():
            if slope := slopes.get(place, 0):
                rest -= slope * self.values[name]
                terms.append(f"self.{self.names[name]}" if slope == 1 else f"{slope} * self.{self.names[name]}")
        text = " + ".join(terms) + (f" {'+' if rest > 0 else '-'} {abs(rest)}" if rest else "")
        loose = isinstance(self.parents.get(node), (ast.BinOp, ast.UnaryOp))
        return f"({text})" if loose and " " in text else text

    def edit(self, node: ast.expr, text: str) -> None:
        """Another text for an expression of one line."""
        assert node.end_col_offset is not None
        self.edits.append((node.lineno, node.col_offset, node.end_col_offset, text))

    def parameter(self, node: ast.expr, known: set[str]) -> None:
        """The values of a parameter of an action: the name of a constant, or a function of the spec."""
        inside = list(ast.walk(node))
        if isinstance(node, ast.Name) and node.id in known:
            self.edits = [e for e in self.edits if e[:2] != (node.lineno, node.col_offset)]
            self.edit(node, f'"{node.id}"')
        elif any(isinstance(n, ast.Name) and n.id in known for n in inside) or any(
            isinstance(n, ast.Constant) and (n.lineno, n.col_offset) in self.places for n in inside
        ):
            self.edits.append((node.lineno, node.col_offset, node.col_offset, "lambda self: "))

    def assembled(self, moved: dict[str, ast.Assign | None]) -> str:
        """The lines with all edits, the constants in the class, and derived ones in variables()."""
        encoded = [line.encode() for line in self.lines]  # places are counted in bytes
        for line, start, end, text in sorted(self.edits, key=lambda e: (*e[:2], e[2] - e[1] > 0), reverse=True):
            encoded[line - 1] = encoded[line - 1][:start] + text.encode() + encoded[line - 1][end:]
        lines: list[str | None] = [line.decode() for line in encoded]
        derived, constants = [], dict[str, str]()
        for node in self.tree.body:
            name = node.targets[0].id if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) else ""
            if name in self.names.values() or name in moved:
                first, last = node.lineno - 1, (node.end_lineno or node.lineno)
                taken = [str(line) for line in lines[first:last]]
                lines[first:last] = [None] * (last - first)
                if name in moved:
                    derived += [f"        self.{taken[0]}", *(f"        {line}" for line in taken[1:])]
                else:
                    constants[name] = taken[0].partition("  # ")[2]
        head = []
        for name, python in self.names.items():
            comment = f', "{_quoted(constants[python])}"' if constants.get(python) else ""
            head.append(f"    {python} = Constant({self.values[name]}{comment})")
        head.append("")
        if self.conditions:
            terms = " and ".join(dict.fromkeys(self.conditions))
            head += ["    @assumption", "    def Assumption(self):", f"        return {terms}", ""]
        start = next(i for i, line in enumerate(lines) if line == "    def variables(self):")
        out = [*lines[:start], *head, lines[start], *derived, *lines[start + 1 :]]
        return _laid_out([line for line in out if line is not None], bool(self.conditions))


def _term(name: str, opened: Mapping[str, object], values: Mapping[str, int]) -> str:
    """A constant in an assumption: of the class, or as its number."""
    return f"self.{module_name(name)}" if name in opened else str(values[name])


def _is_spec(base: ast.expr) -> bool:
    return isinstance(base, ast.Name) and base.id == "Spec"


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'")


def _laid_out(lines: list[str], assumed: bool) -> str:
    """The text, with imports of what was added, and at most two empty lines in a row."""
    text = "\n".join(line.rstrip() for line, _ in wrapped([(line, None) for line in lines])) + "\n"
    text = re.sub(r"\n{4,}", "\n\n\n", text)
    found = re.search(r"from everystate.checker import (\(.*?\)|[^\n]*)", text, re.DOTALL)
    assert found is not None
    names = sorted({*re.findall(r"\w+", found[1]), "Constant", *(["assumption"] if assumed else [])})
    line = f"from everystate.checker import {', '.join(names)}"
    if len(line) > 118:
        line = "from everystate.checker import (\n" + "".join(f"    {n},\n" for n in names) + ")"
    return text[: found.start()] + line + text[found.end() :]


__all__ = ["with_constants"]
