"""Placeholders in values: ${NAME:default} of Spring and MicroProfile, ${NAME:-default} of a shell, {{ templates }}."""

from __future__ import annotations

import re
from collections.abc import Mapping

PLACEHOLDER = re.compile(r"\$\{([^${}:]+)(?::-?((?:[^{}])*))?\}")
OPEN = re.compile(r"\$\{|<template |\$[A-Z_]+|^\$\(|^(var|local|data|module)\.")
DEEPEST = 8


def resolved(text: str, values: Mapping[str, str]) -> tuple[str | None, bool]:
    """The value of a text, None where it is not in the file, and whether a default was taken."""
    used = False
    for _ in range(DEEPEST):
        found = PLACEHOLDER.search(text)
        if found is None:
            break
        name, default = found[1].strip(), found[2]
        if name in values and PLACEHOLDER.search(values[name]) is None:
            value = values[name]
        elif default is not None:
            value, used = default, True
        else:
            return None, False
        text = text[: found.start()] + value + text[found.end() :]
    return (None, False) if OPEN.search(text) else (text, used)
