"""The code of a function as text: equal texts do the same with the same globals, and mention the same names."""

from __future__ import annotations

import dis
import functools
from collections.abc import Iterator
from types import CodeType
from typing import Any

GLOBAL = {
    dis.opmap[name]: shift
    for name, shift in {"LOAD_GLOBAL": 1, "LOAD_NAME": 0, "LOAD_FROM_DICT_OR_GLOBALS": 0}.items()
    if name in dis.opmap
}
"""Instructions that read a global name, with the bits of their number that say something else."""
IMPORT = dis.opmap["IMPORT_NAME"]

Text = tuple[str, tuple[str, ...], frozenset[str], tuple[str, ...]]


@functools.lru_cache(maxsize=1 << 14)
def written(code: CodeType) -> Text:
    """What some code says, and the code inside it: text, the globals it reads, all names in it, what it imports."""
    parts = [f"{code.co_filename} {code.co_firstlineno} {code.co_flags}"]
    parts += code.co_code.hex(), code.co_exceptiontable.hex()
    parts.append(" ".join((*code.co_varnames, "|", *code.co_names, "|", *code.co_freevars, "|", *code.co_cellvars)))
    read, names = {*_read(code)}, {*code.co_names}
    imports = _imports(code) if IMPORT in code.co_code[::2] else []
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            text, more, mentioned, imported = written(inner)
            parts.append(f"({text})")
            read.update(more)
            names |= mentioned
            imports += imported
        else:
            parts.append(_constant(inner))
            names.update([inner] if isinstance(inner, str) and inner.isidentifier() else [])
    return "\n".join(parts), tuple(sorted(read)), frozenset(names), tuple(imports)


def _read(code: CodeType) -> Iterator[str]:
    """The global names that some code reads."""
    steps, given = code.co_code[::2], code.co_code[1::2]
    for opcode, shift in GLOBAL.items():
        k = steps.find(opcode)
        while k >= 0:
            number, before, place = given[k], k - 1, 8
            while before >= 0 and steps[before] == dis.EXTENDED_ARG:
                number |= given[before] << place
                before, place = before - 1, place + 8
            yield code.co_names[number >> shift]
            k = steps.find(opcode, k + 1)


def _constant(value: Any) -> str:
    """A constant of some code: equal text means the same value, in another order of hashes, too."""
    if isinstance(value, frozenset):
        return f"frozenset {sorted(map(_constant, value))}"
    return f"({', '.join(map(_constant, value))})" if isinstance(value, tuple) else repr(value)


def _imports(code: CodeType) -> list[str]:
    """The modules that the instructions of some code import; a relative name begins with a dot."""
    steps = [*dis.get_instructions(code)]
    places = [k for k, step in enumerate(steps) if step.opname == "IMPORT_NAME"]
    return ["." * int(steps[k - 2].argval or 0) + str(steps[k].argval) for k in places]
