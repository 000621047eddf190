"""A store of keys and values with transactions that work on snapshots (KeyValueStore of the TLA+ examples).

A transaction reads and writes a copy of the store. When it is closed, what it has written is merged into the store,
unless others have written the same keys meanwhile. A value that is not there is None.
"""

from typing import Any

from everystate.checker import Array, Constant, Int, Option, Set, Spec, action, implies, invariant, require


class KeyValueStore(Spec):
    """Of two transactions that write one key at the same time, one is rejected."""

    keys = Constant(2)
    values = Constant(2)
    transactions = Constant(2)

    def key(self) -> Any:
        return Int(0, self.keys - 1)

    def transaction(self) -> Any:
        return Int(0, self.transactions - 1)

    def variables(self) -> None:
        store, keys = Array(self.keys, Option(Int(1, self.values))), Set(self.key())
        self.store = store
        self.open = Set(self.transaction())
        self.snapshot = Array(self.transactions, store)
        self.written = Array(self.transactions, keys)
        self.missed = Array(self.transactions, keys)

    @action(t="transactions")
    def begin(self, t: int) -> None:
        require(t not in self.open)
        self.open.add(t)
        self.snapshot[t] = self.store

    def write(self, t: int, key: int, value: int | None) -> None:
        self.snapshot[t][key] = value
        self.written[t].add(key)

    @action(t="transactions", key="keys", value=lambda self: range(1, self.values + 1))
    def add(self, t: int, key: int, value: int) -> None:
        require(t in self.open and self.snapshot[t][key] == None)  # noqa: E711
        self.write(t, key, value)

    @action(t="transactions", key="keys", value=lambda self: range(1, self.values + 1))
    def update(self, t: int, key: int, value: int) -> None:
        require(t in self.open and self.snapshot[t][key] not in (None, value))
        self.write(t, key, value)

    @action(t="transactions", key="keys")
    def remove(self, t: int, key: int) -> None:
        require(t in self.open and self.snapshot[t][key] != None)  # noqa: E711
        self.write(t, key, None)

    def forget(self, t: int) -> None:
        self.open.remove(t)
        self.snapshot[t] = [None] * self.keys
        self.written[t] = set()
        self.missed[t] = set()

    @action(t="transactions")
    def roll_back(self, t: int) -> None:
        require(t in self.open)
        self.forget(t)

    @action(t="transactions")
    def close(self, t: int) -> None:
        require(t in self.open and not any(k in self.missed[t] for k in self.written[t]))
        for key in self.key():
            written = key in self.written[t]
            if written:
                self.store[key] = self.snapshot[t][key]
            for other in self.transaction():
                if other != t and other in self.open and written:
                    self.missed[other].add(key)
        self.forget(t)

    @invariant
    def nothing_is_overlooked(self) -> Any:
        """where the store differs from a snapshot that was not written to, the transaction knows"""
        return all(
            implies(self.store[k] != self.snapshot[t][k] and k not in self.written[t], k in self.missed[t])
            for t in self.open
            for k in self.key()
        )

    @invariant
    def the_closed_leave_nothing(self) -> Any:
        """of a transaction that is not open nothing is kept"""
        return all(
            t in self.open
            or (self.written[t] == set() and self.missed[t] == set() and self.snapshot[t] == [None] * self.keys)
            for t in self.transaction()
        )
