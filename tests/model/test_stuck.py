"""Behaviours that cannot make progress any more: every state from which some record can never be acknowledged.

Safety properties do not see them. A delivery timeout ends them in real life; it is switched off here.
"""

from __future__ import annotations

from everystate.checker import State
from everystate.model import KafkaProducer


def stuck_states(**constants: object) -> tuple[int, int]:
    """How many states are reachable, and from how many of them no state with every record acknowledged is."""
    spec = KafkaProducer(**constants)
    start = spec.initial_states()[0]
    seen: dict[tuple[int, ...], State] = {start.cells: start}
    before: dict[tuple[int, ...], list[tuple[int, ...]]] = {}
    todo = [start]
    while todo:
        state = todo.pop()
        for step in spec.successors(state):
            before.setdefault(step.state.cells, []).append(state.cells)
            if step.state.cells not in seen:
                seen[step.state.cells] = step.state
                todo.append(step.state)
    fine = [cells for cells, state in seen.items() if spec.property_holds("all_acknowledged", state)]
    live = set(fine)
    while fine:
        for earlier in before.get(fine.pop(), ()):
            if earlier not in live:
                live.add(earlier)
                fine.append(earlier)
    return len(seen), len(seen) - len(live)


def test_lost_connections_never_get_stuck() -> None:
    assert stuck_states(batches=2, disconnects=1)[1] == 0


def test_a_lost_connection_around_the_wrap_gets_stuck() -> None:
    """C10, C12: the batch behind the wrap is taken for the oldest, is refused, and is always first again."""
    assert stuck_states(batches=3, warm=6, window=4, max_in_flight=2, modulus=8, disconnects=1)[1] > 0


def test_the_first_batch_of_all_gets_stuck_when_the_second_overtakes_it() -> None:
    """KAFKA-15591: an old sequence is answered 45 and retried without a bump (C5.3), again and again."""
    assert stuck_states(batches=2, warm=0, refusals=1)[1] > 0
