"""Records of a proxy as events of the model, for `everystate follow --map everystate.model.follow.frames`.

A record is a produce request, or the answer to one, in the order in which they came to the proxy:

    {"connection": 3, "broker": 0, "correlation": 7, "request": "Produce", "partition": 0, "pid": 0, "epoch": 0,
     "sequence": 1, "records": 1}
    {"connection": 3, "broker": 0, "correlation": 7, "answer": "NONE", "offset": 1}

What the proxy did with it (`became`) is not read: that the model cannot explain what followed is what is asked. When
the producer reads an answer is not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .words import AT_MOST, HANDLING, OBSERVES, UNTOLD, Event, Numbers, Unknown, answer

unseen = (*UNTOLD, *HANDLING, "disconnect", "init_producer_id", "read_answer")
at_most = 2 * AT_MOST
observes = OBSERVES
REQUEST = ("connection", "broker", "correlation", "partition", "pid", "epoch", "sequence", "records")
ANSWER = ("connection", "broker", "correlation", "answer", "offset")


def log(lines: Iterator[str]) -> Iterator[Event]:
    """The events of the records of one producer."""
    frames = Frames()
    for line in lines:
        if line.strip():
            yield from frames.events(_record(line))


def _record(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except json.JSONDecodeError as error:
        raise Unknown(f"it is not JSON: {error.msg.lower()} (column {error.colno})") from None
    kind = REQUEST if isinstance(found, dict) and "request" in found else ANSWER
    missing = [name for name in kind if not isinstance(found, dict) or name not in found]
    if missing:
        raise Unknown(f"a record of a proxy has {', '.join(kind)}; this one has no {', '.join(missing)}")
    numbers = [name for name in kind if name != "answer"]
    if any(isinstance(found[name], bool) or not isinstance(found[name], int) for name in numbers):
        raise Unknown(f"{', '.join(numbers)} are whole numbers")
    return found


class Frames:
    """The content of the records so far."""

    def __init__(self) -> None:
        self.nodes, self.pids = Numbers[str](), Numbers[int]()
        self.connections: dict[int, int] = {}
        self.given_up: set[int] = set()
        self.requests: dict[tuple[int, int], list[int]] = {}

    def events(self, record: dict[str, Any]) -> Iterator[Event]:
        """The events of a record."""
        node, connection = self.nodes[str(record["broker"])], record["connection"]
        before = self.connections.setdefault(node, connection)
        time = {"time": record["time"]} if "time" in record else {}
        if "answer" in record:
            stamp, waiting = self._asked(record)
            if connection == before:  # the client reads nothing on a connection that was given up
                yield {**self._answered(record, node, stamp, waiting), **time}
            return
        if connection in self.given_up:
            raise Unknown(f"connection {connection} was given up before, as another one to its broker was begun")
        if connection != before:
            self.given_up.add(before)
            self.connections[node] = connection
            yield {"before": {f"connection[{node}].requests.length": 0}, **time}
        yield {**self._sent(record, node), **time}

    def _sent(self, record: dict[str, Any], node: int) -> Event:
        if record["records"] != 1:
            raise Unknown(f"the batch has {record['records']} records, and the model's have one each")
        stamp = [record["partition"], self.pids[record["pid"]], record["epoch"], record["sequence"]]
        self.requests[record["connection"], record["correlation"]] = stamp
        return {"action": ["send", "send_again"], "after": {f"newest_request({node})": stamp}}

    def _asked(self, record: dict[str, Any]) -> tuple[list[int], list[int]]:
        """The answered request, and the oldest one of its connection that has no answer."""
        connection, correlation = record["connection"], record["correlation"]
        waiting = [each for (other, _), each in self.requests.items() if other == connection]
        stamp = self.requests.pop((connection, correlation), None)
        if stamp is None:
            raise Unknown(f"request {correlation} of connection {connection} was not seen before")
        return stamp, waiting[0]

    def _answered(self, record: dict[str, Any], node: int, stamp: list[int], oldest: list[int]) -> Event:
        after = {f"newest_answer({node}, {record['offset']})": answer(record["answer"], record["offset"])}
        before = {f"first_unanswered({node})": oldest, f"next_request({node})": stamp}
        return {"action": HANDLING, "arguments": {"broker": node}, "before": before, "after": after}
