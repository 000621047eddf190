"""The gate between brokers: what it lets pass, what it holds back, and when it lets that go."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator

import pytest

from everystate.model.cluster.gate import FETCH, Gate
from everystate.model.cluster.waiting import wait

OTHER = 0


class Numbers(Gate):
    """A fetch says its offset, and its answer its end, as a number behind the two bytes of the kind of request."""

    def asked(self, request: bytes) -> int:
        return int(struct.unpack(">hi", request)[1])

    def brought(self, request: bytes, answer: bytes) -> int:
        return int(struct.unpack(">i", answer)[0])


class Leader:
    """A server that keeps what it is asked and answers when it is told to."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        self.asked: list[tuple[int, int]] = []
        self.end: socket.socket | None = None
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        self.end = self.listener.accept()[0]
        while len(frame := self.end.recv(10)) == 10:
            self.asked.append(struct.unpack(">ihi", frame)[1:])

    def answer(self, end: int) -> None:
        assert self.end is not None
        self.end.sendall(struct.pack(">ii", 4, end))


@pytest.fixture
def sides() -> Iterator[tuple[Numbers, Leader, socket.socket]]:
    leader = Leader()
    with Numbers() as gate, socket.create_connection(("127.0.0.1", gate.shown(0, leader.port))) as follower:
        follower.settimeout(0.3)
        yield gate, leader, follower
    leader.listener.close()


def ask(follower: socket.socket, kind: int, offset: int) -> None:
    follower.sendall(struct.pack(">ihi", 6, kind, offset))


def test_fetches_beyond_what_may_be_known_stand_still(sides: tuple[Numbers, Leader, socket.socket]) -> None:
    gate, leader, follower = sides
    gate.allow(data=5, known=5)
    ask(follower, FETCH, 5)
    wait("the first fetch", lambda: leader.asked == [(FETCH, 5)])
    ask(follower, FETCH, 6)
    with pytest.raises(TimeoutError):
        follower.recv(1)
    assert leader.asked == [(FETCH, 5)]
    gate.allow(data=5, known=6)
    wait("the second fetch", lambda: leader.asked == [(FETCH, 5), (FETCH, 6)])


def test_answers_beyond_what_may_be_there_stand_still(sides: tuple[Numbers, Leader, socket.socket]) -> None:
    gate, leader, follower = sides
    gate.allow(data=5, known=9)
    ask(follower, FETCH, 5)
    wait("the fetch", lambda: leader.asked == [(FETCH, 5)])
    leader.answer(6)
    with pytest.raises(TimeoutError):
        follower.recv(8)
    gate.allow(data=6, known=9)
    assert follower.recv(8) == struct.pack(">ii", 4, 6)


def test_everything_else_passes(sides: tuple[Numbers, Leader, socket.socket]) -> None:
    gate, leader, follower = sides
    gate.allow(data=0, known=0)
    ask(follower, OTHER, 99)
    wait("the request", lambda: leader.asked == [(OTHER, 99)])
    leader.answer(99)
    assert follower.recv(8) == struct.pack(">ii", 4, 99)


def test_a_side_that_ends_ends_the_other(sides: tuple[Numbers, Leader, socket.socket]) -> None:
    _, leader, follower = sides
    ask(follower, OTHER, 1)
    wait("the request", lambda: leader.asked == [(OTHER, 1)])
    assert leader.end is not None
    leader.end.shutdown(socket.SHUT_RDWR)
    assert follower.recv(1) == b""
