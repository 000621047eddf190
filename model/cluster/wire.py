"""The step-driven client's connections to the brokers: TCP under the control of the driver.

A request is sent when it is to be handled, so a broker has not read it before. An answer is kept here from its arrival
until the client is to read it. A connection that the client has lost may be kept open towards the broker, for requests
that outlive it.
"""

from __future__ import annotations

import contextlib
import socket
import struct
from collections.abc import Callable

from ..conformance.driver import NotJudged
from .properties import HOST

SIZE = struct.Struct(">i")
PIECE = 1 << 16
ONCE = 60
"""Seconds for a request and its answer."""


class Connection:
    """One connection: `answers` are the frames that have arrived, oldest first, without their sizes.

    While it is `unread` what arrives stays in the socket, as if it had not arrived.
    """

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port), timeout=ONCE)
        self.socket.setblocking(False)
        self.buffer = b""
        self.answers: list[bytes] = []
        self.sent = self.arrived = 0
        self.ended = self.unread = False

    def send(self, frame: bytes) -> None:
        """Write a request; it is small, so the socket takes all of it."""
        self.sent += 1
        try:
            self.socket.sendall(SIZE.pack(len(frame)) + frame)
        except OSError as problem:
            raise NotJudged(f"a broker closed a connection: {problem}") from None

    def poll(self) -> list[bytes]:
        """All answers that have arrived until now."""
        while not (self.ended or self.unread):
            try:
                found = self.socket.recv(PIECE)
            except BlockingIOError:
                break
            except OSError:
                found = b""
            self.ended = not found
            self.buffer += found
        while len(self.buffer) >= SIZE.size:
            (size,) = SIZE.unpack_from(self.buffer)
            if len(self.buffer) < SIZE.size + size:
                break
            self.arrived += 1
            self.answers.append(self.buffer[SIZE.size : SIZE.size + size])
            self.buffer = self.buffer[SIZE.size + size :]
        return self.answers

    def pop(self) -> bytes:
        """The oldest answer, taken."""
        return self.answers.pop(0)

    def close(self) -> None:
        """Close it."""
        with contextlib.suppress(OSError):
            self.socket.close()


def exchanged(port: int, frame: bytes) -> bytes:
    """The answer to one request, on a connection of its own."""
    try:
        with socket.create_connection((HOST, port), timeout=ONCE) as line:
            line.sendall(SIZE.pack(len(frame)) + frame)
            with line.makefile("rb") as answers:
                (size,) = SIZE.unpack(answers.read(SIZE.size))
                found = answers.read(size)
                if len(found) < size:
                    raise ConnectionError(f"its answer breaks off after {len(found)} of {size} bytes")
                return found
    except (OSError, struct.error) as problem:
        raise NotJudged(f"a broker does not answer: {problem}") from None


class Wire:
    """The connections of one client, by broker; they are made on first use."""

    def __init__(self, port: Callable[[int], int]) -> None:
        self.port = port
        self.open: dict[int, Connection] = {}

    def to(self, node: int) -> Connection:
        """The connection to a broker."""
        if node not in self.open:
            try:
                self.open[node] = Connection(self.port(node))
            except OSError as problem:
                raise NotJudged(f"broker {node} takes no connection: {problem}") from None
        return self.open[node]

    def lose(self, node: int) -> Connection | None:
        """The client is done with a connection; it is still open towards the broker."""
        return self.open.pop(node, None)

    def close(self) -> None:
        """Close every connection."""
        for node in list(self.open):
            self.open.pop(node).close()
