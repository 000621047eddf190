"""The names in printed text have the words that their author gave them."""

from __future__ import annotations

from everystate import check
from everystate.checker import Array, Constant, Int, Record, Spec, action, invariant
from everystate.checker.results.plain import show_changed
from everystate.checker.results.report import summary
from everystate.checker.results.text import render


class Parcel(Record):
    """What a courier carries.

    Not printed: the first paragraph is enough.
    """

    weight = Int(0, 3)


class Plain(Record):
    heavy = Int(0, 1)


class Courier(Spec):
    load = Constant(1, "the weight of a parcel")
    names = Constant("", "who sends")

    def variables(self) -> None:
        self.parcel = Array(2, Parcel)
        self.plain = Plain.of(heavy=Int(0, 1))

    @action
    def take(self) -> None:
        self.parcel[0].weight = self.load
        self.plain.heavy = 1

    @invariant
    def light(self) -> bool:
        """nothing is heavy"""
        return self.plain.heavy == 0 or self.parcel[0].weight == 0


def test_a_record_in_a_witness_has_the_sentence_of_its_class() -> None:
    """Plain has none."""
    found = render(check(Courier()).trace(), detail="normal").splitlines()
    assert found[found.index("light is false in the last state:") + 1 :] == [
        "  parcel = [Parcel(weight=1), Parcel(weight=0)]",
        "  plain  = Plain(heavy=1)",
        "  Parcel: What a courier carries.",
    ]


def test_a_constant_with_several_words_is_in_quotation_marks() -> None:
    assert show_changed(Courier(names="Ann, Bob", load=2).constants) == "load=2, names='Ann, Bob'"
    assert show_changed(Courier(names="Ann").constants) == "names=Ann"


def test_the_long_report_says_what_the_constants_mean() -> None:
    result = check(Courier(load=2)).result
    assert "load: the weight of a parcel" in summary(result, detail="full")
    assert "the weight of a parcel" not in summary(result)
