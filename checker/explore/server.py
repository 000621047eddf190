"""The page over HTTP: for this machine alone, and for who has the address with its token.

A page of the internet that is open in the same browser must not reach us: it does not know the token, its requests
carry its own origin, and where it has its own name lead to this machine, that name stands in Host. The page itself
refers to nothing outside, and its policy allows nothing else.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import signal
import socket
import threading
from collections.abc import Iterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from everystate.counterexamples.svg import STYLE

from ..errors import EverystateError
from ..pages import drawing, page, text
from .api import Api, InvalidQuestion

HOST = "127.0.0.1"
ENDS = (signal.SIGINT, signal.SIGTERM)
LARGEST = 1 << 20
"""Bytes of a question, at most."""
POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
PAGE = f"{__package__}/page"
SCRIPTS = ("explore.js", "graph.js", "values.js")
SHARED = "bring, drawState, drawTables, element, numbered"
"""What the page uses of the functions that draw values."""
NO_TOKEN = "This page needs the whole address that `everystate explore` has printed, with the token in it.\n"
FOREIGN = "This page is for this machine alone.\n"


class Gate:
    """Lets through what comes from the page itself: the right host, no foreign origin, the token in the path."""

    def __init__(self, app: ASGIApp, port: int, token: str) -> None:
        self.app, self.token = app, token
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refused = self._refused(scope)
        await (refused or self.app)(scope, receive, send)

    def _refused(self, scope: Scope) -> Response | None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if host not in self.hosts or headers.get("origin", f"http://{host}") != f"http://{host}":
            return PlainTextResponse(FOREIGN, 403, HEADERS)
        given = scope["path"].split("/")[1] if scope["path"].count("/") > 1 else ""
        if not secrets.compare_digest(given.encode(), self.token.encode()):
            return PlainTextResponse(NO_TOKEN, 403, HEADERS)
        return None


def application(api: Api, port: int, token: str) -> ASGIApp:
    """The application behind the gate."""
    styles, title = STYLE + text(f"{PAGE}/explore.css"), f"{api.session.name} \u2013 explore"
    whole = page(f"{PAGE}/explore.html", styles=styles, title=title)

    async def show(request: Request) -> Response:
        return Response(whole, 200, HEADERS, "text/html")

    async def file(request: Request) -> Response:
        name = request.path_params["name"]
        return Response(_script(name), 200, HEADERS, "text/javascript") if name in SCRIPTS else _missing()

    async def ask(request: Request) -> Response:
        if request.headers.get("content-type") != "application/json":
            return _refusal("a question is JSON")
        try:
            given = json.loads(await _body(request))
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict):
            return _refusal("a question is a JSON object of at most a megabyte")
        return await run_in_threadpool(_answer, api, request.path_params["name"], given)

    routes = [
        Route(f"/{token}/", show),
        Route(f"/{token}/api/{{name}}", ask, methods=["POST"]),
        Route(f"/{token}/{{name}}", file),
    ]
    return Gate(Starlette(routes=routes), port, token)


async def _body(request: Request) -> bytes:
    """What was sent; nothing of what is too large."""
    found = b""
    async for part in request.stream():
        found += part
        if len(found) > LARGEST:
            return b""
    return found


def _answer(api: Api, name: str, given: dict[str, Any]) -> Response:
    try:
        return JSONResponse(api.call(name, given), 200, HEADERS)
    except InvalidQuestion as error:
        return _refusal(str(error))
    except EverystateError as error:
        return _refusal(error.explain())
    except BaseException as error:  # this is no main thread: whatever ends here, the spec has raised it
        failure = EverystateError(
            "E503", None, error=f"{type(error).__name__}: {error}"[:300], place=f"explore, {name}"
        )
        return JSONResponse({"error": failure.explain()}, 500, HEADERS)


def _refusal(text: str) -> Response:
    return JSONResponse({"error": text}, 422, HEADERS)


def _script(name: str) -> str:
    """A script; what draws values is on other pages as it is, and here a module."""
    return f"{drawing()}export {{ {SHARED} }};\n" if name == "values.js" else text(f"{PAGE}/{name}")


def _missing() -> Response:
    return PlainTextResponse("There is no such file.\n", 404, HEADERS)


def listening(port: int) -> socket.socket:
    """A socket of this machine alone; E450 where the port is taken."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind((HOST, port))
        found.listen(16)
    except OSError as error:
        found.close()
        reason = (error.strerror or str(error)).lower()
        raise EverystateError("E450", None, port=port, reason=reason) from None
    return found


class Served:
    """A server that has its port; `address` opens the page, `run` serves until it is told to stop."""

    def __init__(self, api: Api, port: int = 0, token: str = "") -> None:
        self.api, self.token = api, token or secrets.token_urlsafe(16)
        self.socket = listening(port)
        self.port = int(self.socket.getsockname()[1])
        config = uvicorn.Config(
            application(api, self.port, self.token),
            lifespan="off",
            ws="none",
            http="h11",
            loop="asyncio",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=1,
        )
        self._server = _Server(config)

    @property
    def address(self) -> str:
        """What is opened in a browser."""
        return f"http://{HOST}:{self.port}/{self.token}/"

    def run(self) -> None:
        """Serve until `stop`, or until a signal says so; a second one does not wait for what is being answered."""
        ours = threading.current_thread() is threading.main_thread()
        before = {number: signal.signal(number, self._ended) for number in ENDS} if ours else {}
        try:
            self._server.run(sockets=[self.socket])
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
            self.api.cancel({})
            self.socket.close()

    def stop(self) -> None:
        """End serving; from any thread."""
        self._server.force_exit = self._server.should_exit
        self._server.should_exit = True

    def _ended(self, number: int, frame: object) -> None:
        self.stop()


class _Server(uvicorn.Server):
    """A server whose signals somebody else hears: its own handlers raise them again when it has ended."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
