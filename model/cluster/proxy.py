"""A proxy for Kafka's frames between clients and a broker: it adds a round trip, and drops frames on command.

A frame is passed on half a round trip after it arrived, in order and without a limit to the number under way. A judge
sees every frame when it is due: it may hold it (and what comes after it, as TCP does), drop it, or end the connection
before or after it. Clients reconnect through the proxy where brokers advertise its ports.
"""

from __future__ import annotations

import asyncio
import contextlib
import enum
import selectors
import struct
import threading
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Self

from .properties import HOST

SIZE = struct.Struct(">i")
REQUEST = struct.Struct(">hhi")
"""How the header of a request begins: the kind of request, its version, and the number that its answer repeats."""
CORRELATION = struct.Struct(">i")
PRODUCE, INIT_PRODUCER_ID = 0, 22


class Verdict(enum.Enum):
    """The decision on a frame. LAST passes it and ends the connection, CLOSE ends the connection instead. BEHIND passes
    it after the next one of its direction."""

    PASS, HOLD, DROP, CLOSE, LAST, BEHIND = range(6)


@dataclass(frozen=True)
class Frame:
    """A request, or the answer to one, of the connection with this number, to or from a broker, the `node`; `data` is
    all of it except the size."""

    connection: int
    is_answer: bool
    api: int
    version: int
    correlation: int
    data: bytes
    node: int = 0


Judge = Callable[[Frame], Verdict]


def everything(frame: Frame) -> Verdict:
    """A proxy that loses nothing."""
    return Verdict.PASS


class Proxy:
    """The entry ports of all brokers, as a context manager; one thread carries everything.

    `trip` is the round trip in seconds, each way takes half of it. The judge is called in that thread; a frame that it
    holds is judged again after `judge_with` or `again`, and counts as `held` until then. `ports` are the addresses of
    the brokers, by number.
    """

    def __init__(self, trip: float = 0.0, judge: Judge = everything) -> None:
        self.trip, self.judge = trip, judge
        # epoll wakes up at full milliseconds, select at microseconds
        self.connections = self.held = 0
        self.ports: dict[int, int] = {}
        self.loop, self.changed = asyncio.SelectorEventLoop(selectors.SelectSelector()), asyncio.Event()
        self._servers: list[asyncio.Server] = []
        self._links: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def shown(self, node: int, port: int) -> int:
        """A new port by which clients reach a broker that listens at `port`."""
        self.ports[node] = found = int(self._run(self._listen(node, port)))
        return found

    def judge_with(self, judge: Judge) -> None:
        """Another judge, for frames that are held, too."""
        self.judge = judge
        self.again()

    def again(self) -> None:
        """Judge the held frames again."""
        self._run(self._tell())

    def cut(self) -> None:
        """End every connection; what is under way is lost."""
        self._run(self._cut())

    def close(self) -> None:
        """Nothing passes any more."""
        if self.loop.is_closed():
            return
        self._run(self._end())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def _run(self, task: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(task, self.loop).result()

    # -- in the thread -------------------------------------------------------------------------------------

    async def _listen(self, node: int, target: int) -> int:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            self._links.add(task)
            self.connections += 1
            try:
                await _Link(self, self.connections, node, reader, writer).run(target)
            except Exception as problem:
                self.loop.call_exception_handler({"message": "a judge of frames failed", "exception": problem})
            finally:
                self._links.discard(task)

        server = await asyncio.start_server(accept, HOST, 0)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()

    async def _cut(self) -> None:
        links = list(self._links)
        for task in links:
            task.cancel()
        await asyncio.gather(*links, return_exceptions=True)

    async def _end(self) -> None:
        for server in self._servers:
            server.close()
        await self._cut()


class _Link:
    """One connection of a client, and the one to the broker behind it."""

    def __init__(
        self, proxy: Proxy, number: int, node: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.proxy, self.number, self.node, self.near = proxy, number, node, (reader, writer)
        self.asked: dict[int, tuple[int, int]] = {}
        self.behind: dict[bool, list[Frame]] = {False: [], True: []}

    async def run(self, target: int) -> None:
        """Carry frames both ways until one side ends; what the other one sent after that is lost."""
        writers = [self.near[1]]
        tasks = []
        try:
            far = await asyncio.open_connection(HOST, target)
            writers.append(far[1])
            ways = (self._carry(self.near[0], far[1], False), self._carry(far[0], self.near[1], True))
            tasks = [asyncio.create_task(way) for way in ways]
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
            for writer in writers:
                writer.close()
        for end in ends:
            if isinstance(end, Exception):  # a mistake of the judge
                raise end

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, is_answer: bool) -> None:
        """Frames of one direction: read as they come, and passed on when they are due."""
        under_way: asyncio.Queue[tuple[float, Frame | None]] = asyncio.Queue()
        reading = asyncio.create_task(self._read(source, under_way, is_answer))
        try:
            while True:
                due, frame = await under_way.get()
                await asyncio.sleep(due - self.proxy.loop.time())
                if frame is None or not await self._pass(frame, sink):
                    return
        except OSError:
            return
        finally:
            reading.cancel()

    async def _read(
        self, source: asyncio.StreamReader, under_way: asyncio.Queue[tuple[float, Frame | None]], is_answer: bool
    ) -> None:
        frame: Frame | None = None
        while True:
            try:
                (size,) = SIZE.unpack(await source.readexactly(SIZE.size))
                frame = self._frame(await source.readexactly(size), is_answer)
            except (OSError, asyncio.IncompleteReadError):
                frame = None
            under_way.put_nowait((self.proxy.loop.time() + self.proxy.trip / 2, frame))
            if frame is None:
                return

    def _frame(self, data: bytes, is_answer: bool) -> Frame:
        if is_answer:
            (correlation,) = CORRELATION.unpack_from(data)
            api, version = self.asked.pop(correlation, (-1, -1))
        else:
            api, version, correlation = REQUEST.unpack_from(data)
            self.asked[correlation] = api, version
        return Frame(self.number, is_answer, api, version, correlation, data, self.node)

    async def _pass(self, frame: Frame, sink: asyncio.StreamWriter) -> bool:
        """Apply the decision of the judge; returns whether the connection continues."""
        while True:
            changed = self.proxy.changed
            verdict = self.proxy.judge(frame)
            if verdict is not Verdict.HOLD:
                break
            self.proxy.held += 1
            try:
                await changed.wait()
            finally:
                self.proxy.held -= 1
        if verdict is Verdict.BEHIND:
            self.behind[frame.is_answer].append(frame)
        if verdict in (Verdict.PASS, Verdict.LAST):
            for each in (frame, *self.behind[frame.is_answer]):
                sink.write(SIZE.pack(len(each.data)) + each.data)
            self.behind[frame.is_answer].clear()
            with contextlib.suppress(ConnectionError):
                await sink.drain()
        return verdict in (Verdict.PASS, Verdict.DROP, Verdict.BEHIND)
