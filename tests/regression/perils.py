"""Specs whose making goes wrong. A module of its own, since processes must be able to import it."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from everystate.checker.language.spec import Spec
from everystate.specs.classics.hour_clock import HourClock


def load(target: str, constants: dict[str, Any]) -> Spec:
    """A spec whose making kills its process, or takes for ever; else a clock."""
    if target == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if target == "sleeps":
        time.sleep(600)
    return HourClock()
