"""Master URLs: checks that they are valid and reachable, before Spark waits a minute for an absent master."""

from __future__ import annotations

import re
import socket
from pathlib import Path
from urllib.parse import urlsplit

from ..errors import EverystateError

LOCAL = re.compile(r"local(\[(\*|\d+)(,\s*\d+)?\])?")
PATIENCE = 5.0
"""Seconds that a master may take to accept a connection."""
FATAL = re.compile(r"(?:ERROR|Exception)[^:]*: (.+)")


def embedded(tasks: int | None = None) -> str:
    """The master URL for this process, with a number of parallel tasks (one for each processor); a task that fails is
    tried four times, as on a cluster."""
    return f"local[{tasks or '*'},4]"


def local(master: str) -> bool:
    """Whether a master URL means this process."""
    return LOCAL.fullmatch(master) is not None


def check(master: str) -> None:
    """E605 when the URL is malformed, E604 when nothing listens at the address of a standalone or Kubernetes master."""
    if local(master) or master == "yarn" or re.fullmatch(r"local-cluster\[\d+,\d+,\d+\]", master):
        return
    places = list(_places(master))
    failures = [reason for place in places if (reason := _refusal(*place)) is not None]
    if len(failures) == len(places):
        raise EverystateError("E604", None, master=master, reason=failures[0])


def _places(master: str) -> list[tuple[str, int]]:
    """The addresses of spark://host:port[,host:port...] and k8s://[https://]host[:port]."""
    scheme, separator, rest = master.partition("://")
    if not separator or not rest or scheme not in ("spark", "k8s"):
        raise EverystateError("E605", None, master=master)
    if scheme == "k8s":
        address = rest if "://" in rest else f"https://{rest}"
        return [_place(address, master, 80 if address.startswith("http:") else 443)]
    return [_place(f"spark://{part}", master, 0) for part in rest.split(",")]


def _place(address: str, master: str, default: int) -> tuple[str, int]:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port or default
    except ValueError:
        host, port = None, 0
    if not host or not port:
        raise EverystateError("E605", None, master=master)
    return host, port


def _refusal(host: str, port: int) -> str | None:
    """Why an address cannot be reached; None when it can."""
    try:
        socket.create_connection((host, port), PATIENCE).close()
    except TimeoutError:
        return f"{host}:{port} does not answer within {PATIENCE:g} s"
    except OSError as error:
        return f"{host}:{port}: {(error.strerror or str(error)).lower()}"
    return None


def reason(error: Exception, log: Path) -> str:
    """Why a session did not start, in one line: the last error in the log, else that of PySpark."""
    lines = log.read_text("utf-8", "replace").splitlines() if log.exists() else []
    lines = [match[1].strip() for line in lines if (match := FATAL.search(line))]
    return (lines[-1] if lines else str(error).strip().splitlines()[0])[:200]
