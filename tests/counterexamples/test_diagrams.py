"""Diagrams: what is on them, and that nothing on them overlaps."""

from __future__ import annotations

import itertools
import xml.etree.ElementTree as ET

import pytest

from everystate.checker.results.plain_trace import PlainTrace, plain_trace_of
from everystate.checker.results.trace import Trace
from everystate.counterexamples import diagram_of, svg
from everystate.counterexamples.diagram import ending
from everystate.counterexamples.layout import arrange
from everystate.counterexamples.messages import MARK, Message, Note
from everystate.counterexamples.text_width import balanced, width, wrap
from tests.selection import quick

from .sample_traces import message, note, plain, three_brokers, trace

NAMES = [
    "idem-producer/unsafe",
    "window/3-in-flight-2-remembered",
    "die-hard",
    "hanoi",
    "tcommit",
    "current/unclean-election",
]
SVG = "{http://www.w3.org/2000/svg}"


def told(name: str) -> Trace | PlainTrace:
    return three_brokers(60) if name == "three brokers" else trace(name)


@pytest.mark.parametrize("name", quick(("idem-producer/unsafe", "hanoi", "tcommit"), [*NAMES, "three brokers"]))
def test_no_text_overlaps_another_nor_leaves_the_page(name: str) -> None:
    layout = arrange(diagram_of(told(name)))
    assert layout.title is not None
    boxes = [layout.title, *layout.boxes, *([layout.subtitle] if layout.subtitle else [])]
    boxes += [layout.broken] if layout.broken else []
    for box in boxes:
        assert box.x >= 4 and box.right <= layout.width - 4
        assert box.y >= 4 and box.bottom <= layout.height - 4
    for a, b in itertools.combinations(boxes, 2):
        assert a.right <= b.x or b.right <= a.x or a.bottom <= b.y or b.bottom <= a.y, (a, b)


@pytest.mark.parametrize("name", quick(("idem-producer/unsafe", "hanoi", "tcommit"), [*NAMES, "three brokers"]))
def test_svg_is_well_formed_and_needs_nothing_from_elsewhere(name: str) -> None:
    text = svg(diagram_of(told(name)))
    root = ET.fromstring(text)
    assert root.tag == f"{SVG}svg" and root.find(f"{SVG}title") is not None
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert not root.findall(f".//{SVG}script") and not root.findall(f".//{SVG}image")


def test_sixty_steps_with_three_brokers_stay_at_a_readable_width() -> None:
    assert arrange(diagram_of(three_brokers(60))).width <= 1100


def test_the_last_step_is_marked_and_says_what_is_broken() -> None:
    diagram = diagram_of(trace("idem-producer/unsafe"))
    assert diagram.lanes == ("producer", "broker")
    assert diagram.broken[0] == "Invariant NoDup violated: record b0 is in the log at offsets 0 and 6"
    assert 'class="broken"' in svg(diagram) and 'class="culprit"' in svg(diagram)


def test_a_message_ends_where_its_receiver_speaks_of_it() -> None:
    diagram = diagram_of(
        plain(
            message("append b0", "p", "q"),
            message("append b1", "p", "q"),
            note("b1 is refused", "q"),
            note("b0 is written", "q"),
        )
    )
    assert [row.end for row in diagram.rows if isinstance(row, Message)] == [3, 2]


def test_a_message_that_is_never_handled_dies_with_its_connection() -> None:
    lost = message("connection lost", "p", "q", lost=True)
    diagram = diagram_of(plain(message("append b0", "p", "q"), lost, message("append b0", "p", "q")))
    first, _, again = diagram.rows
    assert isinstance(first, Message) and first.dropped and first.end == 1
    assert isinstance(again, Message) and again.end is None


def test_a_late_message_crosses_the_loss_of_its_connection() -> None:
    lost = message("connection lost", "p", "q", lost=True)
    diagram = diagram_of(plain(message("append b0", "p", "q"), lost, note("b0 is executed late", "q")))
    first = diagram.rows[0]
    assert isinstance(first, Message) and not first.dropped and first.end == 2


def test_a_late_message_is_executed_although_it_was_sent_again() -> None:
    lost = message("connection lost", "p", "q", lost=True)
    again, refused = message("append b0", "p", "q"), note("b0 is refused", "q")
    late = note("b0 of the closed connection is executed", "q")
    diagram = diagram_of(plain(again, lost, again, refused, late, note("b0 is written", "q")))
    sent = [row for row in diagram.rows if isinstance(row, Message) and not row.lost]
    assert [(row.end, row.dropped) for row in sent] == [(4, False), (3, False)]


