"""What not every installation has: the packages of the extras, and the command that installs them into this one.

Everystate may have been installed from a clone, from a file or from an index; pip notes which in direct_url.json
(PEP 610), and a hint that names another source than that one would not work.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from .errors import EverystateError, below_here

PACKAGES = {
    "z3": ("z3", "z3"),
    "pysat": ("python-sat", "z3"),
    "networkx": ("networkx", "graph"),
    "graphviz": ("graphviz", "graph"),
    "pyspark": ("PySpark", "spark"),
    "pyarrow": ("PyArrow", "spark"),
    "google_crc32c": ("google-crc32c", "spark"),
    "pandas": ("pandas", "tables"),
    "jpype": ("JPype", "kafka"),
    "kafka": ("kafka-python", "assess"),
    "yaml": ("PyYAML", "assess"),
    "hcl2": ("python-hcl2", "assess"),
    "starlette": ("Starlette", "explore"),
    "uvicorn": ("Uvicorn", "explore"),
    "tree_sitter": ("tree-sitter", "tla"),
    "tree_sitter_tlaplus": ("tree-sitter-tlaplus", "tla"),
}
"""By the name that is imported: what people call the package, and the extra that brings it."""


def require(reader: str, *packages: str, extra: str = "") -> None:
    """E510 when a package that `reader` needs is not installed; `extra` where another one than usual brings it."""
    for package in packages:
        if importlib.util.find_spec(package) is None:
            name, usual = PACKAGES[package]
            brings = extra or usual
            raise EverystateError("E510", None, package=name, reader=reader, extra=brings, command=command(brings))


def missing(*packages: str) -> str:
    """The first of some packages that is not installed, by the name that people call it; empty where all are."""
    return next((PACKAGES[each][0] for each in packages if importlib.util.find_spec(each) is None), "")


def command(extra: str) -> str:
    """What is typed to add an extra to this installation."""
    return f"{_install()} {_source(extra)}"


def _install() -> str:
    """`pip` where that is the one of this environment, else the one of this Python; uv where there is none."""
    found = shutil.which("pip")
    if found is not None and os.path.dirname(found) == os.path.dirname(sys.executable):
        return "pip install"
    python = shlex.quote(below_here(sys.executable))
    if importlib.util.find_spec("pip") is None and "uv" in (text.strip() for text in _noted("INSTALLER")):
        return f"uv pip install --python {python}"
    return f"{python} -m pip install"


def _source(extra: str) -> str:
    """Everystate with an extra, as pip takes it: from where this installation came."""
    origin, name = _direct_url(), f"everystate[{extra}]"
    url = str(origin.get("url", ""))
    if not origin:
        return f"'{name}'"
    if "vcs_info" in origin:
        kind, commit = origin["vcs_info"]["vcs"], origin["vcs_info"]["commit_id"]
        return f"'{name} @ {kind}+{url}@{commit}'"
    if not url.startswith("file:"):
        return f"'{name} @ {url}'"
    path = unquote(urlsplit(url).path)
    if not os.path.exists(path):
        return " ".join(map(shlex.quote, _requirements(extra)))
    place = shlex.quote(f"{below_here(path)}[{extra}]")
    return f"-e {place}" if origin.get("dir_info", {}).get("editable") else place


def _direct_url() -> dict[str, Any]:
    """What pip noted of this installation; nothing where it came from an index.

    In the folder of a clone Python finds the clone's own egg-info first, in which pip notes nothing.
    """
    return next((dict(json.loads(text)) for text in _noted("direct_url.json")), {})


def _noted(file: str) -> Iterator[str]:
    """What was noted in a file when Everystate was installed."""
    from importlib.metadata import distributions

    return filter(None, (found.read_text(file) for found in distributions(name="everystate")))


def _requirements(extra: str) -> list[str]:
    """What an extra consists of, for where Everystate itself cannot be had again."""
    from importlib.metadata import requires

    found = requires("everystate") or []
    return [text.partition(";")[0].strip() for text in found if re.search(rf"extra == ['\"]{extra}['\"]", text)]
