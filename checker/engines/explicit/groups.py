"""Chooses which words of a state are compressed together: those that take few values together.

Each value of a part is stored once, so parts should be few and have few values. Words are joined greedily: always the
two groups whose union adds the least to the tables. Of all divisions on the way the one with the smallest states is
taken. The sample consists of stored states.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...backends.native.interface import CompressedLayout

SAMPLE = 1 << 15
"""States in the sample, at most ..."""
WORK = 1 << 21
"""Fewer states where they have many words: the time is their number times the square of the words."""
SLOT = 6
"""Bytes of a table for each value, beside the value itself."""
SPARE = 6
"""Bits by which a part will probably grow."""
WORD = 64
"""Bits of a word of a root."""
STEP = 0.3
"""The bytes that one look-up less is worth."""
WORTH = 0.75
"""The fraction of its original size below which a compressed state is worth it."""


def sample_size(words: int) -> int:
    """How many states of so many words are sampled."""
    return max(1 << 10, min(SAMPLE, WORK // words**2))


def choose(rows: Any, total: int) -> CompressedLayout | None:
    """The compression for so many states, of which a sample is given, a row each; None where it would gain little."""
    number, words = rows.shape
    groups: list[tuple[int, ...]] = [(w,) for w in range(words)]
    if words < 2 or not number:
        return None
    values = [_numbered(rows[:, w]) for w in range(words)]
    joint = {(a, b): _joined(values[a], values[b]) for b in range(words) for a in range(b)}
    best: tuple[float, float, CompressedLayout] | None = None
    while len(groups) > 1:
        counts = [_count(v) for v in values]
        grown = [int(c * (total / number) ** 0.5) for c in counts]
        compression = CompressedLayout(tuple(groups), places([expected(c) for c in grown]))
        size = 8 * compression.roots + sum(c * (8 * len(g) + SLOT) for g, c in zip(groups, grown, strict=True)) / total
        if best is None or size + STEP * len(groups) < best[0]:
            best = (size + STEP * len(groups), size, compression)
        if len(groups) == 2:
            break
        a, b = min(joint, key=lambda pair: _added(groups, counts, joint, pair))
        together = _numbered(values[a] * np.int64(counts[b]) + values[b])
        groups[a], values[a] = tuple(sorted(groups[a] + groups[b])), together
        del groups[b], values[b]
        joint = _moved(joint, b)
        for other in range(len(groups)):
            if other != a:
                joint[min(a, other), max(a, other)] = _joined(values[min(a, other)], values[max(a, other)])
    assert best is not None
    return best[2] if best[1] < WORTH * 8 * words else None


def places(bits: list[int]) -> tuple[int, ...]:
    """The words of a root for numbers of these sizes in bits, first fit."""
    room: list[int] = []
    found = []
    for need in bits:
        fitting = [w for w, left in enumerate(room) if left >= need]
        if not fitting:
            room.append(max(WORD, need))
        word = fitting[0] if fitting else len(room) - 1
        room[word] -= need
        found.append(word)
    return tuple(found)


def expected(values: int) -> int:
    """The initial bits for a part that has so many values by now."""
    return min(32, values.bit_length() + SPARE)


def _added(
    groups: list[tuple[int, ...]], counts: list[int], joint: dict[tuple[int, int], int], pair: tuple[int, int]
) -> tuple[int, tuple[int, int]]:
    """By how many bytes the tables grow if two groups become one."""
    a, b = pair
    now = counts[a] * (8 * len(groups[a]) + SLOT) + counts[b] * (8 * len(groups[b]) + SLOT)
    return joint[pair] * (8 * (len(groups[a]) + len(groups[b])) + SLOT) - now, pair


def _moved(joint: dict[tuple[int, int], int], gone: int) -> dict[tuple[int, int], int]:
    """The same numbers without one group; later ones move up."""
    return {(a - (a > gone), b - (b > gone)): count for (a, b), count in joint.items() if gone not in (a, b)}


def _numbered(column: Any) -> Any:
    """The values of a column, numbered from 0."""
    return np.unique(column, return_inverse=True)[1].reshape(-1).astype(np.int64)


def _count(numbered: Any) -> int:
    return int(numbered.max()) + 1


def _joined(a: Any, b: Any) -> int:
    """How many pairs of values there are."""
    return len(np.unique(a * np.int64(_count(b)) + b))
