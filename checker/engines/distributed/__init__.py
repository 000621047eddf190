"""Exhaustive search on Spark, for spaces past one machine. See `search` for the loop, `shards` for the store."""

from .plan import SHIP, Plan
from .search import Distributed, check

__all__ = ["SHIP", "Distributed", "Plan", "check"]
