"""Where pytest comes in: what it finds here is `everystate.checker.pytest_plugin`.

Pytest compiles the assertions of whatever is installed with a plugin in its own way, which takes time and helps nobody:
so this leaves the package alone.
"""

from __future__ import annotations

import sys
from typing import Any

pytest_plugins = ["everystate.checker.pytest_plugin"]


def as_written(finder: Any) -> None:
    """Let what finds modules for pytest leave the package alone."""
    marked, known = (getattr(finder, name, None) for name in ("_must_rewrite", "_marked_for_rewrite_cache"))
    if isinstance(marked, set) and isinstance(known, dict):
        marked.discard(__package__)
        known.clear()


for found in sys.meta_path:
    as_written(found)
