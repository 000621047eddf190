"""The transport under NetworkClient: Kafka's interface Selectable, with bytes out and bytes in.

Frames that the client writes go to `out`; answers and losses that were queued here reach it at its next poll. The gate
names the nodes to which it may write now. The receiver behind `out` is replaceable: a driver, or real sockets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .classes import has, java, kafka, place, taken, wrapped

LENGTH = 4
"""Bytes of a frame that hold its size."""


class Channel:
    """The transport that the client takes for its sockets; `java` is passed to NetworkClient."""

    def __init__(self, out: Callable[[int, bytes], None]) -> None:
        self.out = out
        self.gate: set[int] = set()
        self.waits = 0
        """Milliseconds that the last poll would have waited for something to arrive."""
        self.waits_for_news: Callable[[], None] | None = None
        """Called before a poll that would wait."""
        self.connecting: list[int] = []
        self.answers: list[tuple[int, bytes]] = []
        self.lost: list[int] = []
        self.java = _selectable(self)

    def deliver(self, node: int, answer: bytes) -> None:
        """Queue an answer for the next poll."""
        self.answers.append((node, answer))

    def lose(self, node: int) -> None:
        """Queue the loss of a connection for the next poll."""
        self.lost.append(node)


class PollResult:
    """The results of one poll; the client reads them until the next one."""

    def __init__(self) -> None:
        self.sends = java("java.util.ArrayList")()
        self.receives = java("java.util.ArrayList")()
        self.disconnected = java("java.util.HashMap")()
        self.connected = java("java.util.ArrayList")()


def _selectable(channel: Channel) -> Any:
    import jpype

    written: list[Any] = []
    polled = [PollResult()]

    class Selectable:
        def connect(self, node: str, *_: Any) -> None:
            channel.connecting.append(int(str(node)))

        def send(self, send: Any) -> None:
            channel.out(_destination(send), _bytes_of(send))
            written.append(send)

        def poll(self, timeout: int) -> None:
            channel.waits = int(timeout)
            if timeout > 0 and channel.waits_for_news is not None:
                channel.waits_for_news()
            found = polled[0] = PollResult()
            for send in written:
                found.sends.add(send)
            for node in channel.connecting:
                found.connected.add(str(node))
            for node, answer in channel.answers:
                found.receives.add(kafka("NetworkReceive")(str(node), wrapped(answer)))
            for node in channel.lost:
                found.disconnected.put(str(node), kafka("ChannelState").READY)
            written.clear()
            for queue in (channel.connecting, channel.answers, channel.lost):
                queue.clear()

        def completedSends(self) -> Any:
            return polled[0].sends

        def completedReceives(self) -> Any:
            return polled[0].receives

        def disconnected(self) -> Any:
            return polled[0].disconnected

        def connected(self) -> Any:
            return polled[0].connected

        def isChannelReady(self, node: str) -> bool:
            return int(str(node)) in channel.gate

    def nothing(*_: Any) -> None:
        """Of no concern: wakeup, close, mute."""

    handlers: dict[str, Any] = dict.fromkeys(("wakeup", "close", "mute", "unmute", "muteAll", "unmuteAll"), nothing)
    own = Selectable()
    handlers |= {name: getattr(own, name) for name in vars(Selectable) if not name.startswith("_")}
    return jpype.JProxy(place("Selectable"), dict=handlers)


def _destination(send: Any) -> int:
    """The destination node of a frame; up to 2.7 every Send has it."""
    return int(str(send.destinationId() if has("NetworkSend", "destinationId") else send.destination()))


def _bytes_of(send: Any) -> bytes:
    """A frame as NetworkSend writes it to a socket, without its size."""
    import jpype

    pieces: list[bytes] = []

    def write(given: Any, *_: int) -> int:
        found = [taken(buffer) for buffer in (given if isinstance(given, jpype.JArray) else [given])]
        pieces.extend(found)
        return sum(map(len, found))

    handlers = {"write": write, "hasPendingWrites": lambda: False, "isOpen": lambda: True, "close": lambda: None}
    socket = jpype.JProxy(place("TransferableChannel"), dict=handlers)
    while not send.completed():
        send.writeTo(socket)
    return b"".join(pieces)[LENGTH:]
