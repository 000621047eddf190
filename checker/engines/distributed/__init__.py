"""Exhaustive search on Spark, for state spaces that exceed one machine, with the results of the explicit search.

`search` begins in this process; `run` continues level by level with the jobs of `cluster`. `expand` sends successors to
their owners, `deduplication` keeps the new ones in `shards`. `checkpoint` is the work folder, in which `history` finds
traces. May import: explicit, crosscheck, and the shared modules of the engines.
"""

from .plan import SHIP, Plan
from .search import Distributed, check

__all__ = ["SHIP", "Distributed", "Plan", "check"]
