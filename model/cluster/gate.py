"""The gate between brokers: a follower's fetches pass through it, and stand still where the driver wants them to.

Other brokers reach a broker at a port of the gate. Everything passes but the answers of fetches that hold records of
the topic beyond `data`, and fetches that would tell the leader that the follower has reached an offset beyond `known`.
So a follower can have a batch while the leader does not know it: the answer to the producer waits (B6.1).
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Callable
from typing import Self

from .properties import HOST

SIZE = struct.Struct(">i")
EVERYTHING = 1 << 60
FETCH = 1
PAUSE = 0.005
PIECE = 1 << 16


class Gate:
    """The gates of all brokers, for a `with`; what a fetch says is read by a subclass."""

    def __init__(self) -> None:
        self.data = self.known = EVERYTHING
        self.open = True
        self.topic = ""
        self._doors: list[_Door] = []

    def asked(self, request: bytes) -> int:
        """The offset of the topic that a fetch asks for, -1 where it says nothing of it."""
        return -1

    def brought(self, request: bytes, answer: bytes) -> int:
        """The end of what the answer to a fetch holds of the topic, -1 where it holds nothing."""
        return -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def shown(self, node: int, port: int) -> int:
        """A new port by which other brokers reach a broker that listens at `port`."""
        self._doors.append(_Door(self, port))
        return self._doors[-1].port

    def allow(self, data: int, known: int) -> None:
        """Followers may have what lies before `data`, and leaders may know of what lies before `known`."""
        self.data, self.known = data, known

    def close(self) -> None:
        """Nothing passes any more."""
        self.open = False
        for door in self._doors:
            door.close()

    def wait_for(self, passes: Callable[[], bool]) -> bool:
        """Wait until something may pass; False when the gate was closed."""
        while self.open and not passes():
            threading.Event().wait(PAUSE)
        return self.open


class _Door:
    """The gate of one broker: every connection is two threads, one for each direction."""

    def __init__(self, gate: Gate, target: int) -> None:
        self.gate, self.target = gate, target
        self.listener = socket.create_server((HOST, 0))
        self.port = int(self.listener.getsockname()[1])
        _thread(self._accept)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                _thread(_Link(self.gate, self.listener.accept()[0], self.target).run)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


class _Link:
    """One connection of a broker to another."""

    def __init__(self, gate: Gate, near: socket.socket, target: int) -> None:
        self.gate, self.near, self.target = gate, near, target
        self.asked: list[bytes] = []

    def run(self) -> None:
        try:
            with self.near, socket.create_connection((HOST, self.target)) as far:
                back = _thread(lambda: self._carry(far, self.near, self._answer))
                self._carry(self.near, far, self._request)
                back.join()
        except OSError:
            return

    def _carry(self, source: socket.socket, sink: socket.socket, passes: Callable[[bytes], bool]) -> None:
        """Frames from one side to the other, until a side ends; then the other one ends, too."""
        with contextlib.suppress(OSError):
            while (frame := _frame(source)) is not None and passes(frame):
                sink.sendall(SIZE.pack(len(frame)) + frame)
        for side in (source, sink):
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _request(self, frame: bytes) -> bool:
        fetch = struct.unpack_from(">h", frame)[0] == FETCH
        offset = self.gate.asked(frame) if fetch else -1
        self.asked.append(frame if fetch else b"")
        return self.gate.wait_for(lambda: offset <= self.gate.known)

    def _answer(self, frame: bytes) -> bool:
        request = self.asked.pop(0)
        end = self.gate.brought(request, frame) if request else -1
        return self.gate.wait_for(lambda: end <= self.gate.data)


def _thread(run: Callable[[], None]) -> threading.Thread:
    found = threading.Thread(target=run, daemon=True)
    found.start()
    return found


def _frame(source: socket.socket) -> bytes | None:
    """The next frame, without its size; None at the end."""
    head = _exactly(source, SIZE.size)
    return None if head is None else _exactly(source, SIZE.unpack(head)[0])


def _exactly(source: socket.socket, size: int) -> bytes | None:
    found = b""
    while len(found) < size:
        piece = source.recv(min(PIECE, size - len(found)))
        if not piece:
            return None
        found += piece
    return found
