"""The model of the drain beside Kafka's own producer: several partitions, several nodes, one request.

Real are Sender, RecordAccumulator, TransactionManager, NetworkClient and the protocol; the leaders are the model's.
Read `client`, `kafka_side`, `model_side`, and `rules` for the counted rules.
"""
