"""Logs of Kafka for `everystate follow`: translation to events of the model.

`producer` reads the log of an ordinary producer, `frames` the records of a proxy; `words` has their common
observations.
"""
