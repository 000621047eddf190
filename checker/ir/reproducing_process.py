"""In another process: a spec is made and traced once more, and what it is goes back as plain data.

So it is with the order of plain sets that the seed of the process gives, and in processes that are forked from it with
orders that are chosen.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import pickle
import sys
import threading
from dataclasses import replace
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any, BinaryIO

from ..border.nondeterminism import answer_otherwise
from ..errors import WRITTEN, EverystateError
from ..language.spec import Spec
from .chosen_orders import Orders
from .model import traced
from .portable import portable
from .reproducibility import PLACES, Answer, differences, named

ENOUGH = 400_000
"""Terms and nodes of what was traced in orders that were chosen."""


def answer(given: dict[str, Any]) -> None:
    """Trace a spec that another process has described, and tell it the result."""
    asking, out = os.dup(0), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # what reads there would wait for who has asked
    os.dup2(2, 1)
    WRITTEN.update(given["written"])
    if given["told"] is not None:
        answer_otherwise(*given["told"])
    turned, parts = _in_chosen_orders(given, asking, out)
    threading.Thread(target=_until_alone, args=(asking,), daemon=True).start()
    told = pickle.dumps(replace(_traced(given), turned=turned, parts=parts))
    out.write(told)
    out.flush()
    os._exit(0)


def _until_alone(asking: int) -> None:
    """End when whoever has asked is gone."""
    while os.read(asking, 1):
        pass
    os._exit(1)


def _in_chosen_orders(given: dict[str, Any], asking: int, out: BinaryIO) -> tuple[Answer | None, tuple[str, ...]]:
    """What a spec is in the first order that is this process's to choose, and in what it differs in the others.

    They end where the largest set has stood in all, or where this process has traced enough; or with the first one in
    which it cannot be made, which nobody can compare. Several processes share the orders, unless elements stand in
    another one in each of them.
    """
    first, parts = None, list[str]()
    mine = given["turns"]
    largest, size, tied = len(mine) and mine.start + 1, 0, False
    for by in (*mine, *(by for by in range(PLACES if mine else 0) if by not in mine)):
        if by < largest and (tied or by in mine) and size < ENOUGH and hasattr(os, "fork"):
            answer, largest, differs = _forked(given, by, asking, out)
            tied = tied or differs
            if answer.failed:
                return answer, tuple(dict.fromkeys(parts))
            parts += [] if first is None else differences([first, answer])
            first = first or answer
            size += len(answer.made.terms) + len(answer.made.nodes) if answer.made is not None else 0
    return first, tuple(dict.fromkeys(parts))


def _forked(given: dict[str, Any], by: int, asking: int, held: BinaryIO) -> tuple[Answer, int, bool]:
    """(what a spec is where plain sets are turned, how many elements the largest one has that it went through, whether
    some stand in an order that is this process's own).

    Who hears this process would wait for its child, too, if that held what this one writes to.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        held.close()
        orders = Orders(by)
        orders.install()
        threading.Thread(target=_until_alone, args=(asking,), daemon=True).start()
        told = pickle.dumps((_traced(given), orders.largest, orders.tied))
        with open(writing, "wb") as out:
            out.write(told)
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as answer:
        told = answer.read()
    os.waitpid(child, 0)
    return pickle.loads(told) if told else (Answer(failed="it ended without an answer"), 0, False)


def _traced(given: dict[str, Any]) -> Answer:
    try:
        shifted = _shift(given["seed"])
        cls = named(_module(given), given["class"])
        spec: Spec = cls(**pickle.loads(given["constants"]))
        made = portable(traced(spec))
        del shifted
        return Answer(made)
    except EverystateError as error:
        return Answer(refused=f"{error.code}: {error.what}")
    except BaseException as error:
        return Answer(failed=f"another process could not make it: {type(error).__name__}: {error}")


def _shift(seed: int) -> list[Any]:
    """Objects of many sizes, so that those that follow have other addresses, on which the order of classes hangs."""
    return [bytearray(size) for size in range(16, 4096, 16) for _ in range(seed % 8)] + [bytearray(16 * seed)]


def _module(given: dict[str, Any]) -> ModuleType:
    name, path = given["module"], given["file"]
    name = "__mp_main__" if name == "__main__" else name
    for outer, folders in given["outer"]:
        if _found(outer) is None:  # as pytest may import it
            sys.modules[outer] = ModuleType(outer)
            sys.modules[outer].__path__ = folders
    if _found(name) == path:
        return importlib.import_module(name)
    folder = [os.path.dirname(path)] if given["package"] else None
    loader = SourceFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=folder)
    assert spec is not None and spec.loader is not None, "there is a loader"
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    if name == "__mp_main__":
        sys.modules["__main__"] = module
    spec.loader.exec_module(module)
    return module


def _found(name: str) -> str | None:
    """The file of a module that can be imported; "" where a package has none."""
    try:
        found = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if found is not None and not found.origin:
        return ""
    return os.path.abspath(found.origin) if found is not None and found.origin else None
