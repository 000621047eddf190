"""Logs of Kafka for `everystate follow`: translation to events of the model, and recording of real logs.

`lines` reads the log lines of producers and brokers, `frames` the records of a proxy, `bridge` those of the conformance
bridge; `words` has their common observations. `recording` runs a producer and a broker and keeps their logs.
"""
