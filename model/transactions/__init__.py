"""Apache Kafka's transactions, generation by generation: coordinator, markers, partition leaders, producers, readers.

Rule ids (T3.1, T7.9 ...) are those of model/rules/transactions.toml and docs/reference/rules-transactions.md.
`Group` is a consumer group around several transactional ids, in which the rest is short;
`Several` is a partition with several records of one transaction.
"""

from .generation import GENERATIONS, Generation
from .groups import FENCINGS, Group
from .liveness import Ending
from .several import Several
from .transactions import KafkaTransactions, Owned

__all__ = ["FENCINGS", "GENERATIONS", "Ending", "Generation", "Group", "KafkaTransactions", "Owned", "Several"]
