"""Writes the Python spec of a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..errors import EverystateError
from ..language import __all__ as language
from .actions import LISTED, Action, ActionWriter, decomposed
from .evaluator import Evaluator
from .expressions import Context, Expressions, Lines, Method
from .layout import WIDTH, docstring, module_docstring, wrapped
from .library import TRANSLATED
from .nodes import Node, Place
from .parts import Parts, specification
from .properties import Properties, Section
from .python import Literals, Py, attribute, field_name, identifier
from .scopes import Env, Model
from .shapes import Conflict, Shape, Truth, covers, of_set, widened, with_maps
from .syntax import refused
from .typing import RecordClasses, Typing, all_nones, typing
from .values import Undefined, is_finite, mapping, ordered

Value = int | bool | str
"""The value of a constant: a number, a boolean, or the text of another value in a configuration file."""


@dataclass
class Translation:
    """A translated model."""

    text: str
    lines: dict[int, Place] = field(default_factory=dict)
    """The place in the module of each line of the text."""
    notes: dict[str, str] = field(default_factory=dict)
    """The properties of the configuration that are not checked, and why."""
    guessed: dict[str, str] = field(default_factory=dict)
    """Variables whose bounds were guessed, with their domains."""
    files: list[Path] = field(default_factory=list)
    counts: tuple[int, int] | None = None
    """Distinct and generated states, where the run of the first states visited all."""
    guaranteed: list[str] = field(default_factory=list)
    """The invariants that are no methods, since the domains guarantee them."""
    constants: dict[str, Value] = field(default_factory=dict)
    """The constants of the module, as the configuration has them."""
    given: dict[str, Value] = field(default_factory=dict)
    """Those with other values."""


def translate(
    path: Path, config: Path | None, bounds: dict[str, int] | None = None, constants: Mapping[str, Value] | None = None
) -> Translation:
    """The Python spec of a module and its configuration; E460 to E462 where it cannot be translated."""
    try:
        return Writer(Model(path, config, constants), bounds or {}).translation()
    except RecursionError:
        remedy = "write it without RECURSIVE"
        raise refused(Place(str(path), 1), "a recursive definition that reads the next state", remedy) from None


class Writer:
    """Writes one spec."""

    def __init__(self, model: Model, bounds: dict[str, int], seen: dict[str, Shape] | None = None) -> None:
        self.model, self.ev = model, Evaluator(model)
        self.spec: Parts = specification(model)
        if self.spec.next is None or not model.variables:
            problem = f"{model.root_module.name} describes no behaviour: there is no Init and Next"
            raise EverystateError("E462", None, place=str(model.path), problem=problem, remedy="check another module")
        self.check_assumptions()
        self.typing: Typing = typing(model, self.ev, self.spec, bounds, seen)
        literals = Literals()
        self.class_name = identifier(model.root_module.name).lstrip("_")
        self.class_name = self.class_name if self.class_name.isidentifier() else f"Spec{self.class_name}"
        self.class_name = self.class_name[:1].upper() + self.class_name[1:]
        if self.class_name in (*model.operators, *model.config.values, *model.config.overrides, *model.variables):
            self.class_name += "Spec"
        literals.symmetric = self.symmetry()
        literals.nones = all_nones(self.typing.shapes)
        records = RecordClasses(model, self.ev, self.typing.shapes)
        literals.classes = records.classes({self.class_name, *self.typing.shapes})
        self.ex = Expressions(model, self.ev, self.typing.shapes, literals, TRANSLATED)
        self.ex.taken |= {attribute(n) for n in model.variables}
        self.init_name = ""
        self.notes: dict[str, str] = {}

    def symmetry(self) -> dict[frozenset[Any], str]:
        """The sets of model values that SYMMETRY makes interchangeable."""
        name = self.model.config.symmetry
        if not name:
            return {}
        values = self.ev.evaluate(Node("id", self.model.config.place(name), (), name), self.model.root)
        found: dict[frozenset[Any], str] = {}
        for keys in sorted({frozenset(mapping(p)) for p in values}, key=lambda s: sorted(map(str, s))):
            named = (n for n, v in self.model.config.values.items() if v == keys)
            found.setdefault(keys, next(named, f"Set{len(found) + 1}"))
        self.typing.shapes = {n: widened(s, set(found)) for n, s in self.typing.shapes.items()}
        return found

    def check_assumptions(self) -> None:
        """ASSUME is decided here, where the constants are known."""
        for module in [self.model.root_module, *map(self.model.modules.get, self.model.root_module.extends)]:
            for name, node in module.assumptions if module is not None else []:
                try:
                    holds = self.ev.evaluate(node, self.model.root)
                except (Undefined, EverystateError, RecursionError, KeyError, TypeError, AttributeError):
                    continue
                if holds is False:
                    problem = f"the assumption {name} is false".replace("  ", " ")
                    remedy = "correct the constants in the configuration"
                    raise EverystateError("E462", None, place=str(node.place), problem=problem, remedy=remedy)

    # -- the parts of the class

    def translation(self) -> Translation:
        """The whole file."""
        actions = self.actions()
        properties = Properties(self.ex, self.spec, self.typing, self.notes, actions)
        fairness = properties.fairness()
        initial = self.initial()
        action_texts = [self.action(a, fairness) for a in actions]
        property_texts = properties.written()
        domains = self.variables(initial[0])
        others = [
            line for section in (domains, initial[1] or [], *action_texts, *property_texts) for line, _ in section
        ]
        methods = sorted(self._used("\n".join(others)), key=lambda m: bool(m.mark))
        helpers = [self.helper(m) for m in methods]
        sections = [domains, *([initial[1]] if initial[1] else []), *action_texts, *helpers, *property_texts]
        return self.assembled(self.merged(sections), properties)

    def merged(self, sections: list[Section]) -> list[Section]:
        """Without helpers that are the same as another: one was made for each kind of arguments."""
        while True:
            same: dict[str, str] = {}
            first: dict[str, str] = {}
            for method in self.ex.methods.values():
                name = rf"\b{method.name}\b"
                text = re.sub(name, "this", "\n".join([str(method.place), *method.params, *method.lines]))
                if not method.mark and first.setdefault(text, method.name) != method.name:
                    same[method.name] = first[text]
            if not same:
                return sections
            for key in [k for k, m in self.ex.methods.items() if m.name in same]:
                del self.ex.methods[key]
            sections = [s for s in sections if not any(f"def {n}(" in line for n in same for line, _ in s)]
            names = re.compile(rf"(?<=\.)({'|'.join(same)})\b")

            def renamed(line: str, names: re.Pattern[str] = names, same: dict[str, str] = same) -> str:
                return names.sub(lambda found: same[found.group()], line)

            sections = [[(renamed(line), place) for line, place in section] for section in sections]
            for method in self.ex.methods.values():
                method.lines = list(map(renamed, method.lines))

    def _used(self, text: str) -> list[Method]:
        """The helpers that the rest of the class calls; some were made for an expression that was not kept."""
        found: list[Method] = []
        waiting = [m for m in self.ex.methods.values() if m.mark]
        waiting = waiting or [m for m in self.ex.methods.values() if re.search(rf"\.{m.name}\b", text)]
        while waiting:
            found += waiting
            text = "\n".join([text, *(line for m in waiting for line in m.lines)])
            rest = [m for m in self.ex.methods.values() if not any(m is f for f in found)]
            waiting = [m for m in rest if re.search(rf"\.{m.name}\b", text)]
        self.ex.methods = {key: m for key, m in self.ex.methods.items() if any(m is f for f in found)}
        return list(self.ex.methods.values())

    def actions(self) -> list[Action]:
        """The actions, each with a name of its own."""
        assert self.spec.next is not None
        found = list(decomposed(self.ex, *self.spec.next))
        names = [a.name for a in found]
        for action in found:
            base = attribute(identifier(action.name))
            action.name = self.ex.free(base)
        del names
        if not found:
            raise refused(
                self.spec.next[0].place, "Next, which has no action with these constants,", "change the constants"
            )
        return found

    def action(self, action: Action, fairness: dict[int, list[str]]) -> Section:
        """One action as a method."""
        params = [n for n, _ in action.params]
        lines = Lines(self.ex, frozenset(params), 2)
        writer = ActionWriter(self.ex, lines)
        writer.conjunct(action.node, action.env)
        writer.finish()
        missing = self.model.variables.keys() - writer.done - writer.unchanged
        if missing:
            names = ", ".join(sorted(missing))
            raise refused(
                action.node.place,
                f"{action.name}, which does not say what {names} becomes,",
                f"write UNCHANGED <<{names}>>",
            )
        place = action.operator.definition.place if action.operator else action.node.place
        over = ", ".join(f"{n}={text}" for n, text in action.params)
        out = [f"    {d}" for d in fairness.get(id(action), [])]
        out.append(f"    @action({over})" if over else "    @action")
        out.append(f"    def {action.name}({', '.join(['self', *params])}):")
        out += docstring(action.operator.definition.comment if action.operator else "", 2)
        out += lines.lines or ["        pass"]
        return [(line, getattr(line, "place", None) or place) for line in out]

    def initial(self) -> tuple[dict[str, str], Section | None]:
        """The initial values that are known, as the texts of `init=`, and a method for the rest of Init.

        Where the method makes choices, it makes all: for each of several values before it, it would make them again.
        """
        found = self._initially(several=True)
        again = found[1] is not None and any("choose(" in line for line, _ in found[1])
        return self._initially(several=False) if again else found

    def _initially(self, several: bool) -> tuple[dict[str, str], Section | None]:
        lines = Lines(self.ex, frozenset(), 2)
        writer = ActionWriter(self.ex, lines, init=True)
        values: dict[str, str] = {}
        for node, env in (item for one in self.spec.init for item in writer.flattened(*one)):
            known = self._known_initially(writer, node, env)
            if known is None or (known[1].startswith("AnyOf(") and not several):
                writer.conjunct(node, env)
            else:
                values[known[0]] = known[1]
                writer.done.add(known[0])
        if not lines.lines and values.keys() == self.model.variables.keys():
            return values, None
        missing = self.model.variables.keys() - writer.done
        place = self.spec.init[0][0].place
        if missing:
            raise refused(
                place, f"Init, which gives no value to {', '.join(sorted(missing))},", "write x = ... for each variable"
            )
        self.init_name = self.init_name or self.ex.free("Init")
        name = self.init_name
        text = ["    @initial", f"    def {name}(self):", *(lines.lines or ["        pass"])]
        return values, [(line, place) for line in text]

    def _known_initially(self, writer: ActionWriter, node: Node, env: Env) -> tuple[str, str] | None:
        """The variable to which a conjunct of Init gives known values, and these; None for another conjunct."""
        if node.kind != "op" or node.value not in ("=", "\\in") or env.find(node.value) is not None:
            return None
        name = writer.assigned(node.args[0], env)
        is_known, value = self.ex.known(node.args[1], env)
        if name is None or not is_known or name in writer.done:
            return None
        shape, literals = self.typing.shapes[name], self.ex.literals
        if node.value == "\\in":
            if self._is_whole(value, shape):
                return name, "AnyOf()"
            if not isinstance(value, frozenset) or not 0 < len(value) <= LISTED:
                return None
            values = ordered(value)
        else:
            values = [value]
        self.ex._note_records(value, node)
        texts = [literals.value(v, shape) for v in values]
        return name, texts[0] if len(texts) == 1 else f"AnyOf({', '.join(texts)})"

    def _is_whole(self, values: Any, shape: Shape) -> bool:
        """Whether some values are all of a domain."""
        try:
            same = with_maps(of_set(values), self.typing.sets) == shape
            return is_finite(values) and same and covers(values)
        except (Conflict, Undefined):
            return False

    def variables(self, initial: dict[str, str]) -> Section:
        """The method that declares the variables."""
        out = ["    def variables(self):"]
        for name, comment in self.model.variables.items():
            shape = self.typing.shapes[name]
            place = self.type_place(name)
            try:
                domain = self.ex.domains.domain(shape)
            except ValueError as error:
                raise refused(
                    place, f"the type of {name}: {error}", "use sets of numbers, strings, tuples or records of these"
                ) from None
            if name in initial:
                text = initial[name]
                if not _is_default(text, domain):
                    domain = (
                        f"{domain[:-1]}, init={text})" if not domain.endswith("()") else f"{domain[:-1]}init={text})"
                    )
            line = f"        self.{attribute(name)} = {domain}"
            out.append(f"{line}  # {comment}" if comment and len(line) + len(comment) < WIDTH else line)
        return [(line, None) for line in out]

    def type_place(self, name: str) -> Place:
        """Where the type of a variable is written."""
        nodes = self.typing.typed.get(name)
        return nodes[0].place if nodes else Place(self.model.root_module.file, 1)

    def helper(self, method: Method) -> Section:
        """A method for an operator."""
        lines = [(f"        {line}", getattr(line, "place", None) or method.place) for line in method.lines]
        head = f"    def {method.name}({', '.join(['self', *method.params])}):"
        mark = [f"    {method.mark}"] if method.mark else []
        return [*((line, method.place) for line in [*mark, head, *docstring(method.comment, 2)]), *lines]

    # -- the file

    def assembled(self, sections: list[Section], properties: Properties) -> Translation:
        """All lines, with imports, constants and record classes before the class."""
        root = self.model.root_module
        body = "\n".join(line for section in sections for line, _ in section)
        constants = self._constants(body)
        head = [*module_docstring(root.comment, root.name), ""]
        everything = re.sub(r'""".*?"""', "", f"{body}\n" + "\n".join(constants), flags=re.DOTALL)
        frozen = any(c.frozen and re.search(rf"\b{c.name}\b", everything) for c in self.ex.literals.classes.values())
        library = ["from dataclasses import dataclass"] if frozen else []
        library += ["from functools import reduce"] if re.search(r"\breduce\(", everything) else []
        library += ["from typing import Any"] if frozen else []
        head += [*library, ""] if library else []
        words = set(re.findall(r"\w+", everything)) | {"Spec", "action"}
        if any(not c.frozen for c in self.ex.literals.classes.values()):
            words.add("Record")
        names = sorted(
            n
            for n in language
            if n in words
            and (n in LANGUAGE_ALWAYS or re.search(rf"(?<![\w.\"]){n}\b", everything + "\n" + "Spec action Record("))
        )
        line = f"from everystate.checker import {', '.join(names)}"
        head += (
            [line] if len(line) <= WIDTH else ["from everystate.checker import (", *(f"    {n}," for n in names), ")"]
        )
        if "ListedValues(" in everything:
            head.append("from everystate.checker.language.domains import ListedValues")
        out: Section = [(line, None) for line in head]
        for made in {id(c): c for c in self.ex.literals.classes.values()}.values():
            if not re.search(rf"\b{made.name}\b", everything):
                continue
            fields = ", ".join(made.fields)
            if made.frozen:
                names = sorted(made.fields, key=lambda n: not made.always(n))
                typed = [f"    {field_name(n)}: Any{'' if made.always(n) else ' = None'}" for n in names]
                head_of = ["@dataclass(frozen=True)", f"class {made.name}:", *typed]
            else:
                head_of = [f"class {made.name}(Record):", f'    """{fields}"""']
            out += [("", None), ("", None), *((line, None) for line in head_of)]
        if constants:
            out += [
                ("", None),
                *([("", None)] if out[-1][0].startswith("    ") else []),
                *((line, None) for line in constants),
            ]
        out += [("", None), ("", None), (f"class {self.class_name}(Spec):", Place(root.file, 1))]
        if not self.model.config.deadlock or self.model.config.action_constraints:
            out += [("    may_terminate = True", None)]
            out.append(("", None))
        for i, section in enumerate(sections):
            if i:
                out.append(("", None))
            out += section
        laid_out = wrapped(out)
        text = "\n".join(line.rstrip() for line, _ in laid_out) + "\n"
        places = {i: place for i, (_, place) in enumerate(laid_out, 1) if place is not None}
        guessed = {n: self.ex.domains.domain(self.typing.shapes[n]) for n in sorted(self.typing.guessed)}
        files = [
            *self.model.files,
            *([Path(self.model.config.file)] if self.model.config.file.endswith(".cfg") else []),
        ]
        config = self.model.config
        other = config.constraints or config.action_constraints or config.symmetry or config.view
        whole = self.typing.whole and not other
        counts = (len(self.typing.states), self.typing.generated) if whole else None
        found = Translation(text, places, self.notes, guessed, files, counts, properties.guaranteed)
        return replace(found, constants=self.model.defaults, given=self.model.given)

    def _constants(self, body: str) -> list[str]:
        """The constants that are used, in an order in which each is defined before its use."""
        found, needed = self.ex.constants, set(re.findall(r"\w+", body))
        used: list[str] = []

        def visit(name: str) -> None:
            if name in used:
                return
            for other in re.findall(r"\w+", found[name][0]):
                if other in found and other != name:
                    visit(other)
            used.append(name)

        for name in found:
            if name in needed:
                visit(name)
        lines = []
        for name in used:
            text, comment = found[name]
            first = " ".join(comment.split())
            line = f"{name} = {text}"
            if first and len(line) + len(first) + 4 <= WIDTH:
                line += f"  # {first}"
            lines.append(line)
        return lines


LANGUAGE_ALWAYS = {"Spec", "action"}


def _is_default(text: str, domain: str) -> bool:
    """Whether an initial value is the one that a domain begins with anyway."""
    if domain.startswith(("Set(",)):
        return text == "set()"
    if domain.startswith("Seq("):
        return text == "[]"
    if domain.startswith("Option("):
        return text == "None"
    if domain == "Bool()":
        return text == "False"
    if domain.startswith("Int("):
        return domain.startswith(f"Int({text},")
    return domain.startswith("Enum(") and domain.startswith(f"Enum({text},")


__all__ = ["Context", "Py", "Shape", "Translation", "Truth", "Writer", "replace", "translate"]
