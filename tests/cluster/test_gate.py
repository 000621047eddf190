"""The gate between brokers: what it lets pass, what it holds back, and when it lets that go."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from everystate.model.cluster.gate import FETCH, Gate
from everystate.model.cluster.proxy import Frame
from everystate.model.cluster.waiting import wait

OTHER = 0


class Numbers(Gate):
    """A fetch says its offset, and its answer its end, as a number at the end of the frame."""

    def asked(self, request: Frame) -> int:
        return int(struct.unpack(">i", request.data[-4:])[0])

    def brought(self, answer: Frame) -> int:
        return int(struct.unpack(">i", answer.data[-4:])[0])


class Leader:
    """A server that keeps what it is asked and answers the last request when it is told to."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.asked: list[tuple[int, int]] = []
        self.end: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self.end = self.listener.accept()[0]
        while len(frame := self.end.recv(16)) == 16:
            _, kind, _, number, offset = struct.unpack(">ihhii", frame)
            assert number == len(self.asked)
            self.asked.append((kind, offset))

    def answer(self, end: int) -> None:
        assert self.end is not None
        self.end.sendall(answered(len(self.asked) - 1, end))


class Follower:
    """A client that numbers its requests."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=0.3)
        self.sent = 0

    def ask(self, kind: int, offset: int) -> None:
        self.socket.sendall(struct.pack(">ihhii", 12, kind, 0, self.sent, offset))
        self.sent += 1


def answered(number: int, end: int) -> bytes:
    return struct.pack(">iii", 8, number, end)


@pytest.fixture
def sides() -> Iterator[tuple[Numbers, Leader, Follower]]:
    leader = Leader()
    with Numbers() as gate:
        yield gate, leader, Follower(gate.shown(0, leader.port))
    leader.listener.close()


def test_fetches_beyond_what_may_be_known_stand_still(sides: tuple[Numbers, Leader, Follower]) -> None:
    gate, leader, follower = sides
    gate.allow(data=5, known=5)
    follower.ask(FETCH, 5)
    wait("the first fetch", lambda: leader.asked == [(FETCH, 5)])
    follower.ask(FETCH, 6)
    with pytest.raises(TimeoutError):
        follower.socket.recv(1)
    assert leader.asked == [(FETCH, 5)]
    gate.allow(data=5, known=6)
    wait("the second fetch", lambda: leader.asked == [(FETCH, 5), (FETCH, 6)])


def test_answers_beyond_what_may_be_there_stand_still(sides: tuple[Numbers, Leader, Follower]) -> None:
    gate, leader, follower = sides
    gate.allow(data=5, known=9)
    follower.ask(FETCH, 5)
    wait("the fetch", lambda: leader.asked == [(FETCH, 5)])
    leader.answer(6)
    with pytest.raises(TimeoutError):
        follower.socket.recv(12)
    gate.allow(data=6, known=9)
    assert follower.socket.recv(12) == answered(0, 6)


def test_everything_else_passes(sides: tuple[Numbers, Leader, Follower]) -> None:
    gate, leader, follower = sides
    gate.allow(data=0, known=0)
    follower.ask(OTHER, 99)
    wait("the request", lambda: leader.asked == [(OTHER, 99)])
    leader.answer(99)
    assert follower.socket.recv(12) == answered(0, 99)


def test_a_side_that_ends_ends_the_other(sides: tuple[Numbers, Leader, Follower]) -> None:
    _, leader, follower = sides
    follower.ask(OTHER, 1)
    wait("the request", lambda: leader.asked == [(OTHER, 1)])
    assert leader.end is not None
    leader.end.shutdown(socket.SHUT_RDWR)
    assert follower.socket.recv(1) == b""
