"""Following against a judge of its own: random specs, random logs, random damages.

Each log is judged by `verdict`, which shares no code with Everystate, and followed breadth first, depth first, from
a limit on, and every tenth time from the command line.
Verdict, longest prefix, states, reasons, and the behaviour that is told must be the judge's.
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from everystate.checker.cli.main import main as everystate
from everystate.checker.follow import values
from everystate.checker.follow.answer import FOLLOWS, Answer, Follower
from everystate.checker.follow.candidates import UnseenActions
from everystate.checker.follow.events import Place, event_of
from everystate.checker.follow.run import MOST
from everystate.checker.follow.sources import Order
from everystate.checker.frontend.model import build
from everystate.checker.language.state import State as Theirs
from tests.agreement.readers import load

from .damage import Event, Scribe, in_time
from .plain import Plain, State, told
from .systems import Author, outside
from .verdict import Asked, Court, Read, Verdict, advanced, text

LOGS = 8
ERROR = re.compile("fails|an error of the spec there$")
KINDS = ((True, MOST), (False, 1), (False, 3))


class Attack:
    """One random spec, and logs of it."""

    def __init__(self, seed: int, folder: Path) -> None:
        self.seed, self.dice, self.seen = seed, Random(seed), Counter[str]()
        source = Author(self.dice).source()
        self.plain, self.spec = Plain(source), load(source, folder)
        self.scribe = Scribe(self.plain, self.dice)
        self.asked = Asked(
            self.scribe.hidden, self.dice.randint(1, 3), *self.dice.choice([(False, 0.0), (True, 0.0), (True, 0.5)])
        )
        unseen, order = (
            UnseenActions(tuple(self.asked.unseen), self.asked.at_most),
            Order(self.asked.clock, self.asked.skew),
        )
        observes = {"outside": outside}
        self.follower = Follower(build(self.spec), "generated.py", unseen, order, MOST, observes)

    def run(self, logs: int = LOGS, cli: bool = False) -> None:
        for number in range(logs):
            log = self.scribe.damaged(self.scribe.log())
            parts = [log]
            if self.dice.random() < 0.5:
                parts = [each for p in range(3) if (each := [e for e in log if e["process"] == p])]
            parts = [in_time(part, self.asked.skew) for part in parts]
            if log:
                self.one(parts, cli and number == 0)

    def one(self, parts: list[list[Event]], cli: bool) -> Verdict:
        """Follow one run in every way, and compare."""
        court = Court(self.plain, parts, self.asked)
        expected = court.verdict()
        search = self.follower.search
        self.seen["FOLLOWS" if expected.whole else "DEVIATES"] += 1
        self.seen["several logs"] += len(parts) > 1
        self._compare(court, expected, self._followed(parts))
        search.first, search.limit = KINDS[self.seen.total() % 3]
        self._compare(court, expected, self._followed(parts))
        search.first, search.limit = False, MOST
        if cli:
            self._from_the_command_line(parts, expected)
        return expected

    def _followed(self, parts: Sequence[Sequence[Event]]) -> Answer:
        logs = [
            [event_of(json.loads(json.dumps(e)), Place(f"log {n}", at)) for at, e in enumerate(part, 1)]
            for n, part in enumerate(parts)
        ]
        return self.follower.follow("log", logs, last=None)

    def _compare(self, court: Court, expected: Verdict, answer: Answer) -> None:
        found = (answer.verdict == FOLLOWS, answer.events)
        assert found == (expected.whole, expected.done), f"{found}, the judge says {expected.whole, expected.done}"
        if not expected.whole:
            mine = {read: [{self._text(s) for s in states} for states in of] for read, of in expected.end.items()}
            assert self._states(answer) == mine, "other states at the end"
            assert answer.why is not None
            if answer.why.number <= 200:
                reasons = {str(r.event.place): counts(r.reasons) for r in answer.why.refused}
                assert reasons == {p: counts(r.items()) for p, r in expected.refused.items()}, (
                    f"{reasons}\n{expected.refused}"
                )
                self.seen["reasons"] += sum(map(len, reasons.values()))
        assert answer.behaviour is not None
        self._explains(court, answer)

    def _text(self, state: State) -> str:
        spec = self.plain.opened(state)
        return text({name: told(spec.__dict__[name]) for name in self.plain.domains})

    def _states(self, answer: Answer) -> dict[Read, list[set[str]]]:
        unpack, domains = self.follower.stepper.model.layout.unpack, self.spec.domains
        return {
            read: [{theirs(Theirs(domains, unpack(row.tolist()))) for row in rows} for rows in found]
            for read, found in answer.followed.end.layers.items()
        }

    def _explains(self, court: Court, answer: Answer) -> None:
        """The behaviour that is told is one, and explains so many events in an order that the logs leave open."""
        assert answer.behaviour is not None
        trace, by = answer.behaviour.trace, answer.behaviour.events
        known = {self._text(state): state for state in court.plain.initial()}
        path = [known[theirs(trace.initial)]]
        for step in trace.steps:
            ways = {
                self._text(there): there
                for number in range(len(court.plain.instances))
                for chosen, there in court.plain.steps(path[-1], number)[0]
                if there is not None and court.label(number, chosen) == step.label
            }
            path.append(ways[theirs(step.state)])
        places = {((0,) * len(court.logs), 0, 0)}
        done: set[Any] = set()
        while places:
            read, at, unseen = place = places.pop()
            done.add(place)
            new: set[Any] = set()
            if at < len(by) and by[at] is None and unseen < self.asked.at_most:
                assert trace.steps[at].action in self.asked.unseen
                new.add((read, at + 1, unseen + 1))
            for number in court.next(read):
                event, there = court.logs[number][read[number]], advanced(read, number)
                if "action" not in event:
                    if any(state == path[at] for state in court.through(path[at], event)):
                        new.add((there, at, 0))
                elif at < len(by) and path[at + 1] in set(court.through(path[at], event)):
                    mine = by[at]
                    if mine is not None and mine.place == Place(f"log {number}", read[number] + 1):
                        new.add((there, at + 1, 0))
            places |= new - done
        assert any(sum(read) == answer.events and at == len(by) for read, at, _ in done), "the behaviour explains less"

    # -- the command line ----------------------------------------------------------------------------------

    def _from_the_command_line(self, parts: list[list[Event]], expected: Verdict) -> None:
        self.seen["command line"] += 1
        spec, options = self._written()
        for old in Path().glob("log*.jsonl"):
            old.unlink()
        for number, part in enumerate(parts):
            Path(f"log {number}.jsonl").write_text("".join(json.dumps(e) + "\n" for e in part))
        Path("log.jsonl").write_text("".join(json.dumps(e) + "\n" for part in parts for e in part))
        together = [f"log {number}.jsonl" for number in range(len(parts))]
        ways = [
            [*together, "--together"],
            [*together, "--together", "--limit", "2"],
            [*together, "--together", "--first"],
        ]
        if len(parts) > 1:
            ways.append(["log.jsonl", "--split"])
        for way in ways:
            [said] = asked([spec, *way, *options])
            assert (said["verdict"] == FOLLOWS, said["events"]) == (expected.whole, expected.done), (way, said)
            if "--split" not in way:
                assert reasons(said) == wanted(expected, lambda place: place.replace(",", ".jsonl,")), way
        kept = [
            asked([spec, *together, "--together", *options, "--work", f"kept-{self.seen.total()}"]) for _ in range(2)
        ]
        assert kept[0] == kept[1] and kept[0][0]["events"] == expected.done

    def _written(self) -> tuple[str, list[str]]:
        """The spec as a file, a module of its own, and the options that say how to read its logs."""
        spec = f"spec{self.seed}.py"
        Path(spec).write_text(Path("generated.py").read_text())
        Path("words.py").write_text("from tests.follow.systems import outside\nobserves = [outside]\n")
        options = ["--map", "words.py", "--at-most", str(self.asked.at_most)]
        options += [each for name in sorted(self.asked.unseen) for each in ("--unseen", name)]
        return spec, options + (["--clock", str(self.asked.skew)] if self.asked.clock else [])


def asked(arguments: list[str]) -> Any:
    """The answers of the command line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        everystate(["follow", *arguments, "--json", "-"])
    assert out.getvalue(), err.getvalue()
    return json.loads(out.getvalue())


def reasons(said: Any) -> dict[str, dict[str, int]]:
    """Why the next events are impossible, by their places, in an answer."""
    return {r["place"]: counts((x["reason"], x["states"]) for x in r["reasons"]) for r in said["refused"]}


def wanted(expected: Verdict, place: Callable[[str], str]) -> dict[str, dict[str, int]]:
    """The same as the judge says it."""
    return {place(at): counts(each.items()) for at, each in expected.refused.items()}


def theirs(state: Theirs) -> str:
    """A state of Everystate as text."""
    return text({name: values.as_plain(value) for name, value in state.values().items()})


def counts(reasons: Iterable[tuple[str, int]]) -> dict[str, int]:
    """States by reason; of errors, which are not told apart here, only that there are some."""
    found = [(short(reason), number) for reason, number in reasons]
    return {reason: number if not ERROR.search(reason) else 1 for reason, number in found}


def short(reason: str) -> str:
    """A reason without the folder, and without what Python says of an error."""
    reason = re.sub(r"\(\S*(generated|spec\d+)\.py", "(generated.py", reason)
    return re.sub(r"(fails|an error of the spec there): .*?(?= and \w+[(.\[ ]|$)", r"\1", reason)
