"""What the work folders of all searches have in common: the facts of a run, and a manifest for each complete level.

run.json             what the run is about; a run that is resumed must be about the same
levels/00017.json    the manifest of a level, with a seal over run.json, the manifests before it and itself. A level
                     counts when this file exists
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from ..backends.native import Program
from ..errors import EverystateError
from ..results.plain import show_constants

MANIFEST = re.compile(r"[0-9]{5,18}\.json")
CHANGED = {
    "target": "the target",
    "constants": "the constants",
    "everystate": "the version of Everystate",
    "code": "the spec",
    "initial": "the initial states",
    "deadlock": "--no-deadlock",
    "partitions": "--partitions",
    "ship": "--ship",
}


def about(target: str, program: Program, code: str, initial: bytes, deadlock: bool) -> dict[str, Any]:
    """The facts that must be equal to resume a run; `code` is the compiled part of the spec, which is not all of it."""
    spec = program.model.spec
    return {
        "everystate": _release(),
        "target": target,
        "constants": show_constants(spec.constants),
        "code": hashlib.sha256(f"{program.meaning} {code}".encode()).hexdigest(),
        "initial": hashlib.sha256(initial).hexdigest(),
        "deadlock": deadlock,
    }


def read_facts(work: str, read: Callable[[], Any], **needed: type) -> dict[str, Any]:
    """The facts of the run in a folder; E620 where they cannot be read, or one that is needed is of another type."""
    with suppress(OSError, ValueError, RecursionError):
        found = read()
        if isinstance(found, dict) and all(type(found.get(name)) is kind for name, kind in needed.items()):
            return found
    raise EverystateError("E620", None, work=work, reason="its run.json cannot be read")


def compare(work: str, wanted: dict[str, Any], stored: dict[str, Any]) -> None:
    """E624 for the first fact that differs."""
    for name, what in CHANGED.items():
        if name in wanted and wanted[name] != stored.get(name):
            before, now = f": it had {stored.get(name)}", f", this command has {wanted[name]}"
            before, now = ("", "") if name in ("code", "initial") else (before, now)
            raise EverystateError("E624", None, work=work, what=what, before=before, now=now)


def named(number: int) -> str:
    """Where a level is; with .json its manifest."""
    return f"levels/{number:05}"


def number_of(work: str, name: str) -> int:
    """The level of a manifest, from its file name; E620 where it is none."""
    if MANIFEST.fullmatch(name):
        number = int(name.removesuffix(".json"))
        if number > 0 and f"{named(number)}.json" == f"levels/{name}":
            return number
    raise EverystateError("E620", None, work=work, reason=f"levels/{name} is not the manifest of a level")


def damaged(level: int, reason: str) -> EverystateError:
    """E627 for a level."""
    return EverystateError("E627", None, level=level, reason=reason)


@contextmanager
def reading(level: int) -> Iterator[None]:
    """In the body the manifest of a level is read; E627 where that fails."""
    try:
        yield
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise damaged(level, f"its manifest cannot be read: {error}") from None


class Seals:
    """The seals of the manifests of a run, one after the other; the first continues that of its facts."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self._last = ""
        self._next(json.dumps(facts, sort_keys=True))

    def close(self, level: dict[str, Any]) -> dict[str, Any]:
        """The content of the next manifest."""
        text = json.dumps(level)
        return {"level": text, "seal": self._next(text)}

    def open(self, number: int, manifest: Any) -> Any:
        """What the next manifest says of its level; E627 where its seal does not follow from those before."""
        if manifest["seal"] != self._next(manifest["level"]):
            raise damaged(number, "its manifest does not have the seal that follows from run.json and those before")
        return json.loads(manifest["level"])

    def _next(self, text: str) -> str:
        self._last = hashlib.blake2b((self._last + text).encode()).hexdigest()
        return self._last


def _release() -> str:
    from importlib.metadata import PackageNotFoundError, version  # imports a mail parser, and most runs do not need it

    try:
        return version("everystate")
    except PackageNotFoundError:
        return "0"
