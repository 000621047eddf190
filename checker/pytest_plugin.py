"""The pytest plugin: `check(Spec(constant=...))` with assertions about verdicts, and matrix files as tests.

    from everystate.checker.pytest_plugin import check

    def test_five_in_flight_is_safe():
        check(Producer(max_in_flight=5)).assert_proved(distinct=1_813)

    def test_six_are_not():
        check(Producer(max_in_flight=6)).assert_violates("NoDuplicate", steps=18)

What `check` takes and finds is what `everystate.check` takes and finds; `checked` is that result, with its states and
its graph. Here a full search on machine code takes the result of an equal one that was made before.

A file called *matrix.toml among the arguments of pytest (or matched by `everystate_matrix` in its
configuration) is collected: each of its variants is a test.

Where a spec names the real thing, its counterexamples are driven there, too:

        check(KafkaProducer(replicas=1, clean_restarts=1)).assert_conforms("4.4.0")

A variant of a matrix that says `conform`, or every variant where pytest's configuration has `everystate_conform`
(releases, or `newest`), is a second test. It is skipped, with the reason, where the real thing cannot be had.

A failing check prints the narrated trace and leaves it as an HTML page: in the folder `everystate_reports` of
pytest's configuration, else in the folder `everystate` of pytest's temporary files. It says where.

PYTEST_DONT_REWRITE: code of Everystate that is not what its file says is taken for somebody's own.
"""

from __future__ import annotations

import fnmatch
import os
import re
import sys
import warnings
from collections.abc import Generator, Iterator
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import pytest

from .errors import below_here
from .language.methods import function_of
from .results.verdict import Kind

if TYPE_CHECKING:
    from .api.checked import Checked as Found
    from .api.shown import Counterexample
    from .language.spec import Spec
    from .regression.matrix.variants import Variant
    from .regression.runners.outcome import Outcome
    from .results.result import Result

PLACE: ContextVar[Path | None] = ContextVar("everystate_place", default=None)
"""Where the pages of the test that runs belong: a folder and the beginning of their names."""


class Checked:
    """A checked spec with assertions, which raise with the narrated trace; `checked` has everything that was found."""

    __tracebackhide__ = True

    def __init__(self, checked: Found) -> None:
        self.checked = checked

    @property
    def result(self) -> Result:
        """Every number of it."""
        return self.checked.result

    @property
    def spec(self) -> Spec:
        """The spec with its constants."""
        return self.checked.spec

    def assert_proved(self, *names: str, distinct: int | None = None, generated: int | None = None) -> Checked:
        """All properties hold (or the named ones), in exactly so many states if that is said."""
        __tracebackhide__ = True
        violated, unjudged = {v.property for v in self.result.violations}, self.result.conditions.unjudged
        if not names:
            self._require(self.checked.proved, "not proved")
        for name in names:
            self._known(name)
            self._require(name not in violated, f"{name} is violated", name)
            self._require(self._visited_all and name not in unjudged, f"{name} is not decided")
        return self._counts(distinct, generated)

    @property
    def _visited_all(self) -> bool:
        return not self.result.stopped and self.result.engine != "z3"

    def assert_violates(
        self, name: str, steps: int | None = None, distinct: int | None = None, generated: int | None = None
    ) -> Checked:
        """A property fails, after exactly so many steps if that is said."""
        __tracebackhide__ = True
        self._known(name)
        found = next((v for v in self.result.violations if v.property == name), None)
        self._require(found is not None, f"{name} is not violated")
        assert found is not None
        self._require(steps in (None, found.length), f"{name} violated after {found.length} steps, not {steps}", name)
        return self._counts(distinct, generated)

    def assert_conforms(self, *releases: str, **wish: Any) -> Checked:
        """The real thing does what its counterexamples say, and so many random `walks` (of `steps`, by `seed`)."""
        __tracebackhide__ = True
        from .regression.matrix.variants import Conform, Variant

        cls = type(self.spec)
        target = f"{cls.__module__}:{cls.__qualname__}"
        variant = Variant(cls.__name__, target, constants=self.spec.constants, conform=Conform(releases, **wish))
        _conforms(variant)
        return self

    def _counts(self, distinct: int | None, generated: int | None) -> Checked:
        __tracebackhide__ = True
        for kind, expected, found in (
            ("distinct", distinct, self.result.distinct),
            ("generated", generated, self.result.generated),
        ):
            self._require(expected in (None, found), f"{found:,} {kind} states, not {expected or 0:,}")
        return self

    def _known(self, name: str) -> None:
        __tracebackhide__ = True
        known = [*self.result.checked, "error"]
        if name not in known:
            pytest.fail(f"{self.result.target} has no property {name!r}; it has {', '.join(known)}", pytrace=False)

    def _require(self, held: bool, what: str, name: str = "") -> None:
        __tracebackhide__ = True
        if not held:
            said = [f"{_caller()}: {what}", self.result.statement, *self._places(name), *self._causes(name), ""]
            pytest.fail("\n".join([*said, self.trace(name)]).rstrip(), pytrace=False)

    def _places(self, name: str) -> list[str]:
        """Where the violated properties are written."""
        failed = [v.property for v in self.result.violations if name in ("", v.property)]
        made = {found: function_of(getattr(type(self.spec), found, None)) for found in failed}
        codes = {found: function.__code__ for found, function in made.items() if isinstance(function, FunctionType)}
        return [f"  {found}: {below_here(code.co_filename)}:{code.co_firstlineno}" for found, code in codes.items()]

    def _causes(self, name: str) -> list[str]:
        """Why a reachability property may not be reached: what the search warns about."""
        unreached = any(v.kind is Kind.UNREACHED and name in ("", v.property) for v in self.result.violations)
        return [f"  {warning}" for warning in self.result.warnings] if unreached else []

    def trace(self, name: str = "") -> str:
        """The narrated trace of a property, or of the first violation, and where it is as a page."""
        for found in self.checked.violations:
            if found.trace is not None and name in ("", found.property):
                return f"{found.trace}\n\n{page(found.property, found.trace)}"
        return ""


