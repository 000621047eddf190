"""The state graph as a networkx graph: of a small space, or of the neighbourhood of a trace in a large one.

Nodes are numbers in the order of discovery, with the state as text; edges carry the label of their step. The graph is
built in plain Python, so it is for spaces that people can look at, not for millions of states.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ..checker.errors import CheckedError
from ..checker.extras import require
from ..checker.language import marks
from ..checker.language.concrete import StepFailed, outside
from ..checker.language.spec import Spec
from ..checker.language.state import State
from ..checker.results.changes import changes
from ..checker.results.plain import trees_of
from ..checker.results.text import count
from ..checker.results.trace import Trace
from .dot import FONT, graphviz
from .path import steps_of

MOST = 10_000
"""The default limit on the states of a graph."""
CUT = 70
SMALL = 6
"""Variables of a state that is shown as a whole in a picture."""
WRONG = {"fillcolor": "#fdebea", "color": "#c8372d"}
FEW = 10
"""States that are listed of each kind."""


@dataclass(frozen=True)
class GraphLimits:
    """What a graph contains: at most `most` states; with `trace` only those within `steps` steps of it."""

    most: int = MOST
    trace: Trace | None = None
    steps: int = 1


def networkx() -> Any:
    """The package networkx; E510 where it is not installed."""
    require("a state graph", "networkx")
    import networkx as found

    return found


def state_graph(spec: Spec, wanted: GraphLimits | None = None) -> Any:
    """The graph as networkx.MultiDiGraph; its attribute `complete` says whether it has every reachable state, `cut`
    which constraints pruned it."""
    wanted = wanted or GraphLimits()
    graph = networkx().MultiDiGraph(spec=type(spec).__name__, complete=wanted.trace is None)
    initial = spec.initial_states()
    numbers: dict[State, int] = {}
    queue: deque[tuple[State, int]] = deque()

    def enter(state: State, distance: int, origin: State | None) -> int | None:
        if state not in numbers:
            if len(numbers) >= wanted.most:
                graph.graph["complete"] = False
                return None
            numbers[state] = len(numbers)
            label = {"text": str(state), "changed": _changed(origin, state), "initial": state in initial}
            broken = ", ".join(_broken(spec, state, None, state in initial))
            graph.add_node(numbers[state], **label, violates=broken, **_on_trace(state, wanted.trace))
            queue.append((state, distance))
        return numbers[state]

    starts = initial if wanted.trace is None else wanted.trace.states
    for before, state in zip([None, *starts], starts, strict=False):
        enter(state, 0, before if wanted.trace else None)
    cut: dict[str, None] = {}
    while queue:
        state, distance = queue.popleft()
        beyond = outside(spec, state)
        if beyond:
            graph.nodes[numbers[state]]["open"] = True
            cut |= dict.fromkeys(beyond)
            continue
        _expand(graph, spec, state, (numbers, enter, distance + 1, _reaches(wanted, distance)))
    graph.graph["cut"] = ", ".join(cut)
    return graph


def _broken(spec: Spec, state: State, before: State | None, initial: bool = False) -> Iterator[str]:
    """The properties that a state, or the step to it, violates; refinements are also checked at initial states."""
    for found in spec.properties:
        begins = initial and found.name in spec._refinements
        if found.kind == (marks.INVARIANT if before is None else marks.STEP_INVARIANT) or begins:
            try:
                if not spec.property_holds(found.name, state, before):
                    yield found.name
            except CheckedError:
                yield found.name


def _reaches(wanted: GraphLimits, distance: int) -> bool:
    """Whether new states may be entered from a state of this distance."""
    return wanted.trace is None or distance < wanted.steps


def _on_trace(state: State, trace: Trace | None) -> dict[str, Any]:
    on = trace is not None and state in trace.states
    return {"trace": on, "violated": bool(on and trace and trace.shows and state == trace.states[-1])}


def _changed(origin: State | None, state: State) -> str:
    """The changes of a state since the one from which it was entered first; nothing for an initial one."""
    return "\n".join(map(str, changes(trees_of(origin), trees_of(state)))) if origin is not None else ""


Enter = Callable[[State, int, State | None], int | None]


def _expand(graph: Any, spec: Spec, state: State, how: tuple[dict[State, int], Enter, int, bool]) -> None:
    numbers, enter, distance, new = how
    for step in steps_of(spec, state):
        if isinstance(step, StepFailed):
            graph.nodes[numbers[state]]["fails"] = str(step.action)
            continue
        target = enter(step.state, distance, state) if new else numbers.get(step.state)
        if target is None:
            graph.nodes[numbers[state]]["open"] = True
        else:
            broken = ", ".join(_broken(spec, step.state, state))
            graph.add_edge(numbers[state], target, label=step.label, violates=broken)


# -- statistics --------------------------------------------------------------------------------------------


def components(graph: Any) -> list[set[int]]:
    """The strongly connected components, the largest first."""
    found: list[set[int]] = list(networkx().strongly_connected_components(graph))
    return sorted(found, key=lambda nodes: (-len(nodes), min(nodes)))


def dead_ends(graph: Any) -> list[int]:
    """The states without a successor; states at the edge of the graph do not count."""
    return [node for node, data in graph.nodes(data=True) if not graph.out_degree(node) and not data.get("open")]


def bottlenecks(graph: Any) -> list[tuple[int, int]]:
    """States on every path to others: (state, how many others), the most first, without initial states."""
    roots = [node for node, data in graph.nodes(data=True) if data["initial"]]
    rooted = networkx().DiGraph(graph)
    rooted.add_edges_from((-1, node) for node in roots)
    dominators = networkx().immediate_dominators(rooted, -1)
    behind: dict[int, int] = {}
    for node in dominators:
        above = dominators.get(node)
        while above not in (None, -1, dominators.get(above)):
            behind[above] = behind.get(above, 0) + 1
            above = dominators.get(above)
    found = [(node, number) for node, number in behind.items() if node not in roots]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def summary_lines(graph: Any) -> Iterator[str]:
    """The statistics of a graph as text."""
    whole = "the whole space" if graph.graph["complete"] else "a part of the space"
    whole += f" inside the constraint {graph.graph['cut']}" if graph.graph["cut"] else ""
    edges = count(graph.number_of_edges(), "step")
    yield f"{count(graph.number_of_nodes(), 'state')}, {edges}: {whole}"
    found = components(graph)
    cycles = [nodes for nodes in found if len(nodes) > 1]
    yield f"{count(len(found), 'strongly connected component')}, {len(cycles)} of them with more than one state"
    yield from (f"  {count(len(nodes), 'state')}: {_few(sorted(nodes))}" for nodes in cycles[:FEW])
    ends = dead_ends(graph)
    yield count(len(ends), "dead end") + (f": {_few(ends)}" if ends else "")
    yield from _violations(graph)
    narrow = bottlenecks(graph) if any(data["initial"] for _, data in graph.nodes(data=True)) else []
    yield "bottlenecks, the states that every way to others leads through:" if narrow else "no bottleneck"
    yield from (f"  state {node}, before {count(behind, 'other state')}" for node, behind in narrow[:FEW])


def _violations(graph: Any) -> Iterator[str]:
    """Where each property is violated, if it is."""
    found: dict[str, set[int]] = {}
    for node, names in [
        *graph.nodes(data="violates"),
        *((target, names) for _, target, names in graph.edges(data="violates")),
    ]:
        for name in filter(None, names.split(", ")):
            found.setdefault(name, set()).add(node)
    for name, nodes in sorted(found.items()):
        yield f"{name} is violated in {count(len(nodes), 'state')}: {_few(sorted(nodes))}"


def _few(nodes: list[int]) -> str:
    return ", ".join(map(str, nodes[:FEW])) + (", ..." if len(nodes) > FEW else "")


# -- forms -------------------------------------------------------------------------------------------------


def as_json(graph: Any) -> str:
    """The graph in the node-link form of networkx."""
    return json.dumps(networkx().node_link_data(graph, edges="edges"), indent=1, ensure_ascii=False) + "\n"


def as_graphml(graph: Any) -> str:
    """The graph as GraphML."""
    return "\n".join(networkx().generate_graphml(graph)) + "\n"


def as_dot(graph: Any) -> str:
    """The graph as DOT, the trace and the violated state marked."""
    drawn = graphviz().Digraph(graph.graph["spec"])
    drawn.attr("node", shape="box", style="rounded,filled", fillcolor="#f1f2f5", color="#c4cad4", **FONT)
    drawn.attr("edge", color="#8a93a3", **FONT)
    for node, data in graph.nodes(data=True):
        look = WRONG if data["violated"] or data["violates"] else {}
        look = look or ({"fillcolor": "#dfe9fb", "color": "#35507f"} if data["trace"] else {})
        drawn.node(str(node), label=_label(node, _text(data)), **look, **({"penwidth": "2"} if data["initial"] else {}))
    for (source, target), labels in _parallel(graph).items():
        both = graph.nodes[source]["trace"] and graph.nodes[target]["trace"] and target == source + 1
        wrong = any(data["violates"] for data in graph.get_edge_data(source, target).values())
        look = {"color": WRONG["color"], "penwidth": "2"} if wrong else {}
        look = look or ({"color": "#35507f", "penwidth": "2"} if both else {})
        drawn.edge(str(source), str(target), label="\\n".join(labels), **look)
    text: str = drawn.source
    return text


def _parallel(graph: Any) -> dict[tuple[int, int], list[str]]:
    """The steps between two states together: they share an arrow."""
    found: dict[tuple[int, int], list[str]] = {}
    for source, target, data in graph.edges(data=True):
        broken = f" violates {data['violates']}" if data["violates"] else ""
        found.setdefault((source, target), []).append((data["label"] + broken).replace("\\", "\\\\"))
    return found


def _text(data: dict[str, str]) -> str:
    """The text of a node: all of a small state, the changes of a large one; and its violations."""
    label = data["text"] if data["text"].count("\n") < SMALL or not data["changed"] else data["changed"]
    return f"{label}\nviolates {data['violates']}" if data["violates"] else label


def _label(node: int, text: str) -> str:
    lines = [line if len(line) <= CUT else line[: CUT - 3] + "..." for line in text.split("\n")]
    return "".join(line.replace("\\", "\\\\") + "\\l" for line in [f"state {node}", *lines])
