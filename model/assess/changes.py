"""The smallest set of changed settings that removes the worst that can happen.

Single changes and sets of them are tried, few changes first. A set that leaves the worst harm by the rules of
replication is given up before the model is asked; the others are checked under the failures that break a promise. The
best set leaves the least of the worst harm; of several the one with the fewest changes that cost something is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from .assessment import BROKEN, SAFE, Assessment, Cell, Repair, Results, by_rule, cells, plan, scope_of
from .checks import Check
from .durability import STATE_FACTOR, STATE_NEEDED
from .harm import LEVELS, level
from .pairs import BETWEEN
from .producer import MOST_RETRIES
from .settings import Files, Settings, settle
from .transactions import OF_COORDINATOR
from .values import NEWEST_RELEASE, ConfigException, version

FLIGHT, UNLIMITED = "max.in.flight.requests.per.connection", "2147483647"
VERIFICATION = "transaction.partition.verification.enable"
MOST_CHANGES, MOST_SETS = 4, 5
"""Changes of a set, and sets that the model is asked about."""
BY_DEFAULT = ("enable.idempotence", "retries", "delivery.timeout.ms")
"""Settings whose change is a return to Kafka's defaults: they count as no change."""
Change = dict[str, dict[str, str]]
"""Changed settings by whom they belong to: producer, topic, broker."""


def repairs(files: Files, before: Assessment, make: Callable[[dict[str, Check]], Results]) -> tuple[Repair, ...]:
    """Each set of changes that helps, the best first; none where nothing is broken."""
    if not before.broken or before.outside:
        return ()
    failures = list(dict.fromkeys(cell.failure for cell in before.broken))
    promises = list(dict.fromkeys(cell.promise for cell in before.cells))
    changed = list(_candidates(files, before))
    wanted = {command: check for _, other in changed for command, check in plan(other, failures).items()}
    results = make(wanted)
    old = {(cell.promise, cell.failure): cell.status for cell in before.cells}
    found = []
    others = [name for name in dict.fromkeys(cell.failure for cell in before.cells) if name not in failures]
    for (change, text), settled in changed:
        after = cells(settled, failures, promises, results) + by_rule(settled, others, promises)
        better = frozenset((c.promise, c.failure) for c in after if _better(c, old[c.promise, c.failure]))
        worse = sum(c.status == BROKEN and old[c.promise, c.failure] in SAFE for c in after)
        left = tuple(c for c in after if c.status == BROKEN)
        open_ = [c for c in after if c.status not in (BROKEN, *SAFE) and old[c.promise, c.failure] == BROKEN]
        flat = {name: value for part in change.values() for name, value in part.items()}
        if better and _harm(left) < _harm(before.broken):
            found.append(Repair(flat, len(better), worse, better, left, text, len(open_)))
    worst = level(before.worst[0].promise)
    return tuple(sorted(found, key=lambda repair: _rank(repair, worst)))


def _rank(repair: Repair, worst: int) -> tuple[Any, ...]:
    """The worst harm first, then the changes that cost something, then what else is left."""
    harm = _harm(repair.left)
    costly = sum(name not in BY_DEFAULT for name in repair.changes)
    return harm[: worst + 1], costly, harm, len(repair.changes), repair.change


def _better(cell: Cell, before: str) -> bool:
    return cell.status in SAFE and before == BROKEN


def _harm(broken: Any) -> tuple[int, ...]:
    """How many cells are broken at each level, the worst first."""
    counted = [0] * len(LEVELS)
    for cell in broken:
        counted[level(cell.promise)] += 1
    return tuple(counted)


def _candidates(files: Files, before: Assessment) -> Iterator[tuple[tuple[Change, str], Settings]]:
    """Sets of changes that are settings of Kafka, and that the rules of replication do not rule out."""
    settings = before.settings
    tried = 0
    seen: list[Change] = []
    for change in _sets([*_single(files, settings), *_of_coordinator(before)]):
        after = None if change in seen else _settled(files, change)
        seen.append(change)
        if after is None or not _worth_it(before, after):
            continue
        yield (change, ""), after
        tried += 1
        if tried == MOST_SETS:
            break
    if settings.transactional:
        yield from _of_releases(files)


def _sets(single: list[Change]) -> Iterator[Change]:
    for size in range(1, min(MOST_CHANGES, len(single)) + 1):
        for chosen in combinations(single, size):
            whole: Change = {}
            for change in chosen:
                for part, values in change.items():
                    whole[part] = whole.get(part, {}) | values
            yield whole


