"""Apache Kafka's idempotent producer, every generation of it, faithful to the source.

Rule ids (B1.8, C5.3, D5 ...) are those of model/rules/producer.toml and docs/reference/rules-producer.md.
"""

from .generation import GENERATIONS, Generation
from .kafka import KafkaProducer

__all__ = ["GENERATIONS", "Generation", "KafkaProducer"]
