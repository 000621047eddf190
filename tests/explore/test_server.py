"""The server: whom it answers and whom not, questions and their mistakes, and how fast a click is."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from everystate.checker.cli.main import main
from everystate.checker.cli.targets import reloaded, resolve
from everystate.checker.explore.api import GIVEN_UP, QUESTIONS, Api
from everystate.checker.explore.file_changes import files_of
from everystate.checker.explore.server import Served, listening
from everystate.checker.explore.session import Session
from everystate.checker.language.spec import Spec
from everystate.specs.idem_producer import IdempotentProducer

from .serving import asked, question, serving
from .specs import Gate

WAY = "0,0,0,0,0,0,0,2,2,2,2,2,2,3,0,2,1,0,2"


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    with serving(IdempotentProducer(max_in_flight=6), "idem-producer") as found:
        yield found


# -- whom it answers ---------------------------------------------------------------------------------------


def test_it_listens_on_this_machine_alone(served: Served) -> None:
    assert served.socket.getsockname()[0] == "127.0.0.1"
    assert re.fullmatch(rf"http://127\.0\.0\.1:{served.port}/[\w-]{{22}}/", served.address)


def test_the_page_refers_to_nothing_outside_and_forbids_it(served: Served) -> None:
    status, text, answer = asked(served, "GET", f"/{served.token}/")
    assert status == 200
    assert not re.search(r"https?://|@import|url\(", text.replace("http://www.w3.org/2000/svg", ""))
    policy = answer.getheader("Content-Security-Policy")
    assert policy.startswith("default-src 'none'; script-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert answer.getheader("Referrer-Policy") == "no-referrer"
    for name in ("explore.js", "graph.js", "values.js"):
        status, text, _ = asked(served, "GET", f"/{served.token}/{name}")
        assert status == 200
        assert not re.search(r"https?://", text.replace("http://www.w3.org/2000/svg", ""))
    assert asked(served, "GET", f"/{served.token}/session.py")[0] == 404
    assert asked(served, "GET", f"/{served.token}/..%2fserver.py")[0] == 404


@pytest.mark.parametrize("path", ["/", "/wrong/", "/wrong/api/view", "/explore.js", "//", "/?token"])
def test_without_the_token_there_is_nothing(served: Served, path: str) -> None:
    status, text, _ = asked(served, "GET", path)
    assert (status, text[:35]) == (403, "This page needs the whole address t")


def test_foreign_hosts_and_origins_are_refused(served: Served) -> None:
    page, here = f"/{served.token}/", f"http://127.0.0.1:{served.port}"
    for headers in (
        {"Host": f"evil.example:{served.port}"},
        {"Host": "127.0.0.1"},
        {"Host": f"127.0.0.1:{served.port}", "Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://localhost:{served.port}"},
    ):
        assert asked(served, "GET", page, **headers)[:2] == (403, "This page is for this machine alone.\n"), headers
    assert asked(served, "GET", page, Origin=here)[0] == 200
    assert asked(served, "GET", page, Host=f"localhost:{served.port}")[0] == 200


def test_a_form_of_another_page_cannot_ask(served: Served) -> None:
    path = f"/{served.token}/api/about"
    assert asked(served, "GET", path)[0] == 405
    for body, kind in (("{}", "text/plain"), ("[]", "application/json"), ("{", "application/json")):
        status, text, _ = asked(served, "POST", path, body, Content_Type=kind)
        assert (status, '"error":"a question is' in text) == (422, True)


# -- questions ---------------------------------------------------------------------------------------------


def test_every_question_has_an_answer(served: Served) -> None:
    more = {"export": {"form": "itf"}, "source": {"action": "send"}, "holds": {"condition": "epoch == 0"}}
    for name in QUESTIONS:
        if name not in ("answer", "ask", "cancel", "counterexample"):
            status, found = question(served, name, at="0,0,2", **more.get(name, {}))
            assert status == 200, (name, found)


def test_the_check_of_all_properties_is_asked_for_once(served: Served) -> None:
    found: dict[str, Any] = {"over": False}
    while not found["over"]:
        _, found = question(served, "check")
    named = [(violation["name"], violation["steps"]) for violation in found["violations"]]
    assert (found["verdict"], named) == ("VIOLATED", [("NoDup", 18), ("InOrder", 18)])
    status, led = question(served, "counterexample", number=0)
    assert (status, led["problem"], led["address"].count(",")) == (200, "", 18)
    assert question(served, "counterexample", number=2) == (422, {"error": "there is no such counterexample"})


def test_a_view_tells_what_is_new_of_the_trail_only(served: Served) -> None:
    _, found = question(served, "view", at=WAY, known=16)
    assert [step["label"] for step in found["trail"]] == ["send()", "broker()"]
    assert [p["name"] for p in found["properties"] if p["broken"]] == ["NoDup", "InOrder"]
    assert found["said"] == ["broker: b0 goes into the log at offset 6", "broker -> producer: answer to b0: ok"]
    assert "log: [0, 1, 2, 3, 4, 5] -> [0, 1, 2, 3, 4, 5, 0]" in found["changes"]


@pytest.mark.parametrize(
    ("name", "given", "said"),
    [
        ("nothing", {}, "there is no question 'nothing'"),
        ("view", {"at": 3}, "at must be a string"),
        ("walk", {"at": "0", "steps": -1}, "steps must be a whole number from 0 to 10,000"),
        ("walk", {"at": "0", "until": "log ==="}, "error E513: the condition cannot be read: invalid syntax"),
        (
            "holds",
            {"at": "0", "condition": "logg == []"},
            "error E513: the condition cannot be read: there is no 'logg'",
        ),
        ("holds", {"at": "0", "condition": "log[9] == 1"}, "error E303"),
        ("holds", {"at": "0", "condition": "nothing"}, "error E511: IdempotentProducer has no property 'nothing'"),
        ("holds", {"at": "0", "condition": "1 + 1"}, "error E2"),
        ("ask", {"at": "0", "what": "condition", "condition": " "}, "a condition is looked for, and none is given"),
        ("ask", {"at": "0", "there": "0,9"}, "the state that is looked for: step 1 of 1 cannot be taken there"),
        ("holds", {"at": "0", "condition": "\ud800"}, "condition holds half a character"),
        ("export", {"at": "0", "form": "pdf"}, "there is no form 'pdf'"),
    ],
)
def test_mistakes_are_told(served: Served, name: str, given: dict[str, object], said: str) -> None:
    status, found = question(served, name, **given)
    assert (status, found["error"][: len(said)]) == (422, said)


@pytest.mark.parametrize("body", ["[" * 100_000, '{"at":' * 5_000, '{"at":"' + "0" * (1 << 20) + '"}'])
def test_a_question_that_is_too_deep_or_too_large_is_refused(served: Served, body: str) -> None:
    status, text, _ = asked(served, "POST", f"/{served.token}/api/view", body, Content_Type="application/json")
    assert (status, text) == (422, '{"error":"a question is a JSON object of at most a megabyte"}')


def test_two_browsers_get_no_answer_of_the_other(served: Served) -> None:
    _, first = question(served, "ask", at="0", condition="len(log) == 7")
    _, second = question(served, "ask", at="0", condition="len(log) == 1")
    assert second["number"] == first["number"] + 1
    assert question(served, "answer", number=first["number"]) == (
        200,
        {"over": True, "text": GIVEN_UP, "decided": False},
    )
    question(served, "cancel", number=first["number"])
    while not (found := question(served, "answer", number=second["number"])[1])["over"]:
        time.sleep(0.02)
    assert found["text"] == "Reached after 2 steps, by a shortest trace from here."


def test_a_spec_that_interrupts_ends_one_question_only() -> None:
    def load() -> Spec:
        raise KeyboardInterrupt

    with serving(Gate(), load=load) as served:
        served.api._stamp = ()
        status, found = question(served, "changed")
        said = "error E503: Everystate itself failed: KeyboardInterrupt:  (explore, changed)"
        assert (status, found["error"].partition("\n")[0]) == (500, said)
        assert question(served, "view", at="0")[0] == 200


def answered(served: Served, **given: object) -> dict[str, object]:
    status, begun = question(served, "ask", **given)
    assert status == 200, begun
    until = time.monotonic() + 300
    while time.monotonic() < until:
        _, found = question(served, "answer")
        if found["over"]:
            return dict(found)
        time.sleep(0.02)
    raise AssertionError("no answer")


def test_the_engine_answers_from_here(served: Served) -> None:
    found = answered(served, at="0,0,0")
    assert found["text"] == "The nearest violation is 16 steps away: NoDup (no batch is in the log twice)."
    assert str(found["address"]).startswith("0,0,0,") and found["steps"] == 16
    here = answered(served, at=WAY)
    assert (here["text"], here["steps"]) == ("NoDup is violated here.", 0)
    there = answered(served, at="0", condition="len(log) == 2 and losses == 1")
    assert there["text"] == "Reached after 5 steps, by a shortest trace from here."
    never = answered(served, at=WAY, condition="len(log) == 0")
    twice = "it holds in none of the 77 states that can be reached (32 states cross-checked)"
    assert (never["text"], never["decided"]) == (f"Not reachable from here: {twice}.", True)
    back = answered(served, at=WAY, there="0,0")
    assert str(back["text"]).startswith("Not reachable from here: that state is none of the 77 states")
    cut = answered(served, at="0", condition="len(log) == 7", most=50)
    said = "Undecided. There is no such state within 5 steps from here; nothing is known of states farther away: "
    assert cut["text"] == f"{said}the limit of 50 states is reached, and 50 states were visited."
    assert cut["decided"] is False
    wrong = answered(served, at="0", condition="len(logg) == 7")
    assert str(wrong["error"]).startswith("error E513: the condition cannot be read: there is no 'logg'")


def test_a_constraint_is_told_and_decides_nothing() -> None:
    with serving(Gate()) as served:
        found = answered(served, at="0", condition="coins == 3 and self.coins < 3")
        assert found["decided"] is False
        assert re.search(r" Beyond the constraint nothing is known: it cut off \d steps?\.$", str(found["text"]))


# -- speed -------------------------------------------------------------------------------------------------


def test_a_click_in_the_model_of_kafka_is_quick(calls: Callable[[Callable[[], Any]], int]) -> None:
    """Less than 50 ms on a quiet machine; counted here, as Python's calls."""
    found = resolve("current/realistic")
    api = Api(Session(found.spec(), found.name), found.spec)
    at, shown, spent = ["0"], list[Any](), list[int]()

    def click() -> None:
        shown.append(api.call("view", {"at": ",".join(at), "known": len(shown)}))

    for number in range(12):
        spent.append(calls(click))
        enabled = shown[-1]["enabled"]
        at.append(enabled[number % len(enabled)]["key"])
    assert sorted(spent)[len(spent) // 2] < 200_000


# -- a spec that changes -----------------------------------------------------------------------------------


def test_a_broken_spec_is_told_and_the_old_one_goes_on(tmp_path: Path) -> None:
    loads: list[Spec | Exception] = []

    def load() -> Spec:
        found = resolve(str(tmp_path / "none.py")) if not loads else loads.pop()
        assert isinstance(found, Spec)
        return found

    api = Api(Session(IdempotentProducer(max_in_flight=6)), load)
    api._stamp = ()
    told = api.call("changed", {"at": "0,0", "version": 0})
    assert (told["version"], told["error"][:10]) == (0, "error E102")
    assert api.call("view", {"at": "0,0"})["label"] == "send()"
    loads.append(IdempotentProducer(max_in_flight=1))
    api.call("view", {"at": "0,0,0"})
    api._stamp = ()
    told = api.call("changed", {"at": "0,0", "whole": "0,0,0", "version": 0})
    assert (told["version"], told["error"], told["start"], told["whole"]) == (1, "", "0,0", "0,0")
    assert told["problem"] == "step 2 of 2, send(), cannot be taken any more"


RENAMED = """
from everystate.checker import Int, Spec, action

class Two(Spec):
    def variables(self) -> None:
        self.n, self.m = Int(0, 3), Int(0, 3)
    @action
    def first(self) -> None:
        self.n = min(3, self.n + 1)
    @action
    def second(self) -> None:
        self.m = min(3, self.m + 1)
"""


def test_each_page_stays_on_its_own_walk_when_the_spec_changes(tmp_path: Path) -> None:
    """Two tabs, one of which still asks with addresses of the older spec, whose numbers mean other actions now."""
    path = tmp_path / "two_of_server.py"
    path.write_text(RENAMED)
    spec = resolve(str(path)).spec()
    files = files_of(spec)
    api = Api(Session(spec, "two"), lambda: reloaded(str(path), files).spec())
    assert api.call("view", {"at": "0,0,1,1"})["depth"] == 3
    assert api.call("view", {"at": "0,1"})["depth"] == 1
    zeroth = "    @action\n    def zeroth(self) -> None:\n        self.n = 0\n"
    head, _, tail = RENAMED.partition("    @action\n")
    new = f"{head}{zeroth}    @action\n{tail.replace('def second', 'def twice')}"
    path.write_text(new)
    told = api.call("changed", {"at": "0,0", "whole": "0,0,1,1", "version": 0})
    assert (told["version"], told["start"], told["whole"]) == (1, "0,1", "0,1")
    assert told["problem"] == "step 2 of 3, second(), cannot be taken any more"
    late = api.call("view", {"at": "0,0", "version": 0})
    assert (late["address"], late["label"]) == ("0,1", "first()")
    told = api.call("changed", {"at": "0,1", "whole": "0,1", "version": 0})
    assert (told["start"], told["problem"]) == ("0", "step 1 of 1, second(), cannot be taken any more")
    path.write_text(new.replace("def twice", "def  second"))
    told = api.call("changed", {"at": "0,0", "whole": "0,0", "version": 0})
    assert (told["version"], told["start"], told["problem"]) == (2, "0,1", "")


# -- the command -------------------------------------------------------------------------------------------


def test_a_port_that_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(0) as taken:
        port = taken.getsockname()[1]
        assert main(["explore", "die-hard", "--port", str(port)]) == 2
    said = capsys.readouterr().err
    assert f"error E450: port {port} of this machine cannot be used: address already in use" in said


def test_ctrl_c_ends_it() -> None:
    program = "import sys; from everystate.checker.cli.main import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "explore", "die-hard", "--path", "0,1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        address = run.stdout.readline()
        found = re.fullmatch(r"die-hard is at http://127\.0\.0\.1:(\d+)/[\w-]+/\n", address)
        assert found is not None, address
        with socket.create_connection(("127.0.0.1", int(found[1])), timeout=10):
            run.send_signal(signal.SIGINT)
            _, err = run.communicate(timeout=300)
    assert (err, run.returncode) == ("ended\n", 0)
