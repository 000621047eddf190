"""Logs of Kafka for `everystate follow`: what translates them into events of the model, and what records real ones.

`lines` reads the log lines of producers and brokers, `frames` the records of a proxy, `bridge` those of the conformance
bridge; `words` is what all of them can say of the model. `recording` runs a producer and a broker and keeps their logs.
"""
