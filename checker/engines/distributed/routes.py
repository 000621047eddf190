"""Which number to give to Spark's partitioner, so that each owner gets a partition of its own."""

from __future__ import annotations

MASK = 0xFFFFFFFF


def routes(owners: int) -> tuple[int, ...]:
    """For each owner the least number that Spark sends to the partition of the owner's number.

    Spark hashes a partitioning column (Murmur3, seed 42) and takes the remainder; owner numbers as such would fall
    together in some partitions and leave others empty.
    """
    found: dict[int, int] = {}
    number = 0
    while len(found) < owners:
        found.setdefault(murmur3(number) % owners, number)
        number += 1
    return tuple(found[owner] for owner in range(owners))


def murmur3(number: int, seed: int = 42) -> int:
    """Murmur3 (32 bits, signed) of one 32-bit integer, as Spark's hash() computes it."""
    k = number * 0xCC9E2D51 & MASK
    k = (k << 15 | k >> 17) & MASK
    h = seed ^ (k * 0x1B873593 & MASK)
    h = ((h << 13 | h >> 19) & MASK) * 5 + 0xE6546B64 & MASK
    h ^= 4
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h
