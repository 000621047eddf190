"""The log of one partition on one broker up to 4.0: kafka.log.Log, later kafka.log.UnifiedLog, in Scala.

What it does is RealLog's. Its methods are found by name, and each argument by the type of a parameter (by_kind.py), so
one adapter serves all releases from 0.11 on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .by_kind import as_java, call, newest_version, optional, request_local, some
from .classes import field, has, has_class, has_java_log, java, kafka
from .codec import NO_ERROR, Answer
from .disk_space import require_room
from .real_log import CONFIG, FOREVER, RealLog, configured, scheduler

CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
"""Up to 2.7 this file in the folder of all logs says that the broker has stopped cleanly."""


class ScalaLog(RealLog):
    """A replica of a release up to 4.0."""

    def _limits(self, verifies: bool) -> Any:
        """From 3.4 on an object holds how long a producer is remembered; before, the log and its producer state."""
        if not has_class("ProducerStateManagerConfig"):
            return None
        return call(None, kafka("ProducerStateManagerConfig"), "new", {"int": FOREVER, "boolean": verifies})

    def _call(self, name: str, **given: Any) -> Any:
        """Call the log; values by the types of the parameters. An exception of the log is raised as it is."""
        return unwrapped(lambda: call(self.log, kafka("UnifiedLog"), name, given))

    def _open(self, start: int, recovery_point: int, clean: bool, limit: int = FOREVER) -> Any:
        mark, nothing = self.folder.parent / CLEAN_SHUTDOWN, java("java.util.Optional").empty()
        self.folder.mkdir(parents=True, exist_ok=True)
        if clean:
            mark.touch()
        given = {
            "File": java("java.io.File")(str(self.folder)),
            "LogConfig": configured(CONFIG),
            "long": [start, recovery_point],
            "Scheduler": scheduler(),
            "BrokerTopicStats": call(None, kafka("BrokerTopicStats"), "new", {"boolean": False, "Optional": nothing}),
            "Time": self.clock.java,
            "int": [FOREVER, limit, FOREVER] if _has_transaction_limit() else [limit, FOREVER],
            "ProducerStateManagerConfig": self.limit,
            "boolean": [clean, True, False],
            "Option": some(None),
            "ConcurrentMap": java("java.util.concurrent.ConcurrentHashMap")(),
        }
        if has_class("LogDirFailureChannel"):
            given["LogDirFailureChannel"] = kafka("LogDirFailureChannel")(1)
        if has_class("LogOffsetsListener"):
            given["LogOffsetsListener"] = kafka("LogOffsetsListener").NO_OP_OFFSETS_LISTENER
        log = unwrapped(lambda: call(None, kafka("UnifiedLog"), "apply", given))
        mark.unlink(missing_ok=True)
        return log

    # -- actions -------------------------------------------------------------------------------------------

    def append(self, records: Any, leader_epoch: int) -> Answer:
        """What a leader does with the batch of a produce request (B1.4 to B1.11)."""
        import jpype

        self.clock.forward(1)
        given = {"MemoryRecords": records, "int": leader_epoch, "boolean": True, "Object": None, "short": 0}
        if has_class("AppendOrigin"):
            given["AppendOrigin"] = _append_origin()
        if has_class("RequestLocal"):
            given["RequestLocal"] = request_local()
        if has_class("VerificationGuard"):
            given["VerificationGuard"] = kafka("VerificationGuard").SENTINEL
        given["MetadataVersion" if has_class("MetadataVersion") else "ApiVersion"] = newest_version()
        try:
            info = self._call("appendAsLeader", **given)
        except jpype.JException as error:
            require_room(error)
            return Answer(str(kafka("Errors").forException(error).name()))
        return Answer(NO_ERROR, _offset(info.firstOffset()))

    def _configure(self, **entries: str) -> None:
        config = configured({**CONFIG, **entries})
        if has("UnifiedLog", "updateConfig"):  # from 1.1
            self._call("updateConfig", LogConfig=config, Set=java("java.util.HashSet")())
        else:
            self._call("config_$eq", LogConfig=config)

    def _append_as_follower(self, records: Any, leader_epoch: int) -> None:
        self._call("appendAsFollower", MemoryRecords=records, int=leader_epoch)

    def _start_at(self, start: int) -> None:
        self._call("truncateFullyAndStartAt", long=start, Option=some(None))

    def _fetched(self, offset: int) -> Any:
        given = {"long": offset, "int": 1, "boolean": [True, False], "Option": some(None)}
        if has_class("FetchIsolation"):  # from 2.4
            given["FetchIsolation"] = _log_end()
        else:
            given["IsolationLevel"] = kafka("IsolationLevel").READ_UNCOMMITTED
        found = self._call("read", **given)
        return found.records() if callable(found.records) else found.records

    def truncate(self, end: int) -> None:
        """A new leader's log ends before ours (D4)."""
        self._under_limit(lambda: self._call("truncateTo", long=end))
        self._known = None

    def _stop(self) -> None:
        if has("UnifiedLog", "flush"):
            self._call("flush", boolean=True, long=self.end)
        self.log.close()

    def _open_under_limit(self, start: int, point: int, clean: bool) -> Any:
        limit = self.clock.now - self.expired_at
        if self.limit is not None:
            self._limit(limit)
        log = self._open(start, point, clean, limit)
        self._limit(FOREVER, log)
        return log

    def roll(self) -> None:
        """Begins a new segment (B1.7); until 2.0 an empty segment stays, and only the snapshot is taken."""
        if not _replaces_empty_segments() and self.end in [self.start, *self.offsets(".log")][-1:]:
            self.log.takeProducerSnapshot()
        else:
            self._call("roll", Option=some(None), long=0)

    def _raise_high_watermark(self) -> None:
        if has("UnifiedLog", "updateHighWatermark"):  # from 2.4
            self.log.updateHighWatermark(self.end)
        else:
            self.log.onHighWatermarkIncremented(self.end)

    def _begin_at(self, start: int, reason: str) -> None:
        given = {"long": start}
        if has_class("LogStartOffsetIncrementReason"):  # from 2.6
            given["LogStartOffsetIncrementReason"] = _reason(reason)
        self._call("maybeIncrementLogStartOffset", **given)
        self.log.deleteOldSegments()
        self._known = None

    def _limit(self, milliseconds: int, log: Any = None) -> None:
        import jpype

        if self.limit is None:
            producers = (log or self.log).producerStateManager()
            field("ProducerStateManager", "maxProducerIdExpirationMs").setInt(producers, jpype.JInt(milliseconds))
        elif hasattr(self.limit, "setProducerIdExpirationMs"):
            self.limit.setProducerIdExpirationMs(milliseconds)
        else:  # 3.4
            getattr(self.limit, "producerIdExpirationMs_$eq")(milliseconds)

    def _let_go(self) -> None:
        """Close the files as they are, without a snapshot; 0.11 has no method for that, so segment by segment."""
        if has("UnifiedLog", "closeHandlers"):
            self.log.closeHandlers()
        else:
            for segment in as_java(self.log.logSegments()):
                segment.close()

    # -- observations --------------------------------------------------------------------------------------

    def _producers(self) -> Iterator[tuple[int, Any]]:
        for item in as_java(self.log.producerStateManager().activeProducers()).entrySet():
            yield int(item.getKey()), item.getValue()

    def _last_timestamp(self, state: Any) -> int:
        return int(state.lastTimestamp() if hasattr(state, "lastTimestamp") else state.timestamp())

    def _batches_of(self, state: Any) -> list[Any]:
        """In 0.11 a producer is remembered by its last batch alone."""
        if not hasattr(state, "batchMetadata"):
            return [state] if int(state.lastSeq()) >= 0 else []
        return list(as_java(state.batchMetadata()))


