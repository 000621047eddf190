"""What a name means where it is used: modules that extend and instantiate each other, LET, and the configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import EverystateError, suggestion
from . import config as configuration
from .config import Config
from .nodes import Definition, Module, Node, Place, parts
from .syntax import parse, refused
from .values import shown

STANDARD = {
    "Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "Bags", "TLC", "TLCExt", "TLAPS", "FiniteSetTheorems",
    "NaturalsInduction", "WellFoundedInduction", "SequenceTheorems", "FunctionTheorems", "RealTime", "Json", "IOUtils",
    "Randomization", "SequencesExt", "FiniteSetsExt", "Functions", "Folds", "BagsExt", "Relation", "Graphs", "CSV",
    "UndirectedGraphs", "Toolbox", "Apalache", "Variants", "SequencesExtTheorems", "BagsTheorems", "Combinatorics",
    "Bitwise", "Option", "ProofRules", "SequenceOpTheorems", "FiniteSetsExtTheorems", "FunctionsFork", "SVG", "ShiViz",
}  # fmt: skip


@dataclass(eq=False)
class Operator:
    """A definition together with where its names are looked up."""

    definition: Definition
    env: Env

    @property
    def name(self) -> str:
        """Its name."""
        return self.definition.name

    def scope(self, args: tuple[Node, ...], env: Env) -> Env:
        """The scope of its body, where the parameters mean the arguments."""
        return Env(self.env, {p: Substitution(a, env) for p, a in zip(self.definition.params, args, strict=False)})


@dataclass(eq=False)
class Variable:
    """A state variable of the model."""

    name: str


@dataclass(eq=False)
class Constant:
    """A constant with its value."""

    name: str
    value: Any


@dataclass(eq=False)
class Substitution:
    """A name of an instance that stands for an expression outside of it; or a parameter that stands for an argument."""

    node: Node
    env: Env


@dataclass(eq=False)
class Instance:
    """A named instance of a module."""

    definition: Definition
    env: Env
    made: Env | None = None


@dataclass(eq=False)
class Builtin:
    """An operator of a standard module."""

    name: str


@dataclass(eq=False)
class Local:
    """A name that is bound to a value: of the evaluator, or of the translation."""

    value: Any


Entity = Any


class Env:
    """Names and their meanings, one block inside another."""

    __slots__ = ("names", "outer")

    def __init__(self, outer: Env | None, names: dict[str, Entity]) -> None:
        self.outer, self.names = outer, names

    def find(self, name: str) -> Entity | None:
        """What a name means; None where nothing defines it."""
        env: Env | None = self
        while env is not None:
            found = env.names.get(name)
            if found is not None:
                return found
            env = env.outer
        return None

    def bind(self, **values: Any) -> Env:
        """The same with names for values."""
        return Env(self, {name: Local(value) for name, value in values.items()})

    def bound(self, names: dict[str, Any]) -> Env:
        """The same with names for values."""
        return Env(self, {name: Local(value) for name, value in names.items()})

    def let(self, definitions: tuple[Definition, ...]) -> Env:
        """The scope of a LET."""
        inner = Env(self, {})
        for made in definitions:
            inner.names[made.name] = Instance(made, inner) if made.module else Operator(made, inner)
        return inner


class Model:
    """A module with everything it needs, and its configuration."""

    def __init__(
        self, path: Path, config: Path | None = None, constants: Mapping[str, int | bool | str] | None = None
    ) -> None:
        self.path = path
        self.modules: dict[str, Module] = {}
        self.files: list[Path] = []
        self.config = configuration.read(config) if config is not None else Config(str(path))
        self.root_module = self._load_file(path)
        self.defaults = self._defaults()
        """The constants with their values in the configuration: numbers, booleans, and texts of other values."""
        self.given = {name: self._given(name, value) for name, value in (constants or {}).items()}
        """Values that replace those of the configuration."""
        self.builtins = Env(None, {})
        self.variables: dict[str, str] = {}
        """The variables with their comments."""
        self.operators: dict[str, Operator] = {}
        self.root = self._scope(self.root_module, None, {}, root=True)
        self._define_overrides()

    # -- constants

    def _defaults(self) -> dict[str, int | bool | str]:
        config = self.config
        names = dict.fromkeys([*self._names(self.root_module, "constants"), *config.values, *config.overrides])
        found: dict[str, int | bool | str] = {}
        for name in names:
            value = config.values.get(name, MISSING)
            found[name] = config.overrides.get(name, "") if value is MISSING else configuration.written(value)
        return found

    def _given(self, name: str, value: int | bool | str) -> int | bool | str:
        """Take the value of a constant, as a configuration file writes it: E107 and E108 like for any spec."""
        spec, default = self.root_module.name, self.defaults.get(name)
        if default is None:
            hint, names = suggestion(name, list(self.defaults)), ", ".join(self.defaults) or "(it has none)"
            raise EverystateError("E107", None, spec=spec, name=name, suggestion=hint, names=names)
        if not isinstance(default, str) and type(value) is not type(default):
            expected = "TRUE or FALSE" if isinstance(default, bool) else "a whole number"
            raise EverystateError("E108", None, spec=spec, name=name, value=value, expected=expected, default=default)
        config, definitions = self.config, self._names(self.root_module, "definitions")
        config.values.pop(name, None)
        config.overrides.pop(name, None)
        config.lines.pop(name, None)
        if value in definitions:
            config.overrides[name] = str(value)
            return value
        made = config.values[name] = configuration.value_of(config, value) if isinstance(value, str) else value
        return shown(made) if isinstance(default, str) else value

    def _names(self, module: Module, kind: str) -> list[str]:
        """The constants or definitions of a module, and of those that it extends."""
        found = [getattr(each, "name", each) for each in getattr(module, kind)]
        for name in module.extends:
            extended = self.module(name, Place(module.file, 1), module)
            found += self._names(extended, kind) if extended is not None else []
        return found

    # -- modules

    def _load_file(self, path: Path) -> Module:
        if not path.is_file():
            problem = f"there is no file {path}"
            raise EverystateError("E462", None, place=str(path), problem=problem, remedy="check the path")
        module = parse(path)
        self.files.append(path)
        self.modules[module.name] = module
        return module

    def module(self, name: str, place: Place, inside: Module | None = None) -> Module | None:
        """A module by its name; None for a standard one."""
        if inside is not None and name in inside.inner:
            return inside.inner[name]
        if name in self.modules:
            return self.modules[name]
        file = self.path.parent / f"{name}.tla"
        if file.is_file() and name not in ("Naturals", "Integers", "Sequences", "FiniteSets", "TLC", "Bags", "Reals"):
            return self._load_file(file)
        for known in self.modules.values():
            if name in known.inner:
                return known.inner[name]
        if name in STANDARD:
            return None
        raise refused(place, f"the module {name}", f"put {name}.tla into {self.path.parent}")

    def _scope(self, module: Module, outer: Env | None, given: dict[str, Entity], root: bool = False) -> Env:
        """The scope of a module, where `given` says what its constants and variables stand for."""
        env = Env(outer or self.builtins, {})
        self._fill(env, module, given, root, module)
        return env

    def _fill(self, env: Env, module: Module, given: dict[str, Entity], root: bool, top: Module) -> None:
        place = Place(module.file, 1)
        for name in module.extends:
            extended = self.module(name, place, module)
            if extended is not None:
                self._fill(env, extended, given, root, top)
        for name in module.constants:
            env.names[name] = given.get(name) or self._constant(name, module, root)
        for name, comment in module.variables.items():
            if name in given:
                env.names[name] = given[name]
            elif root:
                self.variables[name] = comment
                env.names[name] = Variable(name)
        inside = self._inside(module, env)
        for made in module.definitions:
            if made.module:
                env.names[made.name] = Instance(made, inside)
            elif (module.name, made.name) in self.config.of_module:
                target = self.config.of_module[module.name, made.name]
                env.names[made.name] = Substitution(
                    Node("id", made.place, (), target), env if root else self.root_or(env)
                )
            else:
                env.names[made.name] = Operator(made, inside)
                if root:
                    self.operators[made.name] = env.names[made.name]
        for made in module.instances:
            target_module = self.module(made.module, made.place, module)
            if target_module is None:
                continue
            inner = self._instantiated(target_module, made, env)
            for name, entity in inner.names.items():
                if isinstance(entity, (Operator, Instance)) and not _is_local(entity):
                    env.names.setdefault(name, entity)
                    if root and isinstance(entity, Operator):
                        self.operators.setdefault(name, entity)

    def _inside(self, module: Module, env: Env) -> Env:
        """The scope of the definitions of a module, with what is replaced only there: Nat <- [Module]MCNat."""
        own = {*module.constants, *(made.name for made in module.definitions)}
        names: dict[str, Entity] = {
            name: Substitution(Node("id", self.config.place(name), (), target), _Late(self))
            for (inside, name), target in self.config.of_module.items()
            if inside == module.name and name not in own
        }
        return Env(env, names) if names else env

    def root_or(self, env: Env) -> Env:
        """The scope in which the configuration names its replacements."""
        return getattr(self, "root", env)

    def _constant(self, name: str, module: Module, root: bool) -> Entity:
        config = self.config
        if name in config.values:
            return Constant(name, config.values[name])
        if (module.name, name) in config.of_module:
            return Substitution(Node("id", config.place(name), (), config.of_module[module.name, name]), _Late(self))
        if name in config.overrides:
            return Substitution(Node("id", config.place(name), (), config.overrides[name]), _Late(self))
        return Constant(name, MISSING)

    def _define_overrides(self) -> None:
        """The replacements of definitions: Nat <- MCNat, Ballot = {0, 1}."""
        for name, value in self.config.values.items():
            if isinstance(self.root.names.get(name), Operator):
                self.root.names[name] = Constant(name, value)
        for name, target in self.config.overrides.items():
            found = self.root.names.get(name)
            if isinstance(found, Substitution):
                continue
            replaced = Substitution(Node("id", self.config.place(name), (), target), self.root)
            if found is None or name in ("Nat", "Int", "Seq"):
                self.builtins.names[name] = replaced
            if found is not None:
                self.root.names[name] = replaced

    def instance(self, found: Instance, args: tuple[Substitution, ...], place: Place) -> Env:
        """The scope of a named instance, with its parameters."""
        made = found.definition
        if not args and found.made is not None:
            return found.made
        module = self.module(made.module, place)
        if module is None:
            return self.builtins
        inner = self._instantiated(module, made, Env(found.env, dict(zip(made.params, args, strict=True))))
        found.made = None if args else inner
        return inner

    def _instantiated(self, module: Module, made: Definition, env: Env) -> Env:
        given: dict[str, Entity] = {}
        for name in self._parameters(module):
            if name in made.substitutions:
                given[name] = Substitution(made.substitutions[name], env)
            else:
                found = env.find(name)
                if isinstance(found, Operator) and not found.definition.params:
                    found = Substitution(Node("id", made.place, (), name), env)
                if found is not None:
                    given[name] = found
        inner = Env(self.builtins, {})
        self._fill(inner, module, given, False, module)
        return inner

    def _parameters(self, module: Module) -> list[str]:
        return [*self._names(module, "constants"), *self._names(module, "variables")]

    def operator(self, name: str) -> Operator:
        """A definition that the configuration names."""
        found = self.root.find(name)
        while isinstance(found, Substitution) and found.node.kind == "id":
            found = found.env.find(found.node.value)
        if not isinstance(found, Operator):
            place = str(self.config.place(name))
            raise EverystateError(
                "E462", None, place=place, problem=f"no module defines {name}", remedy="correct the configuration"
            )
        return found


class _Late(Env):
    """The scope of the root module, which is not complete while its constants are read."""

    __slots__ = ("model",)

    def __init__(self, model: Model) -> None:
        super().__init__(None, {})
        self.model = model

    def find(self, name: str) -> Entity | None:
        return self.model.root.find(name)


class Missing:
    """A constant without a value."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def part_of(node: Node, env: Env) -> tuple[Node, Env]:
    """The part of a definition that `Inv!2` names."""
    name, steps = node.value
    found = env.find(name)
    if not isinstance(found, Operator) or found.definition.body is None:
        raise refused(node.place, f"a part of {name}", "name a definition of the module")
    inner = found.definition.body
    for step in steps:
        if step > len(inner.args) or not isinstance(inner.args[step - 1], Node):
            raise refused(node.place, f"part {step} of {name}", "define that part by a name")
        inner = inner.args[step - 1]
    return inner, found.env


def _is_local(entity: Operator | Instance) -> bool:
    return entity.definition.local


def variable_of(node: Node, env: Env) -> str | None:
    """The variable that a name means, also by a definition or as a parameter."""
    while node.kind == "id":
        found = env.find(node.value)
        if isinstance(found, Variable):
            return found.name
        if isinstance(found, Substitution):
            node, env = found.node, found.env
        elif isinstance(found, Operator) and not found.definition.params and found.definition.body is not None:
            node, env = found.definition.body, found.env
        else:
            return None
    return None


def assigned_variable(node: Node, env: Env, initial: bool) -> str | None:
    """The variable that the left side of an equation is the prime of; in an initial predicate, that it is."""
    while node.kind == "id" and isinstance(found := env.find(node.value), Substitution):
        node, env = found.node, found.env
    if not initial:
        if node.kind != "prime":
            return None
        node = node.args[0]
    return variable_of(node, env)


def mentions(node: Node, test: Callable[[Node], bool]) -> bool:
    """Whether a node, or one below it, passes a test."""
    return test(node) or any(mentions(part, test) for part in parts(node))
