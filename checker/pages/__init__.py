"""Pages of HTML: the engine that fills templates, the frame of every page (`base.html`), and the one stylesheet.

A template lies beside the module that knows what it shows, and extends the frame. What a template shows is escaped by
the engine; only what we drew ourselves stands as it is. A page refers to nothing outside of itself, and its policy
allows no script but the one that it was written with: a text that got through as markup could still not run.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment


def page(template: str, *, styles: str = "", script: str = "", **facts: Any) -> str:
    """A whole page; `template` is "package/file", `styles` and `script` are what it needs besides the stylesheet."""
    look = drawn(f"{styles}{stylesheet()}")
    frame = {"style": look, "script": drawn(script), "allowed": _allowed(script)}
    return _engine().get_template(template).render(**frame, **facts)


def fragment(template: str, **facts: Any) -> str:
    """A part of a page, which stands in it as it is."""
    return drawn(_engine().get_template(template).render(**facts))


def drawn(text: str) -> str:
    """A text of ours that stands on a page as it is: a picture."""
    from markupsafe import Markup

    return Markup(text)


def stylesheet() -> str:
    """What all pages look like."""
    return text(f"{__package__}/style.css")


def drawing() -> str:
    """The script that draws values and states, for the scripts that show them."""
    return text(f"{__package__}/values.js")


def text(name: str) -> str:
    """A file that was installed with us; `name` is "package/file"."""
    package, _, file = name.partition("/")
    return resources.files(package).joinpath(file).read_text("utf-8")


@cache
def _engine() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(
        loader=FunctionLoader(lambda name: text(name if "/" in name else f"{__package__}/{name}")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    return made


def _allowed(script: str) -> str:
    """The script of a page as its policy names it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() if script else ""
