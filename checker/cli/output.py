"""What reaches the user: standard output, colours, and files that are checked before a long run begins."""

from __future__ import annotations

import codecs
import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from ..errors import EverystateError
from ..results.files import file_stem
from ..results.text import WIDTH, Paint, folded, plain

COLOURS = {
    "title": "1",
    "number": "2",
    "action": "1;36",
    "story": "3",
    "old": "2",
    "new": "33",
    "wrong": "1;31",
    "faint": "2",
    "warning": "33",
    "PROVED": "1;32",
    "REACHED": "1;32",
    "BOUNDED": "1;32",
    "SAMPLED": "1;33",
    "VIOLATED": "1;31",
    "UNDECIDED": "1;33",
}


STDOUT = "standard output"
ERASE = "\r\x1b[K"
"""What erases the live line of a terminal."""
ESCAPED = "everystate.escaped"
"""How a character is written that an encoding does not have: as an escape of JSON, which people can read as well."""


def _escape(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError), "what is read is refused instead"
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4)), error.end


codecs.register_error(ESCAPED, _escape)


class Closed(Exception):
    """The reader of standard output has gone, as `| head` does."""


@dataclass
class Streams:
    """The streams that a command prints to, even if a spec replaces Python's streams."""

    output: TextIO | None = None
    errors: TextIO | None = None
    drawn: TextIO | None = None
    """The stream with a live line at its end."""


STREAMS = Streams()


@contextlib.contextmanager
def streams() -> Iterator[None]:
    """Print to the present standard streams during a command, and restore them afterwards.

    If a spec has replaced them by an object that cannot be flushed, Python would end with another exit code.
    """
    before, given = (STREAMS.output, STREAMS.errors), (sys.stdout, sys.stderr)
    STREAMS.output, STREAMS.errors = given
    try:
        yield
    finally:
        STREAMS.output, STREAMS.errors = before
        sys.stdout, sys.stderr = given


def width() -> int:
    """Characters of a line: those of the terminal, or of COLUMNS; 100 where neither is known."""
    return max(40, shutil.get_terminal_size((WIDTH, 24)).columns)


def on_terminal() -> bool:
    """Whether what is noted is read on a terminal that can erase a line."""
    return (STREAMS.errors or sys.stderr).isatty() and os.environ.get("TERM") != "dumb"


def say(text: str = "", end: str = "\n", whole: bool = False) -> None:
    """Print to standard output at once. Raises Closed if the reader has gone, E403 if it cannot be written.

    Lines that are too wide for the terminal are wrapped, unless they are `whole`: those of a format for machines.
    """
    stream = STREAMS.output or sys.stdout
    try:
        _write(stream, (text if whole else _wrapped(text, stream)) + end)
    except BrokenPipeError:
        raise Closed from None
    except OSError as error:
        raise unwritable(STDOUT, error) from None


def note(text: str, end: str = "\n", whole: bool = False) -> None:
    """Print to standard error, in place of a live line; what cannot be printed there is lost. `whole` as of `say`."""
    stream = STREAMS.errors or sys.stderr
    erased, STREAMS.drawn = ERASE if STREAMS.drawn is stream else "", None
    with contextlib.suppress(OSError):
        _write(stream, erased + (text if whole else _wrapped(text, stream)) + end)


def draw(text: str) -> None:
    """Draw the live line on standard error; an empty text erases it."""
    STREAMS.drawn = None
    note(ERASE + text, end="", whole=True)
    STREAMS.drawn = (STREAMS.errors or sys.stderr) if text else None


PASTED = "pip install "
"""What a command to install something has; it is pasted, so its line stays whole."""


def _wrapped(text: str, stream: TextIO) -> str:
    """A text with its lines wrapped for a terminal, or for COLUMNS; what a pipe gets stays whole, for programs."""
    if not (os.environ.get("COLUMNS") or _is_terminal(stream)):
        return text
    return "\n".join(line if PASTED in line else folded(line, width()) for line in text.split("\n"))


def _is_terminal(stream: TextIO) -> bool:
    """Whether a stream is a terminal; a spec may have put an object of its own there."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError, OSError):
        return False


def _write(stream: TextIO, text: str) -> None:
    """By the methods of the class: an object of Python's takes others for its own."""
    try:
        type(stream).write(stream, text)
        type(stream).flush(stream)
    except ValueError:
        if not stream.closed:
            raise
        raise OSError(errno.EBADF, os.strerror(errno.EBADF)) from None


def abandon_stdout() -> None:
    """Nothing more can be written there, not even what is still buffered when Python ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), (STREAMS.output or sys.stdout).fileno())
    except (OSError, ValueError):
        return


def painter(colour: bool | None) -> Paint:
    """Colours if asked for, or on a terminal unless NO_COLOR is set."""
    if colour is None:
        stream = STREAMS.output or sys.stdout
        terminal = not stream.closed and stream.isatty() and os.environ.get("TERM") != "dumb"
        colour = terminal and not os.environ.get("NO_COLOR")
    return paint if colour else plain


def paint(role: str, text: str) -> str:
    """A text in the colour of its role."""
    code = COLOURS.get(role)
    return f"\x1b[{code}m{text}\x1b[0m" if code and text else text


def unwritable(path: str, error: OSError, code: str = "E403") -> EverystateError:
    """The error of a file that cannot be written."""
    return EverystateError(code, None, path=path, reason=reason(error))


def reason(error: OSError) -> str:
    """What the operating system says, without numbers and paths."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def read_text(path: str) -> str:
    """The text of a file, `-` for standard input; E402 when it cannot be read, E404 when it is no text."""
    try:
        return sys.stdin.read() if path == "-" else Path(path).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise EverystateError("E404", None, path=path, reason=f"byte {error.object[error.start]:#04x}") from None
    except OSError as error:
        raise EverystateError("E402", None, path=path, reason=reason(error)) from None


def append_step_summary(text: str) -> None:
    """Append to the step summary of GitHub Actions, where there is one; E403 when it cannot be written."""
    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if place:
        try:
            with open(place, "a", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise unwritable(place, error) from None


def write_text(path: Path, text: str) -> None:
    """Write a file as a whole or not at all; E403 when it cannot be written."""
    import secrets

    partial = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")  # another run may write the same file
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, "utf-8", ESCAPED)
            return
        partial.write_text(text, "utf-8", ESCAPED)
        os.replace(partial, path)
    except OSError as error:
        raise unwritable(str(path), error) from None
    finally:
        _quietly(lambda: partial.unlink(missing_ok=True))


def _quietly(action: Callable[[], object]) -> None:
    try:
        action()
    except OSError:
        return


def require_folder(folder: Path) -> None:
    """Make a folder and try whether files can be written there; E405 when not."""
    import tempfile

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise unwritable(str(folder), error, "E405") from None


def require_file(path: Path) -> None:
    """Try whether a file can be written, before the run; E405 when not."""
    if path.is_dir():
        raise EverystateError("E405", None, path=str(path), reason="it is a folder")
    if not path.exists():
        require_folder(path.parent)


def trace_name(target: str, prop: str, mark: str = "") -> str:
    """The name of a trace file: target, property and mark."""
    return file_stem(target, prop, mark) + ".itf.json"
