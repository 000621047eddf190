"""Counterexamples: diagrams, pages and explanations of a trace."""

from .diagram import Diagram, diagram_of
from .dot import dot, picture
from .held import flaw
from .mermaid import mermaid
from .path import NoPath, follow, path_of, read_path, show_path, violations_at
from .report import report
from .shiviz import shiviz
from .svg import svg

__all__ = [
    "Diagram",
    "NoPath",
    "diagram_of",
    "dot",
    "flaw",
    "follow",
    "mermaid",
    "path_of",
    "picture",
    "read_path",
    "report",
    "shiviz",
    "show_path",
    "svg",
    "violations_at",
]
