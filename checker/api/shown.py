"""A trace that shows itself: as text, in a notebook, as a page, as a picture."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..language.spec import Spec
from ..pages import fragment
from ..results.text import render
from ..results.trace import Trace


@dataclass(frozen=True, repr=False)
class Counterexample(Trace):
    """A trace with its spec: `steps` and `states` have what happens, `print` tells it."""

    spec: Spec | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return render(self).rstrip("\n")

    def html(self) -> str:
        """The page that steps through it, in one file without anything from outside."""
        from everystate.counterexamples import report

        return report(self, self.spec)

    def svg(self) -> str:
        """Its sequence diagram."""
        from everystate.counterexamples import diagram_of, svg

        return svg(diagram_of(self))

    def itf(self) -> str:
        """The trace file that `everystate show` reads, and other tools."""
        from ..results.itf import dump

        return dump(self)

    def save(self, path: str | Path) -> None:
        """Write it as its name says: .html, .svg, .json (ITF), else as text."""
        forms: dict[str, Any] = {".html": self.html, ".svg": self.svg, ".json": self.itf}
        form = forms.get(Path(path).suffix.lower(), lambda: render(self))
        Path(path).write_text(form(), "utf-8")

    def _repr_html_(self) -> str:
        return picture(self)


def counterexample(trace: Trace | None, spec: Spec) -> Counterexample | None:
    """A trace of a spec, with that."""
    return None if trace is None else Counterexample(**vars(trace), spec=spec)


def picture(trace: Counterexample) -> str:
    """A trace in a notebook: its diagram as a picture, which brings no style into the notebook, and its text."""
    drawn = base64.b64encode(trace.svg().encode()).decode()
    return fragment(f"{__package__}/trace.html", drawn=drawn, text=render(trace), shows=trace.shows)