def _caller() -> str:
    """The file and line of the assertion."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"{below_here(frame.f_code.co_filename)}:{frame.f_lineno}"


def check(spec: type[Spec] | Spec, *, cache: bool = True, **settings: Any) -> Checked:
    """Visit every reachable state of a spec; the settings are those of `everystate.check`."""
    from .api.checking import check

    full = settings.get("engine", "auto") in ("auto", "native")
    checked = check(spec, cache=cache and full, **settings)
    for note in checked.result.vacuous:
        warnings.warn(pytest.PytestWarning(f"{checked.result.target}: {note}"), stacklevel=2)
    return Checked(checked)


def _conforms(variant: Variant, blanket: bool = False) -> None:
    """Hold a variant against the real thing: fails at a difference, skips with the reason where that cannot be had.

    `blanket`: nobody has asked for this variant by itself, so what cannot be driven is skipped, too.
    """
    __tracebackhide__ = True
    from .cli.sweeps import load
    from .language.conformance import NOT_JUDGED, NOTHING
    from .regression.matrix.conformance import hold, wrong

    assert variant.conform is not None
    answers = hold([variant], load)[variant.name]
    open_ = [a for a in answers if a.missing or (blanket and a.verdict in (NOT_JUDGED, NOTHING))]
    said = [(wrong(a, variant.conform.expect), a.trace) for a in answers if a not in open_]
    found = [f"{why}\n\n{trace}".rstrip() for why, trace in said if why]
    if found:
        pytest.fail("\n\n".join(found), pytrace=False)
    if open_:
        pytest.skip("; ".join(f"{answer.against}: {answer.statement}" for answer in open_))


def page(name: str, trace: Counterexample) -> str:
    """Write a counterexample as an HTML page; a line that says where it is, "" where no test runs."""
    place = PLACE.get()
    if place is None:
        return ""
    path = place.with_name(f"{place.name}-{_safe(name)}.html")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        trace.save(path)
    except OSError as error:
        return f"the page {path} cannot be written: {error.strerror}"
    return f"the counterexample as a page: {path}"


def _safe(text: str) -> str:
    return re.sub(r"[^\w.-]+", "-", text).strip("-")[-120:]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """While a test runs, its checks know where their pages belong."""
    folder: Path | None = None
    given: str = item.config.getini("everystate_reports")
    temporary = getattr(item.config, "_tmp_path_factory", None)
    if given:
        folder = item.config.rootpath / given
    elif temporary is not None:
        folder = temporary.getbasetemp() / "everystate"
    before = PLACE.set(folder / _safe(item.nodeid) if folder else None)
    try:
        return (yield)
    finally:
        PLACE.reset(before)


# -- matrix files as tests ---------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    """The settings of the plugin."""
    parser.addini("everystate_matrix", "patterns of matrix files that are collected", "args", ["*matrix.toml"])
    parser.addini(
        "everystate_conform", "releases on which every variant is driven, too; newest: the newest", "args", []
    )
    parser.addini("everystate_reports", "the folder for pages of counterexamples", "string", "")
    group = parser.getgroup("everystate")
    group.addoption("--everystate-tag", default="", metavar="TAG", help="only the variants with this tag")
    group.addoption("--everystate-no-cache", action="store_true", help="check every variant anew")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A matrix file, if it is one; a file of another tool that has such a name is skipped with a warning.

    A file that the command line of pytest names is taken for a matrix in any case.
    """
    patterns: list[str] = parent.config.getini("everystate_matrix")
    if file_path.suffix != ".toml" or not any(fnmatch.fnmatch(file_path.name, pattern) for pattern in patterns):
        return None
    from .regression.matrix.schema import is_matrix

    if not parent.session.isinitpath(file_path) and not is_matrix(file_path.read_text("utf-8", "replace")):
        reason = "no [[variant]] in it has a target, and no [[scenarios]] a match"
        parent.warn(pytest.PytestWarning(f"{file_path.name} is not a matrix of Everystate: {reason}"))
        return None
    found: pytest.Collector = MatrixFile.from_parent(parent, path=file_path)
    return found