def _settled(files: Files, change: Change) -> Settings | None:
    texts = {part: getattr(files, part) | values for part, values in change.items()}
    try:
        return settle(replace(files, **texts))
    except ConfigException:
        return None


def _worth_it(before: Assessment, after: Settings) -> bool:
    """Whether the rules of replication leave less of the worst harm, or have no part in it."""
    worst = {(cell.promise, cell.failure) for cell in before.worst}
    ruled = [cell for cell in before.worst if cell.ruled]
    left = 0
    for promise, failure in worst:
        found = scope_of(after).rule(after, failure.split(BETWEEN), promise)
        left += found is not None and found[0] == BROKEN
    return not ruled or left == 0 or (left < len(ruled) and level(before.worst[0].promise) > 0)


def _single(files: Files, settings: Settings) -> list[Change]:
    """The changes of one setting, with those that it needs."""
    found: list[Change] = []
    if settings["acks"] != "all" and not settings.idempotent:
        found.append({"producer": {"acks": "all"}})
    if not settings.idempotent and not settings.other:
        found.append({"producer": _idempotent(files, settings)})
    if settings[FLIGHT] > 1:
        found.append({"producer": {FLIGHT: "1"}})
    if settings["retries"] <= MOST_RETRIES:
        found.append({"producer": {"retries": UNLIMITED}})
    if settings["delivery.timeout.ms"] < 120_000:
        found.append({"producer": {"delivery.timeout.ms": "120000"}})
    return found + _of_topic(settings)


def _idempotent(files: Files, settings: Settings) -> dict[str, str]:
    """enable.idempotence with what it needs."""
    needed = {"enable.idempotence": "true"}
    if settings["acks"] != "all":
        needed["acks"] = "all"
    if settings[FLIGHT] > 5 and (FLIGHT in files.producer or not settings.librdkafka):
        needed[FLIGHT] = "5"
    if settings["retries"] == 0:
        needed["retries"] = UNLIMITED
    return needed


def _of_topic(settings: Settings) -> list[Change]:
    found: list[Change] = []
    factor, needed = settings["replication.factor"], settings["min.insync.replicas"]
    if factor < 3:
        found.append({"topic": {"replication.factor": "3"}})
    if needed < 2 and factor > 2:
        found.append({"topic": {"min.insync.replicas": "2"}})
    if needed < 2 and factor < 3:
        found.append({"topic": {"replication.factor": "3", "min.insync.replicas": "2"}})
    if needed > 1 and needed >= factor:
        found.append({"topic": {"min.insync.replicas": str(max(1, min(factor, 3) - 1))}})
    if settings["unclean.leader.election.enable"]:
        found.append({"topic": {"unclean.leader.election.enable": "false"}})
    if settings.transactional and settings[STATE_FACTOR] < 3:
        found.append({"broker": {STATE_FACTOR: "3", STATE_NEEDED: "2"}})
    return found


def _of_coordinator(before: Assessment) -> list[Change]:
    """Every replica of the coordinator's log in sync, where one that is not may be elected."""
    asked = any(OF_COORDINATOR in cell.failure for cell in before.broken)
    return [{"broker": {STATE_NEEDED: str(before.settings[STATE_FACTOR])}}] if asked else []


def _of_releases(files: Files) -> Iterator[tuple[tuple[Change, str], Settings]]:
    """Other settings of the brokers, and other releases, for transactions."""
    settings = settle(files)
    verified = {} if settings[VERIFICATION] else {VERIFICATION: "true"}
    changes: list[dict[str, str]] = []
    if settings.server >= (3, 6, 0) and verified:
        changes.append(verified)
    if settings.server >= (4, 0, 0) and settings["transaction.version"] < 2:
        changes.append({"transaction.version": "2"} | verified)
    for change in changes:
        after = _settled(files, {"broker": change})
        if after is not None:
            yield ({"broker": change}, ""), after
    if min(files.client, files.server) < (4, 3, 0):
        newest = version(NEWEST_RELEASE)
        other = replace(files, client=newest, server=newest, broker=files.broker | {"transaction.version": "2"})
        text = f"clients and brokers of {NEWEST_RELEASE} with transaction.version=2"
        yield ({"broker": {"transaction.version": "2"}}, text), settle(other)
