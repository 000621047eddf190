"""Sends code to executors: this package, and the files of the user's own spec.

Embedded executors share the files and packages of the driver and need nothing. Executors of a cluster get the package
as an archive that Spark unpacks into their folder, made from the files that the driver itself runs (an editable
installation maps folders, so there is no installed copy to send). It holds real files, no zip on the path: error
messages quote source lines, and the checker takes a digest of its own code. numpy, llvmlite and pyarrow contain machine
code and must be installed there.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import os
import pickle
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import WRITTEN, EverystateError, file_of

PACKAGES = ("checker", "model", "specs", "counterexamples")
UNPACKED = "everystate-code"
"""The folder on an executor into which Spark unpacks the package."""
EPOCH = (1980, 1, 1, 0, 0, 0)
"""The time of every file in the zip: the same code gives the same bytes."""


def write_package(folder: Path) -> Path:
    """The package as a zip in a folder."""
    archive = folder / f"{UNPACKED}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as target:
        for name, path in _package_files():
            target.writestr(zipfile.ZipInfo(name, EPOCH), path.read_bytes(), zipfile.ZIP_DEFLATED)
    return archive


def conf(folder: Path) -> dict[str, str]:
    """The settings of a session that send the package, which is first written into a folder, to its executors."""
    path = os.pathsep.join(filter(None, [f"./{UNPACKED}", os.environ.get("PYTHONPATH")]))
    archive = write_package(folder).absolute().as_uri()
    return {"spark.archives": f"{archive}#{UNPACKED}", "spark.executorEnv.PYTHONPATH": path}


def _package_files() -> Iterator[tuple[str, Path]]:
    top = importlib.import_module("everystate").__file__
    for path in sorted(Path(top).parent.glob("*.py")) if top is not None else ():
        yield f"everystate/{path.name}", path
    for package in PACKAGES:
        root = Path(str(importlib.import_module(f"everystate.{package}").__file__)).parent
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".toml") and "__pycache__" not in path.parts:
                yield f"everystate/{package}/{path.relative_to(root).as_posix()}", path


# -- the user's own files --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mirror:
    """The user's own modules as data, and the folder in which the driver runs: text by absolute path."""

    here: str
    files: tuple[tuple[str, bytes], ...] = ()

    def unpacked(self) -> Path:
        """The copy of the driver's folder, made on first use. In it, relative targets, and messages about them, remain
        the same."""
        digest = hashlib.sha256(repr(self).encode()).hexdigest()[:16]
        root = Path(BASE) / f"everystate-files-{digest}"
        for name, content in self.files:
            path = root / name.lstrip("/")
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                    file.write(content)
                os.replace(file.name, path)
        WRITTEN.add(f"{root}{os.sep}")  # below PySpark, where a worker may have its folder
        here = root / self.here.lstrip("/")
        here.mkdir(parents=True, exist_ok=True)
        return here


BASE = os.getcwd()
"""The folder of an executor, even if the process changes folders later."""


def mirror(files: Iterable[str]) -> Mirror:
    """These files, every module imported so far from below their folders or the current one, and the modules in these
    folders that any of them imports later, as functions do: neither ours nor an installed package's."""
    here = Path.cwd()
    named = [Path(file).absolute() for file in files]
    roots = {here, *(path.parent for path in named)}
    imported = [path for module in list(sys.modules.values()) if (path := _source(module)) is not None]
    wanted = {path for path in imported if any(path.is_relative_to(root) for root in roots) and not _installed(path)}
    found: dict[str, bytes] = {}
    waiting = [*wanted, *named]
    while waiting:
        path = waiting.pop()
        if os.path.normpath(path) not in found:
            with contextlib.suppress(OSError):
                found[os.path.normpath(path)] = content = path.read_bytes()
                places = (root / name for root in {path.parent, *roots} for name in _imports(content))
                waiting += [place for place in places if place.is_file() and not _installed(place)]
    return Mirror(str(here), tuple(sorted(found.items())))


def _imports(source: bytes) -> Iterator[str]:
    """The files, from some folder on, that the imports of a source may name, those in functions included."""
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                module = getattr(node, "module", None)
                for name in (f"{module}.{alias.name}" if module else alias.name for alias in node.names):
                    place = Path(name.replace(".", "/"))
                    for each in [place, *place.parents][:-1]:  # packages, too
                        yield from (f"{each}.py", f"{each}/__init__.py")


def _source(module: ModuleType) -> Path | None:
    file = file_of(module)
    return Path(file).absolute() if file.endswith(".py") else None


def _installed(path: Path) -> bool:
    """Whether a file belongs to Python, to an installed package, or to us."""
    ours = [Path(str(importlib.import_module(f"everystate.{name}").__file__)).parent for name in PACKAGES]
    places = [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    return any(path.is_relative_to(place) for place in (*ours, *places))


# -- specs -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Packed:
    """Data about a target for shipping: the target can be read, and its modules imported, before the rest."""

    target: str
    content: bytes


def pack(target: str, content: Any) -> Packed:
    """Something about a target, ready to travel."""
    return Packed(target, pickle.dumps(content))


@dataclass(frozen=True)
class Courier:
    """How a spec is loaded on an executor: by name, in the folder of the driver or in a copy of it.

    `load` makes a spec from a target and constants; it is a function of a module, so that it can travel.
    """

    load: Callable[[str, dict[str, Any]], Any]
    folder: str | Mirror

    def loaded(self, target: str, constants: dict[str, Any]) -> Any:
        """The spec of a target."""
        with contextlib.chdir(self.folder if isinstance(self.folder, str) else self.folder.unpacked()):
            return self.load(target, constants)

    def unpacked(self, packed: Packed) -> Any:
        """What was packed. The target is loaded first: the content may hold values of the user's own types."""
        with contextlib.suppress(EverystateError):
            self.loaded(packed.target, {})
        return pickle.loads(packed.content)


def courier(load: Callable[[str, dict[str, Any]], Any], targets: Iterable[str], embedded: bool) -> Courier:
    """A courier for some targets; for executors elsewhere they are loaded here too, to find their imports."""
    if embedded:
        return Courier(load, os.getcwd())
    wanted = sorted(targets)
    for target in wanted:
        with contextlib.suppress(EverystateError):
            load(target, {})
    places = {target.partition(":")[0] for target in wanted}
    return Courier(load, mirror(sorted(place for place in places if place.endswith(".py"))))
