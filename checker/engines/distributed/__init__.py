"""Exhaustive search on Spark, for spaces past one machine, with the answers of the explicit search.

`search` begins in this process, `run` goes on level by level by the jobs of `cluster`: `expand` sends successors to
their owners, `deduplication` keeps what is new in `shards`. `checkpoint` is the work folder, in it `history` finds
behaviours.
May import: explicit, crosscheck, and what lies beside the rooms.
"""

from .plan import SHIP, Plan
from .search import Distributed, check

__all__ = ["SHIP", "Distributed", "Plan", "check"]
