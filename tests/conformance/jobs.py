"""What the tests let a process with a JVM do; spawned processes can import it by name."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from everystate.checker.errors import EverystateError
from everystate.model.conformance.clock import Clock
from everystate.model.conformance.process import Line
from everystate.model.conformance.real_client import CREATED_EVERY
from everystate.model.conformance.real_log import RealLog, idempotent_records


def answer(line: Line, number: int) -> int:
    from jpype.types import JInt

    line.tell({"half": number})
    return int(JInt(number)) + 1


def own_error(line: Line) -> None:
    raise EverystateError("E701", None, version="1.0", suggestion="", known="none")


def mistake(line: Line) -> None:
    raise ValueError("a mistake")


def chatter(line: Line) -> str:
    import jpype

    print("from Python", flush=True)
    jpype.java.lang.System.err.println("from Java")
    return os.environ["HOME"]


def until_stopped(line: Line) -> str:
    line.tell(os.getpid())
    while not line.stopped:
        pass
    return "as far as it came"


def until_left_alone(line: Line) -> str:
    import tempfile

    import jpype

    folders = [tempfile.gettempdir(), jpype.java.lang.System.getProperty("java.io.tmpdir")]
    line.tell(" ".join(str(folder) for folder in folders))
    while not line.stopped:
        pass
    return "nobody hears it"


def crash(line: Line) -> None:
    import ctypes

    ctypes.string_at(0)


def exhaust(line: Line) -> None:
    import jpype

    jpype.JArray(jpype.JLong)(1 << 30)


def leave(line: Line) -> None:
    import jpype

    jpype.java.lang.Runtime.getRuntime().halt(7)


def abort(line: Line) -> None:
    print("on a last", "\n\nword", flush=True)
    os.abort()


def fill(line: Line) -> None:
    print("java.lang.InternalError: a fault occurred in a recent unsafe memory access operation in compiled Java code")
    sys.stdout.flush()
    os.abort()


def place(line: Line) -> str:
    import tempfile

    import jpype

    folder = tempfile.mkdtemp()
    line.tell(folder)
    line.tell(str(jpype.java.lang.System.getProperty("java.io.tmpdir")))
    os.abort()


def started(line: Line) -> str:
    return "it runs"


def send_three(line: Line) -> dict[str, Any]:
    """Three batches go out, the first is acknowledged, the second is out of order: the client bumps its epoch."""
    from everystate.model.conformance.classes import version
    from everystate.model.conformance.clock import Clock
    from everystate.model.conformance.codec import Answer, produce_answer
    from everystate.model.conformance.real_client import CREATED_EVERY, RealClient, Settings

    client = RealClient(Settings(1, 2, 5, 1_000_000, False, 0), Clock(CREATED_EVERY * 10), 1000)
    client.learn_leader(0)
    for record in range(3):
        client.append(record, 0)
    told: dict[str, Any] = {"release": version(), "would send": []}
    for _ in range(3):
        told["would send"].append(client.would_send(0))
        client.drain(0)
    frames = client.frames[0]
    told["requests"] = [(b.ids, b.pid, b.epoch, b.sequence) for b in (frame.batch for frame in frames) if b]
    for answer in (Answer("NONE", 0), Answer("OUT_OF_ORDER_SEQUENCE_NUMBER")):
        client.read(0, produce_answer(frames[0], answer))
    results = [client.result(record) for record in range(3)]
    told["acked"] = [result and result.offset for result in results]
    told["in flight"], told["bump requested"] = in_flight(client), client.must_loop()
    client.read(0, produce_answer(frames[0], Answer("OUT_OF_ORDER_SEQUENCE_NUMBER")))
    client.start_pass()
    told["after the bump"], told["pair"] = in_flight(client), client.pair()
    return told


def in_flight(client: Any) -> list[tuple[Any, ...]]:
    return [(b.batch, b.sequence, b.attempts, b.reopened) for b in client.entry(0).in_flight]


def unknown_class(line: Line) -> None:
    from everystate.model.conformance import classes

    classes.PLACES["Selectable"] = ("org.apache.kafka.common.network.gone.",)
    classes.kafka("Selectable")


def unknown_field(line: Line) -> None:
    from everystate.model.conformance.classes import field

    field("Sender", "txnPartitionMap")


def unknown_signature(line: Line) -> None:
    from everystate.model.conformance import signatures

    signatures.FORMS["BufferPool"] = ("discover_versions batch_size", "batch_size")
    signatures.construct("BufferPool", batch_size=1)


def unknown(line: Line) -> list[tuple[str, str, str]]:
    """Code, what, and all that is said of each of these."""
    told = []
    for job in (unknown_class, unknown_field, unknown_signature):
        try:
            job(line)
        except EverystateError as error:
            told.append((error.code, error.what, error.explain()))
    return told


def one_in_flight(line: Line) -> list[int | None]:
    """What a client with one request in flight would send: at first, while it waits, and when it was answered."""
    from everystate.model.conformance.clock import Clock
    from everystate.model.conformance.codec import Answer, produce_answer
    from everystate.model.conformance.real_client import CREATED_EVERY, RealClient, Settings

    client = RealClient(Settings(1, 1, 1, 1_000_000, False, 0), Clock(CREATED_EVERY * 10), 1000)
    client.learn_leader(0)
    client.append(0, 0)
    client.append(1, 0)
    told = [client.would_send(0)]
    client.drain(0)
    told.append(client.would_send(0))
    client.read(0, produce_answer(client.frames[0][0], Answer("NONE", 0)))
    return [*told, client.would_send(0)]


def cut_below_its_start(line: Line) -> list[tuple[int, int]]:
    """Start and end of a log whose three batches were deleted, and when it is cut behind the first of them (D4)."""
    with tempfile.TemporaryDirectory() as folder:
        log = RealLog(Path(folder), 0, Clock(CREATED_EVERY))
        for pid in range(3):
            log.append(idempotent_records(pid, 0, CREATED_EVERY), 0)
        found = []
        steps: tuple[Callable[[], None], ...] = (lambda: log.delete(), lambda: log.truncate(1))
        for step in steps:
            step()
            found.append((log.start, log.end))
        log.close()
        return found