def log_kind() -> type[RealLog]:
    """What drives the logs of this release."""
    return RealLog if has_java_log() else ScalaLog


def unwrapped(action: Callable[[], Any]) -> Any:
    """The result of a reflective call; what the called method threw is raised, not the exception around it."""
    import jpype

    try:
        return action()
    except jpype.JException as error:
        if str(error.getClass().getSimpleName()) == "InvocationTargetException":
            raise error.getCause() from None
        raise


def _replaces_empty_segments() -> bool:
    """Whether a segment may begin where an empty one begins, as from 2.1 on."""
    rolls = [each for each in kafka("UnifiedLog").class_.getMethods() if str(each.getName()) == "roll"]
    return any("Option" in str(each) for each in rolls)


def _has_transaction_limit() -> bool:
    """From 3.1 on a log knows how long a transaction may take."""
    apply = [each for each in kafka("UnifiedLog").class_.getMethods() if str(each.getName()) == "apply"]
    return any(sum(str(kind) == "int" for kind in each.getParameterTypes()) == 3 for each in apply)


def _offset(found: Any) -> int:
    """An offset: a number, later with its place in the file, and that as an option."""
    if hasattr(found, "isEmpty") or hasattr(found, "orElse"):
        found = optional(found)
    place = getattr(found, "messageOffset", found)
    return int(place() if callable(place) else place)


def _append_origin() -> Any:
    """That a client appends: an enum from 3.5 on."""
    if hasattr(kafka("AppendOrigin"), "CLIENT"):
        return kafka("AppendOrigin").CLIENT
    return getattr(kafka("AppendOrigin$Client$"), "MODULE$")


def _log_end() -> Any:
    """That a fetch gets all of the log: an enum from 3.5 on."""
    if hasattr(kafka("FetchIsolation"), "LOG_END"):
        return kafka("FetchIsolation").LOG_END
    return getattr(kafka("FetchLogEnd$"), "MODULE$")


def _reason(name: str) -> Any:
    """Why a log begins later: an enum from 3.5 on."""
    if hasattr(kafka("LogStartOffsetIncrementReason"), name):
        return getattr(kafka("LogStartOffsetIncrementReason"), name)
    return getattr(kafka(f"{name}$"), "MODULE$")
