"""YAML, JSON, TOML and HCL: parsed by libraries, with the line of each value. Nothing in a file is executed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ....checker.extras import require
from .entries import Document, Entry, Unreadable

KEYED = ("name", "key")
"""The keys of an item of a list that name it, where the item has a `value` as well: {name: A, value: b}."""
ASSIGNMENT = re.compile(r"([A-Za-z_][\w.\-]*)=(.*)", re.DOTALL)
OF_VARIABLE = re.compile(r"\$\{var\.(\w+)\}")
DEEPEST = 60


def yaml_documents(text: str, name: str) -> Iterator[Document]:
    """The documents of a YAML file; texts of several lines that are files themselves are left whole."""
    require("a YAML file", "yaml")
    import yaml

    try:
        for node in yaml.compose_all(text, Loader=yaml.SafeLoader):
            yield Document("yaml", tuple(_of_node(node, (), 0)))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise Unreadable(f"{where}{getattr(error, 'problem', None) or 'this is not YAML'}") from None


def _of_node(node: Any, path: tuple[str, ...], depth: int) -> Iterator[Entry]:
    if depth > DEEPEST:
        raise Unreadable(f"line {node.start_mark.line + 1}: nested too deeply")
    if node.id == "mapping":
        named = _named(node)
        if named is not None:
            yield Entry((*path, named[0]), named[1], named[2])
        for key, value in node.value:
            if key.value == "<<" and value.id in ("mapping", "sequence"):
                yield from _of_node(value, path, depth + 1)
            else:
                yield from _of_node(value, (*path, str(key.value)), depth + 1)
    elif node.id == "sequence":
        for at, item in enumerate(node.value):
            found = ASSIGNMENT.fullmatch(item.value) if item.id == "scalar" else None
            if found:
                yield Entry((*path, found[1]), found[2], item.start_mark.line + 1)
            else:
                yield from _of_node(item, (*path, str(at)), depth + 1)
    else:
        first = node.start_mark.line + (2 if node.style in ("|", ">") else 1)
        if node.tag != "tag:yaml.org,2002:null":
            yield Entry(path, str(node.value), first)


def _named(node: Any) -> tuple[str, str, int] | None:
    """A mapping of a name and a value, as in the environment of a container."""
    plain = {key.value: value for key, value in node.value if value.id == "scalar"}
    for key in KEYED:
        if key in plain and "value" in plain and len(node.value) <= 3:
            return plain[key].value, plain["value"].value, plain[key].start_mark.line + 1
    return None


def json_document(text: str, name: str) -> Document:
    """A JSON file; it is read as YAML for its lines, after the parser of JSON has taken it."""
    try:
        json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise Unreadable(f"line {line}: {getattr(error, 'msg', 'nested too deeply')}") from None
    [document] = yaml_documents(text.replace("\t", " ").replace("\\/", "/"), name)
    return Document("json", document.entries)


def toml_document(text: str, name: str) -> Document:
    """A TOML file."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Unreadable(str(error)) from None
    return Document("toml", tuple(_of_value(content, (), text)))


def hcl_document(text: str, name: str) -> Document:
    """A Terraform file."""
    require("a Terraform file", "hcl2")
    import hcl2

    try:
        content = hcl2.loads(text)
    except Exception as error:
        line = getattr(error, "line", None)
        raise Unreadable(f"line {line}: this is not HCL" if line else "this is not HCL") from None
    variables = {
        name.strip('"'): str(settings["default"]).strip('"')
        for block in content.get("variable", [])
        for name, settings in block.items()
        if isinstance(settings.get("default"), str | int)
    }
    entries = (
        replace(entry, text=variables.get(found[1], entry.text))
        if (found := OF_VARIABLE.fullmatch(entry.text))
        else entry
        for entry in _of_value(content, (), text)
    )
    return Document("hcl", tuple(entries))


def _of_value(value: Any, path: tuple[str, ...], text: str) -> Iterator[Entry]:
    """The values of parsed data; a line is found by the last key, after the lines of the keys above it."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not str(key).startswith("__"):
                yield from _of_value(inner, (*path, str(key).strip('"')), text)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _of_value(inner, (*path, str(at)) if isinstance(inner, dict | list) else path, text)
    else:
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        if path and shown.startswith("<<"):
            shown = "\n".join(shown.split("\n")[1:-1])
        yield Entry(path, shown.strip('"'), _line(path, text))


def _line(path: tuple[str, ...], text: str) -> int:
    at = 0
    for key in path:
        found = re.compile(rf'^.*(?<![\w.])"?{re.escape(key)}"?(?![\w.])', re.MULTILINE).search(text, at)
        at = found.start() if found else at
    return text.count("\n", 0, at) + 1
