"""The configuration file of TLC: values of constants, and what to check."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import EverystateError
from .nodes import Place
from .values import ModelValue, shown

SECTIONS = {
    "CONSTANT", "CONSTANTS", "SPECIFICATION", "INIT", "NEXT", "INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES",
    "CONSTRAINT", "CONSTRAINTS", "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "SYMMETRY", "VIEW", "ALIAS",
    "CHECK_DEADLOCK", "POSTCONDITION", "TYPE", "TYPE_CONSTRAINT",
}  # fmt: skip
_COMMENT = re.compile(r"\\\*[^\n]*|\(\*.*?\*\)", re.DOTALL)
_TOKEN = re.compile(r'"[^"]*"|<-|[{}(),=\[\]]|-?\d+|[\w!\.$@:-]+|\S')


@dataclass
class Config:
    """What a configuration file says."""

    file: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    overrides: dict[str, str] = field(default_factory=dict)
    of_module: dict[tuple[str, str], str] = field(default_factory=dict)
    specification: str = ""
    init: str = ""
    next: str = ""
    invariants: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    constraints: list[str] = field(default_factory=list)
    action_constraints: list[str] = field(default_factory=list)
    symmetry: str = ""
    view: str = ""
    deadlock: bool = True
    lines: dict[str, int] = field(default_factory=dict)
    model_values: dict[str, ModelValue] = field(default_factory=dict)

    def place(self, name: str) -> Place:
        """The line that first has a name."""
        return Place(self.file, self.lines.get(name, 1))


def read(path: Path) -> Config:
    """Read a configuration file; E462 where a line is not understood."""
    config = Config(str(path))
    text = _COMMENT.sub(lambda m: "\n" * m.group().count("\n"), path.read_text())
    tokens: list[tuple[str, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        for match in _TOKEN.finditer(line):
            tokens.append((match.group(), number))
            config.lines.setdefault(match.group(), number)
    _Reader(config, tokens).read()
    return config


def value_of(config: Config, text: str) -> Any:
    """A value that is written as in a configuration file; E462 where it is none."""
    reader = _Reader(config, [(match.group(), 1) for match in _TOKEN.finditer(text)])
    try:
        if reader.tokens and ((found := reader.value()) is not None and not reader.peek()):
            return found
    except EverystateError:
        pass
    problem, remedy = f"`{text}` is no value of a constant", 'write 3, TRUE, "text", a or {a, b}'
    raise EverystateError("E462", None, place=config.file, problem=problem, remedy=remedy)


def written(value: Any) -> int | bool | str:
    """A value of a constant: a number or a boolean, or the text of another one in a configuration file."""
    return value if isinstance(value, int) else shown(value)


class _Reader:
    def __init__(self, config: Config, tokens: list[tuple[str, int]]) -> None:
        self.config, self.tokens, self.at = config, tokens, 0

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead][0] if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1][0] if self.at <= len(self.tokens) else ""

    def wrong(self) -> EverystateError:
        token, line = self.tokens[min(self.at, len(self.tokens) - 1)]
        place = str(Place(self.config.file, line))
        remedy = "write CONSTANT Name = value, and a section for each of SPECIFICATION, INVARIANT, PROPERTY, ..."
        return EverystateError("E462", None, place=place, problem=f"`{token}` is not expected here", remedy=remedy)

    def read(self) -> None:
        config = self.config
        lists = {
            "INVARIANT": config.invariants, "PROPERTY": config.properties, "PROPERTIE": config.properties,
            "CONSTRAINT": config.constraints, "ACTION_CONSTRAINT": config.action_constraints,
        }  # fmt: skip
        while self.at < len(self.tokens):
            section = self.take()
            if section not in SECTIONS:
                self.at -= 1
                raise self.wrong()
            if section.startswith("CONSTANT"):
                while self.peek() and self.peek() not in SECTIONS:
                    self.constant()
            elif section.removesuffix("S") in lists and section != "TYPE_CONSTRAINT":
                while self.peek() and self.peek() not in SECTIONS:
                    lists[section.removesuffix("S")].append(self.take())
            elif section == "CHECK_DEADLOCK":
                config.deadlock = self.take() != "FALSE"
            elif section in ("SPECIFICATION", "INIT", "NEXT", "VIEW", "SYMMETRY"):
                setattr(config, section.lower(), self.take())
            else:
                self.take()

    def constant(self) -> None:
        name = self.take()
        sign = self.take()
        if sign == "<-":
            target = self.take()
            if target == "[":
                module, _ = self.take(), self.take()
                self.config.of_module[module, name] = self.take()
            else:
                self.config.overrides[name] = target
        elif sign == "=":
            if self.peek() == "[":  # NoHash = [Nano]NoHashVal
                for _ in range(3):
                    self.take()
            self.config.values[name] = self.value()
        else:
            self.at -= 1
            raise self.wrong()

    def value(self) -> Any:
        token = self.take()
        if token == "{":
            members = []
            while self.peek() != "}":
                members.append(self.value())
                if self.peek() == ",":
                    self.take()
                elif self.peek() != "}":
                    raise self.wrong()
            self.take()
            return frozenset(members)
        if token.startswith('"'):
            return token[1:-1]
        if token in ("TRUE", "FALSE"):
            return token == "TRUE"
        if re.fullmatch(r"-?\d+", token):
            return int(token)
        if not re.fullmatch(r"\w+", token):
            self.at -= 1
            raise self.wrong()
        known = self.config.model_values
        return known.setdefault(token, ModelValue(token, len(known)))
