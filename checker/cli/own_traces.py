"""The spec of each trace file that this user's checks wrote, so that later commands find it.

The file itself may come from somebody else, and loading a spec executes its code. So what decides is a note in the
user's cache, under the digest of the whole file: an edited file, or one with the same names, is another one.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..cache import cache_folder, digest, store, stored
from .targets import Target, resolve


def remember(text: str, target: str) -> None:
    """Note that this user's check of a target wrote the text of a trace file."""
    place, colon, name = target.partition(":")
    if place.endswith((".py", ".tla")):
        store(_place(digest(text)), os.fsencode(f"{os.path.abspath(place)}{colon}{name}"))


def remembered(sha: str) -> Target | None:
    """The target whose check wrote the file with a digest, if it was one of this user and is still there."""
    entry = stored(_place(sha))
    target = os.fsdecode(entry) if entry else ""
    return resolve(target) if target and os.path.isfile(target.partition(":")[0]) else None


def _place(sha: str) -> Path:
    return cache_folder() / "own-traces" / sha
