"""Constants of TLA+ on the command line, in Python and in imported specs; the counts are those of TLC 2.15."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from everystate import check, load
from everystate.checker.cli.main import main
from everystate.checker.errors import EverystateError

MODELS = Path(__file__).parent / "models"
SEATS = {
    (): (27, 37, 5),
    ("Seats=4", "Changes=2"): (77, 113, 7),
    ("People={ann, bob, cem}",): (88, 142, 6),
}


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python spec of a module, as `import` writes it."""
    file = tmp_path_factory.mktemp("imported") / "seats.py"
    assert main(["import", str(MODELS / "Seats.tla"), "-o", str(file)]) == 0
    return file


def checked(target: str, constants: tuple[str, ...], folder: Path) -> tuple[int, int, int]:
    """The distinct and generated states and the depth that `check` reports."""
    report = folder / "report.json"
    main(["check", target, "--json", str(report), "--quiet", *(word for c in constants for word in ("-c", c))])
    data = json.loads(report.read_text())
    return data["distinct"], data["generated"], data["depth"]


@pytest.mark.parametrize("constants", SEATS)
def test_the_values_replace_those_of_the_configuration(constants: tuple[str, ...], tmp_path: Path) -> None:
    assert checked(str(MODELS / "Seats.tla"), constants, tmp_path) == SEATS[constants]


def test_an_imported_number_is_a_constant(imported: Path, tmp_path: Path) -> None:
    text = imported.read_text()
    assert "Seats = Constant(3)" in text and "People = (" in text  # a set of names stays what it is
    assert checked(str(imported), ("Seats=4", "Changes=2"), tmp_path) == SEATS["Seats=4", "Changes=2"]
    with pytest.raises(EverystateError, match="E112"):
        load(str(imported), constants={"Seats": 0})


def test_an_imported_producer_has_the_counts_of_its_module(tmp_path: Path) -> None:
    file, given = tmp_path / "producer.py", ("Batches=4", "MaxSends=2")
    assert main(["import", str(MODELS / "idem_producer.tla"), "-o", str(file)]) == 0
    for target in (file, MODELS / "idem_producer.tla"):
        assert checked(str(target), given, tmp_path) == (455, 801, 20)


@pytest.mark.parametrize(
    "line",
    [
        "Rises == x < 2 \\/ N > 4",
        "Rises == x < N \\div 2",
        "Rises == x < (IF N > 3 THEN N ELSE 3)",
        "Rises == x < N * N",
    ],
)
def test_what_is_decided_by_a_number_keeps_it(line: str, tmp_path: Path) -> None:
    module = tmp_path / "Up.tla"
    head = "---- MODULE Up ----\nEXTENDS Naturals\nCONSTANT N\nVARIABLE x\nTypeOK == x \\in 0 .. N\nInit == x = 0\n"
    module.write_text(f"{head}Next == x' = (x + 1) % (N + 1)\n{line}\n====\n")
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nCONSTANT N = 2\nINVARIANTS TypeOK Rises\n")
    assert main(["import", str(module), "-o", str(tmp_path / "up.py")]) == 0
    assert "Constant" not in (tmp_path / "up.py").read_text()


def test_in_python_and_without_a_configuration(tmp_path: Path) -> None:
    found = check(load(str(MODELS / "Seats.tla"), constants={"Seats": 4, "Changes": 2}))
    assert (found.distinct, found.generated) == (77, 113)
    assert (found.result.constants["Seats"], found.result.constants["People"]) == (4, "{ann, bob}")
    module = tmp_path / "Seats.tla"
    module.write_text((MODELS / "Seats.tla").read_text())
    given = {"Seats": 3, "People": "{ann, bob}", "Nobody": "Nobody", "Changes": 1}
    assert check(load(str(module), constants=given), deadlock=False).distinct == 27


def test_a_trace_remembers_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = str(MODELS / "Seats.tla")
    assert main(["check", target, "-c", "People={ann, bob, cem}", "--out", str(tmp_path), "--quiet"]) == 12
    [trace] = tmp_path.glob("*.json")
    capsys.readouterr()
    assert main(["explain", str(trace)]) == 0
    assert "Seats  = 4  instead of 3" in capsys.readouterr().out
    assert main(["show", str(trace)]) == 0
    assert "with People={ann, bob, cem}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Chairs=3", "E107: Seats has no constant 'Chairs'"),
        ("Seats=many", "E108: constant Seats of Seats must be a whole number"),
        ("People={ann", "`{ann` is no value of a constant"),
        ("Seats=0", "the assumption is false"),
    ],
)
def test_what_is_no_value_is_an_error(given: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(MODELS / "Seats.tla"), "-c", given]) == 150
    assert message in capsys.readouterr().err
    if given.startswith("Chairs"):
        with pytest.raises(EverystateError, match="E107"):
            load(str(MODELS / "Seats.tla"), constants={"Chairs": 3})