def test_a_message_that_nobody_mentions_is_open_where_others_are_handled() -> None:
    diagram = diagram_of(
        plain(message("append b0", "p", "q"), note("b0 is written", "q"), message("ok for b0", "q", "p"))
    )
    handled, _, answer = diagram.rows
    assert isinstance(handled, Message) and (handled.end, handled.open) == (1, False)
    assert isinstance(answer, Message) and (answer.end, answer.open) == (None, True)


def test_lost_answers_of_the_peer_model_end_in_crosses() -> None:
    diagram = diagram_of(trace("idem-producer/unsafe"))
    answers = [row for row in diagram.rows if isinstance(row, Message) and row.source == "broker"]
    assert [row.text for row in answers if row.dropped] == [f"answer to b{n}: ok" for n in range(6)]
    loss = diagram.rows[next(row.end for row in answers if row.end is not None)]
    assert isinstance(loss, Message) and (loss.text, loss.step) == ("connection lost", 13)
    assert [row.text for row in answers if row.open] == ["answer to b0: ok"]


def test_the_end_of_a_trace_keeps_its_numbers_and_what_is_wrong_with_the_whole() -> None:
    found = trace("idem-producer/unsafe")
    part = ending(found, 3)
    assert sorted({row.step for row in part.rows}) == [16, 17, 18]
    assert part.broken == diagram_of(found).broken
    assert ending(found, 18) == diagram_of(found)
    assert arrange(part, titled=False, width=520).width == 520


@pytest.mark.thorough
def test_a_late_answer_crosses_the_messages_that_were_sent_meanwhile() -> None:
    diagram = diagram_of(trace("current/two-clean-leader-changes"))
    late = [row for row in diagram.rows if isinstance(row, Message) and row.text == "NOT_LEADER_OR_FOLLOWER for b0"]
    assert [(row.step, row.end is not None and diagram.rows[row.end].step) for row in late] == [(3, 9)]


@pytest.mark.thorough
def test_a_promise_of_kafka_is_broken_in_words() -> None:
    broken = diagram_of(trace("current/unclean-election")).broken
    assert broken[0] == "Invariant AckedIsPersisted violated: b0 is acknowledged, but not in the log"


def test_lines_of_a_text_are_of_about_equal_length() -> None:
    assert balanced("restarts cleanly; knows seq 2 of epoch 0", 13, 250) == [
        "restarts cleanly; knows",
        "seq 2 of epoch 0",
    ]
    assert balanced("one line", 13, 250) == ["one line"]


def test_a_timeout_is_a_mark_and_no_answer() -> None:
    diagram = diagram_of(plain(message("ok b0", "q", "p"), note("the delivery timeout of b0 passes", "p")))
    answer, timeout = diagram.rows
    assert isinstance(answer, Message) and answer.end is None
    assert isinstance(timeout, Note) and timeout.kind == MARK


def test_brokers_stand_in_the_order_of_their_numbers() -> None:
    diagram = diagram_of(plain(message("x", "producer", "broker 2"), note("y", "broker 0"), note("z", "controller")))
    assert diagram.lanes == ("producer", "broker 0", "broker 2", "controller")


def test_a_spec_that_does_not_narrate_shows_actions_and_changes() -> None:
    diagram = diagram_of(trace("die-hard"))
    assert diagram.lanes == ()
    assert [row.text for row in diagram.rows[:2]] == ["fill_big()", "big: 0 -> 5"]


def test_long_words_are_cut_behind_an_underscore() -> None:
    assert wrap("OUT_OF_ORDER_SEQUENCE_NUMBER", 13, 150) == ["OUT_OF_ORDER_", "SEQUENCE_NUMBER"]
    assert all(width(line, 13) <= 90 for line in wrap("abcdefghijklmnopqrstuvwxyz" * 2, 13, 90))


def test_a_behaviour_that_breaks_nothing_has_no_red_box() -> None:
    assert "culprit" not in svg(diagram_of(plain(note("all is well", "p")))).partition("</style>")[2]


def test_a_story_and_its_trace_give_the_same_picture() -> None:
    found = trace("tcommit")
    assert svg(diagram_of(found)) == svg(diagram_of(plain_trace_of(found)))
