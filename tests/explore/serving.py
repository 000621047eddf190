"""A server of the page in a thread, for tests."""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from everystate.checker.explore.api import Api
from everystate.checker.explore.server import Served
from everystate.checker.explore.session import Session
from everystate.checker.language.spec import Spec


@contextmanager
def serving(spec: Spec, name: str = "", load: Callable[[], Spec] | None = None, port: int = 0) -> Iterator[Served]:
    """A server, until the body ends."""
    served = Served(Api(Session(spec, name), load or (lambda: spec)), port)
    thread = threading.Thread(target=served.run)
    thread.start()
    try:
        yield served
    finally:
        served.stop()
        thread.join(60)
        assert not thread.is_alive()


def asked(served: Served, method: str, path: str, body: object = None, **headers: str) -> tuple[int, str, Any]:
    """(status, text, response) of one request."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=300)
    sent = None if body is None else body if isinstance(body, str) else json.dumps(body)
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, sent, given)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, answer


def question(served: Served, name: str, **given: Any) -> tuple[int, Any]:
    """The answer of the server to a question of the page."""
    kind = {"Content_Type": "application/json"}
    status, text, _ = asked(served, "POST", f"/{served.token}/api/{name}", given, **kind)
    return status, json.loads(text)
