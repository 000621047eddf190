"""Translations in the cache: a module is translated again when it, its configuration or this package has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import cache
from ..errors import EverystateError, place
from .nodes import Place
from .scopes import Model
from .writer import Translation, Value, translate


@dataclass
class Imported:
    """A translation that is kept in a file."""

    file: Path
    notes: dict[str, str]
    guessed: dict[str, str]
    counts: tuple[int, int] | None
    guaranteed: list[str]
    constants: dict[str, Value]
    """The constants of the module, as the configuration has them."""
    given: dict[str, Value]
    """Those with other values in this translation."""


def configuration(path: Path, given: str = "") -> Path | None:
    """The configuration of a module: the one that is given, else Module.cfg or MCModule.cfg."""
    if given:
        beside = path.parent / given
        found = beside if beside.is_file() else Path(given)
        if not found.is_file():
            problem, remedy = f"there is no configuration {given}", "check the path"
            raise EverystateError("E462", None, place=str(path), problem=problem, remedy=remedy)
        return found
    own = path.with_suffix(".cfg")
    if own.is_file():
        return own
    return path.parent / f"MC{path.stem}.cfg" if (path.parent / f"MC{path.stem}.cfg").is_file() else None


def constants(path: Path, config: str = "") -> dict[str, Value]:
    """The constants of a module, as its configuration has them."""
    return Model(path, configuration(path, config)).defaults


def imported(
    path: Path,
    config: str = "",
    bounds: dict[str, int] | None = None,
    constants: Mapping[str, Value] | None = None,
) -> Imported:
    """The Python file of a module in the cache, translated if necessary; E460 to E462 where it cannot be."""
    if not path.is_file():
        raise EverystateError("E102", None, target=str(path))
    chosen = configuration(path, config)
    files = str(path.resolve()), str(chosen and chosen.resolve())
    asked = json.dumps([*files, bounds or {}, sorted((constants or {}).items()), _own_digest()])
    folder = cache.cache_folder() / "tla" / hashlib.sha256(asked.encode()).hexdigest()[:16]
    file, facts = folder / f"{_stem(path)}.py", folder / "facts.json"
    known = _read(facts, file)
    if known is None:
        made = translate(path, chosen, bounds, constants)
        known = _facts(made)
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(made.text)
        facts.write_text(json.dumps(known))
    lines = {int(n): (str(f), int(line)) for n, (f, line) in known["lines"].items()}
    place.TRANSLATED[str(file)] = lines
    counts = known["counts"]
    found = (counts[0], counts[1]) if counts else None
    names = "notes", "guessed", "guaranteed", "constants", "given"
    return Imported(file, counts=found, **{name: known[name] for name in names})


def _stem(path: Path) -> str:
    return "".join(c if c.isalnum() else "_" for c in path.stem)


def _facts(made: Translation) -> dict[str, Any]:
    lines = {str(n): [p.file, p.line] for n, p in made.lines.items() if isinstance(p, Place)}
    digests = {str(f): _digest(f) for f in made.files}
    return {
        "lines": lines,
        "notes": made.notes,
        "guessed": made.guessed,
        "counts": made.counts,
        "guaranteed": made.guaranteed,
        "constants": made.constants,
        "given": made.given,
        "files": digests,
        "text": _text_digest(made.text),
    }


def _read(facts: Path, file: Path) -> dict[str, Any] | None:
    """What was kept; None where a file of the model has changed since, or the kept one has."""
    if not (cache.ours(facts) and cache.ours(file)):
        return None
    try:
        found: dict[str, Any] = json.loads(facts.read_text())
        fresh = all(Path(f).is_file() and _digest(Path(f)) == d for f, d in found["files"].items())
        return found if fresh and _text_digest(file.read_text()) == found["text"] else None
    except (ValueError, KeyError, OSError):
        return None


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _own_digest() -> str:
    """The version of this package: its sources."""
    found = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in found)).hexdigest()
