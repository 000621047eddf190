"""Reads the settings of Kafka in the forms in which people write them.

Read `forms` (the table), `reader` (which row takes which key, and what is a problem), `frameworks` (what they set by
themselves), `syntax` (from a file to its documents), `trees` and `texts` (the parsers), `names` and `placeholders`.
"""

from __future__ import annotations

from .entries import Unreadable
from .parts import Given, Part, Problem, Read, merge
from .reader import read

__all__ = ["Given", "Part", "Problem", "Read", "Unreadable", "merge", "read"]
