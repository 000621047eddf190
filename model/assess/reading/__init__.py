"""Reads the settings of Kafka in the forms in which people write them.

Read `forms` (the table), `reader` (which row takes which key, and what is a doubt), `frameworks` (what they set by
themselves), `syntax` (from a file to its documents), `trees` and `texts` (the parsers), `names` and `placeholders`.
"""

from __future__ import annotations

from .entries import Unreadable
from .parts import Doubt, Given, Part, Read, merge
from .reader import read

__all__ = ["Doubt", "Given", "Part", "Read", "Unreadable", "merge", "read"]
