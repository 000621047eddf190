"""The rules of Kafka as data: every id that is cited exists, and every rule names methods of its model that exist."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

import everystate.model
import everystate.model.drain
import everystate.model.transactions
from everystate.model.conformance.drain.rules import RULES as SEEN_OF_THE_DRAIN
from everystate.model.conformance.rules import ARGUED, RULES
from everystate.model.conformance.transactions.coordinator_rules import SHOWN
from everystate.model.rules import CITED, Page, Rule, find, pages, rules
from tests.docs import rule_pages

ROOT = Path(__file__).resolve().parents[2]
HOMES = {
    "producer": everystate.model,
    "drain": everystate.model.drain,
    "transactions": everystate.model.transactions,
}
TREES = ("model", "specs", "docs", "tests", "bench", "checker", "counterexamples")
UNKNOWN = {"B4.9"}
"""What no rule is called, for the error of `everystate rules`."""
PLAYED = {"B1.1", "B1.2", "B1.3", "B6.1", "B6.3", "B6.4", "B6.5", "B7"}
"""Rules whose effect is counted on walks although no class of Kafka shows it: brokers are played there."""


def methods_of(page: Page) -> set[str]:
    """All class members of a model, as Class.member."""
    package = HOMES[page.name]
    modules = [importlib.import_module(f"{package.__name__}.{m.name}") for m in pkgutil.iter_modules(package.__path__)]
    return {
        f"{name}.{member}"
        for module in modules
        for name, found in vars(module).items()
        if isinstance(found, type) and found.__module__ == module.__name__
        for member in dir(found)
    }


def test_ids_are_unique_and_in_order() -> None:
    ids = [rule.id for page in pages() for rule in page.rules]
    assert [len(page.rules) for page in pages()] == [112, 20, 105]
    assert len(set(ids)) == len(ids)
    assert all(CITED.fullmatch(name) for name in ids)
    for page in pages():
        keys = [(name[0], *map(int, name[1:].split("."))) for name in (rule.id for rule in page.rules)]
        assert keys == sorted(keys)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_method_of_the_model_exists(page: Page) -> None:
    cited = {method for rule in page.rules for method in rule.model}
    cited |= set(re.findall(r"`([A-Z]\w+\.\w+)`", " ".join(rule.note for rule in page.rules)))
    assert cited - methods_of(page) == set()


def test_a_rule_without_a_method_says_that_it_is_not_modelled() -> None:
    silent = [rule.id for rule in rules().values() if not rule.model and not rule.note.startswith("Not modelled")]
    assert silent == []


def test_every_id_that_is_cited_is_a_rule() -> None:
    suffixes = (".py", ".md", ".toml", ".html")
    files = [path for tree in TREES for path in (ROOT / tree).rglob("*") if path.suffix in suffixes]
    files += [*ROOT.glob("*.md")]
    unknown = {}
    for path in files:
        if ids := {name for name in CITED.findall(path.read_text("utf-8")) if not find(name)} - UNKNOWN:
            unknown[str(path.relative_to(ROOT))] = sorted(ids)
    assert len(files) > 500
    assert unknown == {}


def test_a_page_that_cites_a_rule_leads_to_the_rules() -> None:
    pages = {path.name: path.read_text("utf-8") for path in (ROOT / "docs").rglob("*.md")}
    alone = [name for name, text in pages.items() if any(map(find, CITED.findall(text))) and "rules-" not in text]
    assert alone == []


def test_evidence_is_what_the_drivers_count() -> None:
    driven = {rule.id for rule in rules().values() if rule.driven}
    counted = {name.partition(" ")[0] for name in RULES}
    assert counted - driven == PLAYED
    assert {name for name, why in ARGUED.items() if re.search(r"counted as \w", why)} - driven == {"B6.2", "B6.6"}
    assert set(SEEN_OF_THE_DRAIN) - driven == set()


def test_what_a_walk_counts_is_a_rule() -> None:
    """A report prints the sentence of each rule that it counts."""
    counted = {name.partition(" ")[0] for name in (*RULES, *SEEN_OF_THE_DRAIN, *SHOWN)}
    assert counted - set(rules()) == set()


def test_pages_are_written_from_the_rules() -> None:
    if os.environ.get("UPDATE_TRANSCRIPTS"):
        rule_pages.write()
    again = "UPDATE_TRANSCRIPTS=1 pytest tests/model/test_rules.py writes it anew"
    for page in pages():
        assert (ROOT / rule_pages.path_of(page)).read_text("utf-8") == rule_pages.text_of(page), again


def test_a_prefix_finds_what_is_below_it() -> None:
    def ids(found: list[Rule]) -> list[str]:
        return [rule.id for rule in found]

    assert ids(find("b3")) == ["B3"]
    assert ids(find("C1"))[:2] == ["C1", "C1.1"] and "C10" not in ids(find("C1"))
    assert ids(find("T8")) == ["T8.1", "T8.2", "T8.3", "T8.4"]
    assert len(find("K")) == 7
    assert find("B4.9") == []


def test_words_of_the_data_are_plain() -> None:
    """No sentence of a rule is longer than a reader can hold."""
    long = {
        rule.id: len(sentence.split())
        for rule in rules().values()
        for sentence in re.split(r"(?<=[.;:]) ", rule.says)
        if len(sentence.split()) > 25
    }
    assert long == {}
