"""The changes of a step, at the level of detail that is easiest to read.

`status[2]: pending -> in flight` rather than the whole array; `log: [0, 1] -> [0, 1, 2]` while that is short, and
`requests: added Request(...)` where it is not, at the end unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .plain import Fields, Members, Pairs, Row, Tree, show

WIDTH = 88
"""The number of characters of `old -> new` up to which a sequence is shown whole."""

Part = tuple[str, Tree, Tree]


@dataclass(frozen=True)
class Change:
    """One line: the place, and either old and new texts or, where those are long, a description."""

    path: str
    old: str = ""
    new: str = ""
    event: str = ""

    def __str__(self) -> str:
        return f"{self.path}: {self.event}" if self.event else f"{self.path}: {self.old} -> {self.new}"


def changes(before: Mapping[str, Tree], after: Mapping[str, Tree]) -> list[Change]:
    """The changes between two states, in the order of the variables."""
    found: list[Change] = []
    for name, new in after.items():
        if name not in before or before[name] != new:
            found += compare(name, before.get(name), new)
    return found


def compare(path: str, old: Tree, new: Tree) -> Iterator[Change]:
    """The changes between two unequal trees."""
    parts = _parts(old, new)
    if parts is not None:
        changed = [(where, a, b) for where, a, b in parts if a != b]
        if not _better_whole(parts, changed, old, new):
            for where, a, b in _together(changed) if isinstance(old, list) else changed:
                yield from compare(path + where, a, b)
            return
    yield _whole(path, old, new)


def _parts(old: Tree, new: Tree) -> list[Part] | None:
    """The corresponding parts of two trees of the same shape: (path, old, new)."""
    if isinstance(old, Fields) and isinstance(new, Fields) and old.items.keys() == new.items.keys():
        return [(f".{name}", old.items[name], value) for name, value in new.items.items()]
    if isinstance(old, Pairs) and isinstance(new, Pairs) and [k for k, _ in old.items] == [k for k, _ in new.items]:
        return [(f"[{show(k)}]", a, b) for (k, a), (_, b) in zip(old.items, new.items, strict=True)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [(f"[{i}]", a, b) for i, (a, b) in enumerate(zip(old, new, strict=True))]
    return None


def _together(changed: list[Part]) -> list[Part]:
    """Neighbours that changed alike as one: status[0..5]."""
    found: list[tuple[int, int, Tree, Tree]] = []
    for where, old, new in changed:
        at = int(where[1:-1])
        if found and found[-1][1] == at - 1 and found[-1][2:] == (old, new):
            found[-1] = (found[-1][0], at, old, new)
        else:
            found.append((at, at, old, new))
    return [(f"[{a}]" if a == b else f"[{a}..{b}]", old, new) for a, b, old, new in found]


def _better_whole(parts: list[Part], changed: list[Part], old: Tree, new: Tree) -> bool:
    """Whether to show a list whole: more than half of it changed, and it is short or was only shifted."""
    if not isinstance(old, list) or len(changed) <= max(1, len(parts) // 2):
        return False
    return _short(old, new) or (not isinstance(old, Row) and _shifted(old, new) != "")


def _short(old: Tree, new: Tree) -> bool:
    return len(show(old)) + len(show(new)) <= WIDTH


def _whole(path: str, old: Tree, new: Tree) -> Change:
    if not _short(old, new):
        event = _event(old, new)
        if event:
            return Change(path, event=event)
    return Change(path, show(old), show(new))


def _event(old: Tree, new: Tree) -> str:
    """What happened to a long collection, if a few words suffice."""
    if isinstance(old, Members) and isinstance(new, Members):
        gone = [show(m) for m in old.items if m not in new.items]
        come = [show(m) for m in new.items if m not in old.items]
        return "; ".join(f"{word} {', '.join(items)}" for word, items in (("removed", gone), ("added", come)) if items)
    if not (isinstance(old, list) and isinstance(new, list)):
        return ""
    return _shifted(old, new) if new else f"emptied (it held {len(old)})"


def _shifted(old: list[Tree], new: list[Tree]) -> str:
    """Elements taken from the front and added at the end, as queues do."""
    for taken in range(len(old)):
        kept = len(old) - taken
        if new[:kept] == old[taken:]:
            words = [f"took {', '.join(map(show, old[:taken]))} from the front"] if taken else []
            words += [f"added {', '.join(map(show, new[kept:]))}"] if new[kept:] else []
            return "; ".join(words)
    if old[: len(new)] == new:
        return f"took {', '.join(map(show, old[len(new) :]))} from the end"
    return ""
