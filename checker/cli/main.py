"""The command line: a thin shell over the library. Each command lives in a module of its own, loaded when it runs."""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from time import perf_counter, process_time

import click

from everystate.parts import COMMANDS

from ..engines.limits import cross_check_for_all
from ..errors import EverystateError, exit_code_of, in_a_line, suggestion
from ..language.effects import for_readers
from .output import ESCAPED, STDOUT, Closed, abandon_stdout, note, say, streams

CLOSED = 141
INTERRUPTED, TERMINATED = 130, 143
ALLOCATIONS = 300_000
"""Objects after which Python looks for garbage in circles. With its own 700 it looks hundreds of times while modules
are loaded and a spec is traced, and finds next to nothing."""

# NumPy starts a thread of its linear algebra for every processor when it is imported. Nothing here multiplies matrices.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# At its end a process gives its memory back as a whole; Python need not look through it for garbage first.
atexit.register(gc.freeze)


class Commands(click.Group):
    """The commands by name; only the one that is used is imported."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        found: click.Command = module.command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"No such command '{args[0]}'{suggestion(args[0], list(COMMANDS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="""\b
Example:
  everystate check idem-producer -c max_in_flight=6 --out traces
\b
Shell completion, for bash (zsh and fish likewise):
  eval "$(_EVERYSTATE_COMPLETE=bash_source everystate)"
\b
Exit codes: 0 proved or reached, 3 undecided, 10 assumption, 11 deadlock, 12 safety, 13 liveness,
14 error in an action, 76 error in a property, 2 usage, 69 not installed, 130 interrupted,
143 terminated, 150 a spec or a file cannot be loaded, 255 internal.""",
)
@click.version_option(package_name="everystate", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback of an internal error.")
def commands(debug: bool) -> None:
    """Everystate is a model checker for specifications in Python. It visits every reachable state. It proves the
    properties, or prints a shortest counterexample."""
    if debug:
        os.environ["EVERYSTATE_DEBUG"] = "1"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit code. Nothing but messages of the catalogue reaches the user.

    SIGTERM ends the process like an interrupt: it reports what it has found.
    """
    gc.set_threshold(max(ALLOCATIONS, gc.get_threshold()[0]), *gc.get_threshold()[1:])
    _open_streams()
    with streams(), _terminating() as signals, for_readers():
        code = _run(arguments)
    return TERMINATED if signals and code == INTERRUPTED else code


def _open_streams() -> None:
    """Standard streams that were closed (`>&-`) lead nowhere; before a file that is opened later takes their number.

    What is printed is escaped where the encoding does not have it.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115, it stays open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ESCAPED)


@contextlib.contextmanager
def _terminating() -> Iterator[list[int]]:
    """Make SIGTERM an interrupt, once, unless the process has plans of its own; the signals that came."""
    signals: list[int] = []

    def interrupt(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        signals.append(number)
        raise KeyboardInterrupt

    ours = threading.current_thread() is threading.main_thread() and (
        signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if ours:
        signal.signal(signal.SIGTERM, interrupt)
    try:
        yield signals
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _run(arguments: Sequence[str] | None) -> int:
    started = perf_counter() - (process_time() if arguments is None else 0)  # a process has begun before
    try:
        cross_check_for_all()
        code = commands.main(args=arguments, prog_name="everystate", standalone_mode=False, obj=started)
        say(end="")
        return int(code or 0)
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        note(shown.getvalue(), end="")
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        note("interrupted")
        return INTERRUPTED
    except Closed:
        abandon_stdout()
        return CLOSED
    except EverystateError as error:
        return _fail(error)
    except (
        SystemExit
    ) as error:  # Spark, where it gets a signal to terminate; what a spec executes; or the completion of click
        code = error.code if type(error.code) is int else 0
        return (
            code
            if code & 0xFF or "_EVERYSTATE_COMPLETE" in os.environ
            else _fail(EverystateError("E506", None, name="SystemExit"))
        )
    except BaseException as error:
        return _fail(_internal(error))


def _fail(error: EverystateError) -> int:
    """Report an error of the catalogue."""
    note(error.explain())
    if error.facts.get("path") == STDOUT:
        abandon_stdout()
    return exit_code_of(error)


def _internal(error: BaseException) -> EverystateError:
    if os.environ.get("EVERYSTATE_DEBUG"):
        note("".join(traceback.format_exception(error)).rstrip())
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    return EverystateError("E503", None, error=in_a_line(error), place=place)


if __name__ == "__main__":
    sys.exit(main())