class MatrixFile(pytest.File):
    """A matrix file; each variant is a test, marked with its tags."""

    def collect(self) -> Iterator[pytest.Item]:
        from .cli.registry import registry
        from .errors import EverystateError
        from .regression.matrix.variants import read

        tag = self.config.getoption("--everystate-tag")
        try:
            variants = read(os.path.relpath(self.path), self.path.read_text("utf-8"), registry().scenarios())
        except EverystateError as error:
            raise self.CollectError(error.explain()) from None
        for variant in variants:
            if not tag or tag in variant.tags:
                yield VariantTest.from_parent(self, name=variant.name, variant=variant)
                yield from self._driven(variant)

    def _driven(self, variant: Variant) -> Iterator[pytest.Item]:
        """A test for each release that a variant is to be held against."""
        from .regression.matrix.variants import Conform

        wish = variant.conform or Conform(tuple(self.config.getini("everystate_conform")))
        for release in wish.releases or (("newest",) if variant.conform else ()):
            asked = replace(variant, conform=replace(wish, releases=(release,)))
            yield ConformTest.from_parent(
                self, name=f"{variant.name} [conform {release}]", variant=asked, blanket=variant.conform is None
            )


class VariantTest(pytest.Item):
    """One variant."""

    def __init__(self, *, variant: Variant, **given: Any) -> None:
        super().__init__(**given)
        self.variant = variant

    def runtest(self) -> None:
        from .cli.sweeps import load
        from .regression.matrix.judge import judge
        from .regression.runners.job import run
        from .regression.runners.outcome import remarks

        row = judge(self.variant, run(self.variant.job(not self.config.getoption("--everystate-no-cache")), load))
        for remark in remarks([row.outcome]):
            self.warn(pytest.PytestWarning(remark))
        if not row.good:
            traces = [self._counterexample(cell.property, row.outcome) for cell in row.cells if cell.wrong]
            said = row.outcome.error or row.outcome.statement
            raise Unexpected("\n".join([*row.wrong, said, "", *traces]).rstrip())

    def _counterexample(self, name: str, outcome: Outcome) -> str:
        from .api.shown import Counterexample
        from .cli.sweeps import load
        from .results.itf import parse

        rendered = outcome.traces.get(name)
        if rendered is None:
            return ""
        spec = load(self.variant.target, self.variant.constants)
        trace = Counterexample(**vars(parse(rendered.itf, name).trace(spec)), spec=spec)
        return f"{rendered.text}\n{page(name, trace)}"

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What a failing variant prints."""
        return str(excinfo.value) if isinstance(excinfo.value, Unexpected) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it was written."""
        return self.path, max(0, self.variant.line - 1), self.name


class ConformTest(pytest.Item):
    """One variant on one release of the real thing."""

    def __init__(self, *, variant: Variant, blanket: bool, **given: Any) -> None:
        super().__init__(**given)
        self.variant, self.blanket = variant, blanket

    def runtest(self) -> None:
        _conforms(self.variant, self.blanket)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it was written."""
        return self.path, max(0, self.variant.line - 1), self.name


class Unexpected(Exception):
    """A variant that is not as expected, and how."""
