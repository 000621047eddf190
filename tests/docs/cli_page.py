"""The page docs/reference/cli.md, which is written from the commands themselves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import click

from everystate.checker.cli.main import commands
from everystate.parts import COMMANDS

from .page import ROOT

PATH = ROOT / "docs" / "reference" / "cli.md"
COMMON = 4
"""An option with one meaning in so many commands is described once."""
HEAD = """\
# Command line

`everystate COMMAND --help` describes every option, with examples. TARGET is a name from `everystate list`, a file
(`path/to/spec.py`), `path/to/spec.py:Class` or `package.module:Class`. See also [exit codes](verdicts.md) and
[rules](rules-producer.md). Shell completion: `eval "$(_EVERYSTATE_COMPLETE=bash_source everystate)"`, also for zsh and
fish.
"""
FORMATS = """\
## Files and formats

`everystate schema NAME` prints a JSON Schema (2020-12). A test validates real files with each of them.

| format | written or read by | schema |
|---|---|---|
| report | `--json` of check, walk, prove, matrix and frontier | [report](report.schema.json) |
| matrix file (TOML) | read by `everystate matrix` ([how to](../how-to/ci.md)) | [matrix](matrix.schema.json) |
| conformance | `everystate conform --json` | [conform](conform.schema.json) |
| replay | `everystate replay --json` | [replay](replay.schema.json) |
| throughput figures | `everystate throughput --json` | [throughput](throughput.schema.json) |
| trace | `--out`, `show --as itf`; read by show, explain, explore, graph, conform, replay | Informal Trace Format (Apalache ADR-015) |
| log | read by `everystate follow` | [events](../how-to/follow-a-log.md) |
| baseline | `matrix --update-baseline`, as in `specs/baseline.json` | - |

`matrix` also writes JUnit XML, SARIF 2.1.0 and Parquet.
"""  # noqa: E501  the rows of a table


def page() -> str:
    """The page as it should be."""
    return "\n".join([HEAD, *_parts(), FORMATS])


def _parts() -> Iterator[str]:
    shared = _shared()
    yield "## Common options\n"
    yield "\n".join(f"- `{_usage(option)}` {option.help}" for option in shared.values()) + "\n"
    yield "## Commands and their other options\n"
    for name, (_, text) in COMMANDS.items():
        found = _command(name)
        words = " ".join([name, *(param.make_metavar(_CONTEXT) for param in _arguments(found))])
        yield f"**`{words}`** {text}\n"
        own = [f"`{_usage(option, short=True)}`" for option in _options(found) if _key(option) not in shared]
        if own:
            yield ", ".join(own) + "\n"


_CONTEXT = click.Context(commands)


def _command(name: str) -> click.Command:
    found = commands.get_command(_CONTEXT, name)
    assert found is not None
    return found


def _arguments(command: click.Command) -> list[click.Argument]:
    return [param for param in command.params if isinstance(param, click.Argument)]


def _options(command: click.Command) -> list[click.Option]:
    return [param for param in command.params if isinstance(param, click.Option)]


def _key(option: click.Option) -> tuple[str, str | None]:
    return option.opts[0], option.help


def _shared() -> dict[tuple[str, str | None], click.Option]:
    """The options that several commands have with the same meaning."""
    options = [option for name in COMMANDS for option in _options(_command(name))]
    number = Counter(map(_key, options))
    return {_key(option): option for option in options if number[_key(option)] >= COMMON}


def _usage(option: click.Option, short: bool = False) -> str:
    """The option with its value, as in its help; in short only if the values are a few words."""
    names = "/".join([option.opts[0], *option.secondary_opts])
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {'|'.join(option.type.choices)}"
    return names if short else f"{names} {option.metavar or 'N'}"
