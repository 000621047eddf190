"""One drain for the partitions of a node: the loop of Kafka's accumulator, and what partitions do to each other by it.

Rule ids (P1.3, P2.2 ...) are those of model/rules/drain.toml and docs/reference/rules-drain.md. `Turns` is the loop
alone, without end; `Drain` is idempotent production to several partitions; `Draining` says what must come true there.
"""

from .generation import GENERATIONS, Generation
from .liveness import Draining
from .producer import Drain
from .turns import Turns

__all__ = ["GENERATIONS", "Drain", "Draining", "Generation", "Turns"]
