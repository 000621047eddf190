"""everystate explore: the states of a spec in the browser."""

from __future__ import annotations

import shlex
import sys
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import click

from ...explore.file_changes import files_of
from ...explore.session import Session
from ...extras import require
from ...language.domains import shown
from ...language.spec import Spec
from ...results.itf import parse
from ...results.trace import Trace
from ..options import constant_option, constants, spec_option, target_argument
from ..output import note, read_text, say
from ..targets import Target, known, reloaded, resolve
from ..traces import constants_of


@click.command(
    epilog="""\b
Examples:
  everystate explore idem-producer -c max_in_flight=6
  everystate explore path/to/spec.py --port 8080
  everystate explore traces/idem-producer-NoDup.itf.json

Serves a page on this machine only, and prints its address. Conditions on the page are Python, so anybody with the
address can execute code. A file that ends in .json is a trace: the page starts with its steps. When the file of the
spec is saved, the page loads it again and repeats the steps as far as possible. Ctrl-C ends it."""
)
@target_argument
@constant_option
@click.option("--port", type=click.IntRange(0, 65_535), default=0, metavar="N", help="The port; by default a free one.")
@click.option("--path", "address", default="", metavar="PATH", help="Where to start: the end of the page's address.")
@click.option("--open", "browser", is_flag=True, help="Open the page in the browser.")
@spec_option
def command(target: str, constant: tuple[str, ...], port: int, address: str, browser: bool, spec: str | None) -> int:
    """Explore the states of TARGET, or of the spec of a trace, in the browser."""
    require("everystate explore", "starlette", "uvicorn")
    from ...explore.api import Api
    from ...explore.server import Served

    sys.dont_write_bytecode = True  # a file that is saved twice in a second must not be taken for the one before
    begun = _of_trace(target, constant, spec) if target.endswith(".json") else _of_target(target, constant, spec)
    session = Session(begun.spec, begun.target.name)
    led = session.open(begun.trace) if begun.trace else session.follow(_walk(address) or "0")
    if led.problem and not begun.trace:
        raise click.BadParameter(led.problem, param_hint="--path")
    if led.problem:
        note(f"note: {led.problem}")
    session.jump(led.node)
    session.moves()  # refuses what keeps state outside of the state, before anybody looks
    served = Served(Api(session, begun.again, led, begun.command), port)
    try:
        say(f"{begun.target.name} is at {served.address}")
        say("Ctrl-C ends it.")
        if browser:
            webbrowser.open(served.address)
        served.run()
    except KeyboardInterrupt:  # before it serves; then it ends by itself
        pass
    note("ended")
    return 0


def _walk(address: str) -> str:
    """The steps to a state in the end of the page's address, without the steps that follow."""
    return address.removeprefix("#").partition("~")[0].partition("/")[0]


@dataclass(frozen=True)
class ExploreStart:
    """What is explored: a spec, how to make it once more from the files that it has, and a trace if one was given."""

    target: Target
    spec: Spec
    again: Callable[[], Spec]
    command: str
    trace: Trace | None = None


def _of_target(text: str, constant: tuple[str, ...], spec: str | None) -> ExploreStart:
    if spec is not None:
        raise click.UsageError("--spec names the spec of a trace; TARGET is a spec itself")
    return _begun(text, resolve(text), lambda found: constants(found, constant))


def _of_trace(path: str, constant: tuple[str, ...], spec: str | None) -> ExploreStart:
    if constant:
        raise click.UsageError("a trace has the constants with which it was made; -c is for a TARGET")
    document = parse(read_text(path), path)
    found = resolve(spec) if spec else known(document.target)
    begun = _begun(spec or document.target, found, lambda target: constants_of(document, target))
    return replace(begun, trace=document.trace(begun.spec))


def _begun(text: str, found: Target, given: Callable[[Target], dict[str, Any]]) -> ExploreStart:
    made = found.spec(given(found))
    files = files_of(made)

    def again() -> Spec:
        other = reloaded(text, files)
        return other.spec(given(other))

    own = {name: found.preset.get(name, constant.default) for name, constant in found.declared().items()}
    changed = [f"{name}={shown(value)}" for name, value in made.constants.items() if value != own[name]]
    return ExploreStart(found, made, again, shlex.join([text, *(word for each in changed for word in ("-c", each))]))
