"""Where Everystate keeps what it would otherwise make or fetch again: compiled models, jars."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """EVERYSTATE_CACHE, else the user's cache folder."""
    given = os.environ.get("EVERYSTATE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "everystate"
