"""Places in the user's own files, and which files are not the user's."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from functools import cache
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

_CHECKER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_SHELL = os.path.join(_CHECKER, "cli") + os.sep
_OURS = (_CHECKER + os.sep, "<frozen")
_LIBRARY = os.path.dirname(os.__file__) + os.sep


@dataclass(frozen=True)
class Where:
    """A place in the user's own files."""

    path: str
    line: int
    function: str
    source: str = ""

    def __str__(self) -> str:
        text = f"{from_here(self.path)}:{self.line}, in {self.function}"
        return f"{text}\n      {shortened(self.source)}" if self.source else text


def shortened(source: str, columns: int = 94) -> str:
    """The beginning of a source line that is too long for a message of 100 columns."""
    return source if len(source) <= columns else source[: columns - 4] + " ..."


def from_here(path: str) -> str:
    """A path as a reader gets it: from the current folder, as long as that is there."""
    try:
        return os.path.relpath(path) if os.path.isabs(path) else path
    except FileNotFoundError:
        return path


def below_here(path: str) -> str:
    """A path from the current folder, if it is below that; any other one as it is."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def is_as_files(file: str) -> bool:
    """Whether a module of ours is on the disk as source; not in an archive, nor as compiled code only."""
    return file.endswith(".py") and os.path.isfile(file)


def is_ours(path: str) -> bool:
    """Whether a file belongs to the checker (and so never appears in what a user reads)."""
    return path.startswith(_OURS)


def file_of(module: Any) -> str:
    """The file of an entry of `sys.modules`; "" if it has none. The entry may be any object."""
    return _text(module, "__file__")


def name_of(module: Any) -> str:
    """The same of its name."""
    return _text(module, "__name__")


def home_of(value: Any) -> str:
    """The name of the module that an object says it is of."""
    return _text(value, "__module__")


def modules_by_name() -> list[tuple[str, Any]]:
    """The entries of `sys.modules` whose key is a string: Python accepts any object there."""
    return [(name, module) for name, module in list(sys.modules.items()) if isinstance(name, str)]


def _text(module: Any, name: str) -> str:
    try:
        found = getattr(module, name, "")
    except Exception:
        return ""
    return found if isinstance(found, str) else ""


class _Written(set[str]):
    """Folders of packages, and files, in which specs are written: it fills as their classes are made."""


WRITTEN = _Written()


def note_written(module: ModuleType | None) -> None:
    """A spec is written in a module: that, and the package that it is of, are its author's, wherever they lie."""
    file = file_of(module)
    if module is None or not file or module.__name__.partition(".")[0] == "everystate":
        return
    outer = module.__name__.count(".") + hasattr(module, "__path__")
    place = os.path.abspath(file)
    for _ in range(outer):
        place = os.path.dirname(place)
    WRITTEN.add(place + os.sep if outer else place)


def is_library(path: str) -> bool:
    """Whether a file was installed, or belongs to Python, so that no author changes it."""
    return path.startswith(_LIBRARY) or "-packages" in path


@cache
def is_users(path: str) -> bool:
    """Whether a file may have mistakes of a spec: it is neither ours nor of Python's library."""
    return not is_ours(path) and not _of_python(path)


def _of_python(path: str) -> bool:
    """Whether a file belongs to Python's library, which has no mistakes of a spec."""
    return path.startswith(_LIBRARY) and "-packages" not in path


TRANSLATED: dict[str, dict[int, tuple[str, int]]] = {}
"""For Python files that were made from others: the place in these from which each line comes."""


def describe(path: str, line: int, function: str) -> Where:
    """The place with its source line, in the file that its author wrote."""
    import linecache

    if path in TRANSLATED and line in TRANSLATED[path]:
        path, line = TRANSLATED[path][line]
    return Where(path, line, function, linecache.getline(path, line).strip())


def function_name(code: CodeType) -> str:
    """The function that an author wrote some code in: for a comprehension or a lambda, the one around it."""
    for part in reversed(code.co_qualname.split(".")):
        if not part.startswith("<"):
            return part
    return code.co_name


def user_place() -> Where | None:
    """The innermost frame on the stack that is not ours: the line of the spec being executed, if there is one."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(_SHELL):
            return None
        if is_users(frame.f_code.co_filename):
            return describe(frame.f_code.co_filename, frame.f_lineno, function_name(frame.f_code))
        frame = frame.f_back
    return None


def place_of(trace: TracebackType | None) -> Where | None:
    """The innermost user frame of a traceback."""
    found: Where | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        others = is_ours(code.co_filename) or code.co_filename.startswith("<")
        if not others and (found is None or not _of_python(code.co_filename)):
            found = describe(code.co_filename, trace.tb_lineno, function_name(code))
        trace = trace.tb_next
    return found
