"""Values given on the command line: constants, sizes, and the completion of targets."""

from __future__ import annotations

import ast
import enum
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.shell_completion import CompletionItem

from ..errors import EverystateError
from .registry import registry

if TYPE_CHECKING:
    from .targets import Target

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
TRUTHS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}

F = TypeVar("F", bound=Callable[..., Any])


class TargetType(click.ParamType[str]):
    """A target; completes the names of `list`, and files."""

    name = "target"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        known = [s for s in registry().scenarios() if s.name.startswith(incomplete)]
        items = [CompletionItem(s.name, help=s.title) for s in known]
        return items or [CompletionItem(incomplete, type="file")]


def constants(target: Target, texts: Iterable[str]) -> dict[str, Any]:
    """The constants of -c NAME=VALUE options, each of the type of its default; E109 when malformed."""
    declared = target.declared() if texts else {}
    found: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        name = name.strip()
        if not equals or not name:
            example = next((f"{n}={c.default}" for n, c in declared.items()), "name=3")
            raise EverystateError("E109", None, text=text, example=example)
        found[name] = convert(value.strip(), declared[name].default) if name in declared else value
    return found


def convert(text: str, default: Any) -> Any:
    """A text as a value of the type of a default; the text itself where that is impossible (the spec refuses it)."""
    try:
        if isinstance(default, bool):
            return TRUTHS.get(text.lower(), text)
        if isinstance(default, enum.Enum):
            return type(default)[text]
        if isinstance(default, (int, float)):
            return type(default)(text)
        return text if isinstance(default, str) else ast.literal_eval(text)
    except (ValueError, KeyError, SyntaxError):
        return text


def size(text: str) -> int:
    """A size in bytes: 500M, 8G, 1.5GiB (units are powers of 1024); E501 when it is none."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text, re.IGNORECASE)
    if match is None or not float(match[1]):
        raise EverystateError("E501", None, value=text)
    return int(float(match[1]) * UNITS[match[2].lower()])


def bounds_option(function: F) -> F:
    """The option --bound NAME=N, once for each variable of a TLA+ module."""
    text = "Largest number or length of the variable NAME of a TLA+ module."
    return click.option("--bound", multiple=True, metavar="NAME=N", help=text)(function)


def bounds(texts: Iterable[str]) -> dict[str, int]:
    """The bounds of --bound options."""
    found: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value.isdigit():
            raise click.BadParameter(f"{text!r} is not of the form NAME=N", param_hint="--bound")
        found[name.strip()] = int(value)
    return found


def target_argument(function: F) -> F:
    """The argument TARGET."""
    return click.argument("target", type=TargetType(), metavar="TARGET")(function)


def constant_option(function: F) -> F:
    """The option -c NAME=VALUE."""
    help_text = "Set a constant of the spec; repeatable."
    return click.option("-c", "constant", multiple=True, metavar="NAME=VALUE", help=help_text)(function)


def colour_option(function: F) -> F:
    """The option --color / --no-color."""
    return click.option("--color/--no-color", default=None, help="Use colours; by default on a terminal only.")(
        function
    )


def spec_option(function: F) -> F:
    """The option --spec TARGET, for a trace of a spec that is not in the registry."""
    help_text = "The spec of the trace, if it is not in `everystate list`. Its code is executed."
    return click.option("--spec", type=TargetType(), metavar="TARGET", help=help_text)(function)


class CrossCheckNumber(click.ParamType[int]):
    """A number of states from 1 on, `all` or `off`."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from ..engines.limits import cross_check_number

        return value if isinstance(value, int) else cross_check_number(value)


class BoundedNumber(click.FloatRange):
    """A number within bounds; click takes `nan` to be within all of them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        found = super().convert(value, param, ctx)
        if found != found:
            self.fail(f"{value!r} is not a number", param, ctx)
        return found


def detail_options(function: F) -> F:
    """How much of a trace is printed: --brief, --verbose, --hide NAME."""
    options = (
        click.option("--brief", is_flag=True, help="Print the narration of each step, without state changes."),
        click.option(
            "--verbose",
            "-v",
            is_flag=True,
            help="Print the initial state, each change on its own line, and long lists.",
        ),
        click.option("--hide", metavar="NAME", multiple=True, help="Omit this variable from traces; repeatable."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def report_options(function: F) -> F:
    """The options of every report: --cross-check N, --json FILE, --out DIR, --trace NAME, and the detail of traces."""
    function = detail_options(function)
    number = "Cross-check N states with plain Python, all or off; by default a tenth of the time."
    options = (
        click.option("--cross-check", type=CrossCheckNumber(), metavar="N", help=number),
        click.option("--json", metavar="FILE", help="Write the report as JSON, - for standard output."),
        click.option(
            "--out", metavar="DIR", type=click.Path(path_type=Path), help="Write a trace file for every violation."
        ),
        click.option("--trace", metavar="NAME", default="", help="Print the trace of this property, or `all` traces."),
    )
    for option in reversed(options):
        function = option(function)
    return function


def processors() -> int:
    """The processors that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1
