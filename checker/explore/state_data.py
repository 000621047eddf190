"""A state and what can be done there, as data for the page."""

from __future__ import annotations

from typing import Any

from everystate.counterexamples.path import violations_at
from everystate.counterexamples.report import tree_json
from everystate.counterexamples.tables import tables
from everystate.counterexamples.wording import instance

from ..errors import CheckedError
from ..language.concrete import outside
from ..results.changes import changes
from ..results.plain import trees_of
from ..results.plain_trace import plain_trace_of
from ..results.text import narrated
from ..results.trace import Trace, TraceStep
from .moves import Key
from .questions import Answer, Job
from .session import Session
from .tree import Node, branches

Json = Any


def word(key: Key) -> str:
    """A step in an address."""
    return f"{key[0]}.{key[1]}" if key[1] else str(key[0])


def view(session: Session, node: Node, known: int = 0) -> Json:
    """Everything about a state; of the steps that led there only those behind the first `known` ones."""
    offered = session.moves(node)
    return {
        "address": node.address,
        "depth": node.depth,
        "trail": trail(node, known),
        "label": node.step.label if node.step else "",
        "action": node.step.action.name if node.step else "",
        "said": _said(node),
        "changes": _changes(node),
        "state": _state(session, node),
        "enabled": [
            {
                "key": word(move.key),
                "action": move.action,
                "label": move.label,
                "changes": move.changes,
                "said": move.said,
                "error": move.error,
                "known": move.key in node.children,
            }
            for move in offered.enabled
        ],
        "blocked": [{"action": b.action, "instances": b.instances, **vars(b.guard)} for b in offered.blocked],
        "stuck": session.stuck(node),
        "outside": outside(session.spec, node.state),
        "properties": _properties(session, node),
    }


def _properties(session: Session, node: Node) -> list[Json]:
    """Every property in a state; of a violated one what is wrong, in the words of its counterexample."""
    found = session.truths(node)
    wrong = [truth for truth in found if truth.broken]
    shown = violations_at(session.spec, session.walked(node)) if wrong else []
    words = {each.property: instance(plain_trace_of(each.trace)) for each in shown if each.trace is not None}
    return [{**vars(truth), "because": words.get(truth.name) or truth.because} for truth in found]


def trail(node: Node, known: int) -> list[Json]:
    """The steps to a state behind the first `known` ones."""
    return [{"label": at.step.label if at.step else "", "key": word(at.key)} for at in node.trail[known + 1 :]]


def _said(node: Node) -> list[str]:
    return [narrated(event).strip('"') for event in node.step.narration] if node.step else []


def _changes(node: Node) -> list[str]:
    if node.parent is None:
        return []
    return [str(change) for change in changes(trees_of(node.parent.state), trees_of(node.state))]


def _state(session: Session, node: Node) -> Json:
    """The variables and the tables of a state, each with what it was before."""
    now = trees_of(node.state)
    old = trees_of(node.parent.state) if node.parent else now
    variables = [[name, tree_json(value), tree_json(old[name])] for name, value in now.items()]
    return {"variables": variables, "tables": _tables(session, node), "text": str(node.state)}


def _tables(session: Session, node: Node) -> list[Json]:
    """What the spec draws of a state; nothing where it cannot, which must not stop a walk."""
    states = [node.parent.state, node.state] if node.parent else [node.state]
    trace = Trace(session.name, {}, states[0], tuple(TraceStep("", {}, (), "", state) for state in states[1:]))
    try:
        found = tables(trace, session.spec)
    except CheckedError:
        return []
    shown = []
    for table in found:
        now, old = _at(table["history"], len(states) - 1), _at(table["history"], 0)
        shown.append({"group": table["group"], "title": table["title"], "rows": now, "old": old})
    return shown


def _at(history: list[Json], step: int) -> Json:
    return [rows for at, rows in history if at <= step][-1]


def tree(session: Session, here: Node) -> Json:
    """The branches of the tree, with how far each is on the way to a state."""
    on_way = {id(node) for node in here.trail}
    found = list(branches(session.roots))
    numbers = {id(branch.end): number for number, branch in enumerate(found)}
    return [
        {
            "from": -1 if branch.start is None else numbers[id(branch.start)],
            "end": branch.end.address,
            "depth": branch.end.depth,
            "steps": branch.steps,
            "first": _first(branch.end, branch.steps),
            "here": id(branch.end) in on_way or (id(_up(branch.end, branch.steps - 1)) in on_way),
        }
        for branch in found
    ]


def _up(node: Node, steps: int) -> Node:
    for _ in range(max(0, steps)):
        node = node.parent or node
    return node


def _first(end: Node, steps: int) -> str:
    """The label of the step with which a branch begins."""
    node = _up(end, steps - 1)
    return node.step.label if node.step else f"initial state {node.key[0]}"


def check_json(job: Job) -> Json:
    """How far the check of all properties is; at its end the verdict, and every violation with its number of steps."""
    if not job.over.is_set():
        return {"over": False, "said": job.said}
    if job.error is not None or job.answer is None:
        return {"over": True, "verdict": "", "text": job.error.explain() if job.error else "", "violations": []}
    found = [
        {"name": violation.property, "kind": violation.kind, "expected": violation.text, "steps": violation.length}
        for violation in job.answer.violations
    ]
    return {"over": True, "verdict": job.answer.verdict, "text": job.answer.text, "violations": found}


def job_json(session: Session, node: Node, job: Job) -> Json:
    """How far a question is; the way that was found becomes a branch of the tree."""
    if not job.over.is_set():
        return {"over": False, "said": job.said}
    if job.error is not None:
        return {"over": True, "error": job.error.explain()}
    answer = job.answer or Answer("there is no answer", decided=False)
    found: Json = {"over": True, "text": answer.text, "decided": answer.decided}
    if answer.trace is not None:
        led = session.graft(node, answer.trace)
        found |= {"address": led.node.address, "steps": led.node.depth - node.depth, "problem": led.problem}
    return found
