"""The proxy between clients and a broker: its round trip, the order of frames, and what it loses when told to."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator

import pytest

from everystate.model.cluster.proxy import PRODUCE, Frame, Proxy, Verdict
from everystate.model.cluster.waiting import wait

METADATA = 3


class Broker:
    """A server that answers every request at once: the number of the request, and its payload again."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.asked: list[bytes] = []
        self.ended = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near = self.listener.accept()[0]
            except OSError:
                return
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near: socket.socket) -> None:
        with contextlib.suppress(OSError), near, near.makefile("rwb") as stream:
            while head := stream.read(4):
                frame = stream.read(*struct.unpack(">i", head))
                self.asked.append(frame[8:])
                stream.write(struct.pack(">i", len(frame) - 4) + frame[4:])
                stream.flush()
        self.ended += 1


class Client:
    """One connection; requests are numbered from 0."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self.stream = self.socket.makefile("rb")
        self.sent = 0

    def send(self, payload: bytes, api: int = PRODUCE) -> None:
        self.socket.sendall(struct.pack(">ihhi", 8 + len(payload), api, 9, self.sent) + payload)
        self.sent += 1

    def read(self) -> tuple[int, bytes] | None:
        """The next answer, None at the end of the connection."""
        head = self.stream.read(4)
        if not head:
            return None
        frame = self.stream.read(*struct.unpack(">i", head))
        return struct.unpack_from(">i", frame)[0], frame[4:]

    def nothing_comes(self) -> bool:
        self.socket.settimeout(0.2)
        try:
            self.socket.recv(1, socket.MSG_PEEK)
        except TimeoutError:
            return True
        finally:
            self.socket.settimeout(5)
        return False


@pytest.fixture
def broker() -> Iterator[Broker]:
    found = Broker()
    yield found
    found.listener.close()


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    with Proxy() as found:
        yield found


def test_many_requests_share_one_round_trip_and_keep_their_order(broker: Broker, proxy: Proxy) -> None:
    proxy.trip = 0.5
    client = Client(proxy.shown(0, broker.port))
    payloads = [bytes([number]) * 100_000 for number in range(20)]
    began = time.monotonic()
    for payload in payloads:
        client.send(payload)
    answers = [client.read()]
    first = time.monotonic() - began
    answers += [client.read() for _ in payloads[1:]]
    last = time.monotonic() - began
    assert answers == list(enumerate(payloads))
    assert first >= 0.5
    assert last < 20 * 0.5 / 2, "requests waited for each other"


def test_requests_one_after_the_other_take_a_round_trip_each(broker: Broker, proxy: Proxy) -> None:
    proxy.trip = 0.05
    client = Client(proxy.shown(0, broker.port))
    began = time.monotonic()
    for number in range(4):
        client.send(b"x")
        assert client.read() == (number, b"x")
    assert time.monotonic() - began >= 4 * 0.05


def test_the_judge_sees_kinds_numbers_and_connections(broker: Broker, proxy: Proxy) -> None:
    seen: list[Frame] = []

    def judge(frame: Frame) -> Verdict:
        seen.append(frame)
        return Verdict.PASS

    proxy.judge_with(judge)
    port = proxy.shown(0, broker.port)
    one, two = Client(port), Client(port)
    one.send(b"a", METADATA)
    assert one.read() == (0, b"a")
    two.send(b"b")
    assert two.read() == (0, b"b")
    told = [(frame.connection, frame.is_answer, frame.api, frame.version, frame.correlation) for frame in seen]
    assert told == [(1, False, 3, 9, 0), (1, True, 3, 9, 0), (2, False, 0, 9, 0), (2, True, 0, 9, 0)]
    assert seen[0].data == struct.pack(">hhi", 3, 9, 0) + b"a"
    assert proxy.connections == 2


def test_an_answer_that_is_held_holds_those_behind_it(broker: Broker, proxy: Proxy) -> None:
    proxy.judge_with(lambda frame: Verdict.HOLD if frame.is_answer and frame.api == PRODUCE else Verdict.PASS)
    client = Client(proxy.shown(0, broker.port))
    client.send(b"a", METADATA)
    client.send(b"b")
    client.send(b"c", METADATA)
    assert client.read() == (0, b"a")
    wait("the broker has all", lambda: broker.asked == [b"a", b"b", b"c"])
    assert client.nothing_comes()
    proxy.judge_with(lambda frame: Verdict.PASS)
    assert [client.read(), client.read()] == [(1, b"b"), (2, b"c")]


def test_a_request_that_is_dropped_leaves_the_others(broker: Broker, proxy: Proxy) -> None:
    proxy.judge_with(lambda frame: Verdict.DROP if frame.data.endswith(b"b") else Verdict.PASS)
    client = Client(proxy.shown(0, broker.port))
    for payload in (b"a", b"b", b"c"):
        client.send(payload)
    assert [client.read(), client.read()] == [(0, b"a"), (2, b"c")]
    assert broker.asked == [b"a", b"c"]


@pytest.mark.parametrize(
    ("verdict", "of_answers", "asked", "read"),
    [
        (Verdict.CLOSE, False, [b"a"], [(0, b"a"), None]),
        (Verdict.LAST, False, [b"a", b"b"], [(0, b"a"), None]),
        (Verdict.CLOSE, True, [b"a", b"b"], [(0, b"a"), None]),
        (Verdict.LAST, True, [b"a", b"b"], [(0, b"a"), (1, b"b"), None]),
    ],
)
def test_a_connection_ends_before_or_after_a_frame(
    broker: Broker,
    proxy: Proxy,
    verdict: Verdict,
    of_answers: bool,
    asked: list[bytes],
    read: list[tuple[int, bytes] | None],
) -> None:
    proxy.judge_with(lambda f: verdict if f.is_answer == of_answers and f.correlation == 1 else Verdict.PASS)
    client = Client(proxy.shown(0, broker.port))
    client.send(b"a")
    found = [client.read()]
    client.send(b"b")
    found += [client.read() for _ in read[1:]]
    assert found == read
    wait("the broker sees the end", lambda: broker.ended == 1)
    assert broker.asked == asked


def test_a_judge_that_fails_is_told_and_ends_the_connection(
    broker: Broker, proxy: Proxy, caplog: pytest.LogCaptureFixture
) -> None:
    def judge(frame: Frame) -> Verdict:
        raise ValueError("no verdict")

    proxy.judge_with(judge)
    client = Client(proxy.shown(0, broker.port))
    client.send(b"a")
    assert client.read() is None
    wait("it is told", lambda: "a judge of frames failed" in caplog.text)
    assert "ValueError: no verdict" in caplog.text


def test_what_is_held_is_lost_with_a_cut(broker: Broker, proxy: Proxy) -> None:
    proxy.judge_with(lambda frame: Verdict.HOLD if frame.is_answer else Verdict.PASS)
    port = proxy.shown(0, broker.port)
    client = Client(port)
    client.send(b"a")
    wait("the broker has it", lambda: broker.asked == [b"a"])
    proxy.cut()
    assert client.read() is None
    proxy.judge_with(lambda frame: Verdict.PASS)
    again = Client(port)
    again.send(b"b")
    assert again.read() == (0, b"b")


def test_no_broker_is_an_end_and_a_closed_proxy_takes_no_connection(broker: Broker, proxy: Proxy) -> None:
    with socket.create_server(("127.0.0.1", 0)) as place:
        nobody = int(place.getsockname()[1])
    assert Client(proxy.shown(0, nobody)).read() is None
    port = proxy.shown(1, broker.port)
    client = Client(port)
    client.send(b"a")
    assert client.read() == (0, b"a")
    proxy.close()
    assert client.read() is None
    with pytest.raises(ConnectionRefusedError):
        Client(port)
