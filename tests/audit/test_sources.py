"""What a file is taken for: a segment, a dump as the tool or a page writes it, or other text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from everystate.model.audit.schema import Flaw
from everystate.model.audit.sources import Unit, read

from .generator import BATCHES, FORMS, dump_lines
from .reading import from_dump, gathered

LINES = {form: list(dump_lines("/data/orders-12/00000000000000000100.log", BATCHES, form)) for form in FORMS}


def of_file(path: Path, content: bytes) -> list[Any]:
    path.write_bytes(content)
    return list(read(Unit(str(path), len(content)))[1])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("indent", ["    ", "\t"])
def test_an_indented_dump_tells_what_the_dump_tells(form: str, indent: str, tmp_path: Path) -> None:
    plain = "".join(f"{line}\n" for line in LINES[form])
    indented = "".join(f"{indent}{line}\n" for line in LINES[form])
    (one,), other = from_dump(plain.encode()), gathered(iter(of_file(tmp_path / "dump.txt", indented.encode())))
    assert one.batches and (other.batches, other.headers, other.flaws) == (one.batches, one.headers, one.flaws)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("\n".join(f"{n:6}\t{line}" for n, line in enumerate(LINES["4.1"], 1)).encode(), "lines are numbered"),
        ("\n".join(f"{n}: {line}" for n, line in enumerate(LINES["4.1"], 1)).encode(), "lines are numbered"),
        ("\n".join(LINES["4.1"]).encode("utf-16"), "text in UTF-16"),
        ("un journal, été comme hiver\n".encode() * 300, "text, but no line begins with Dumping or baseOffset"),
    ],
)
def test_other_text_is_called_text(text: bytes, told: str, tmp_path: Path) -> None:
    (flaw,) = of_file(tmp_path / "dump.txt", text)
    assert isinstance(flaw, Flaw) and (flaw.kind, flaw.position, flaw.amount) == ("not-a-log", 0, len(text))
    assert told in flaw.text
