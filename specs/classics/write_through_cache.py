"""A write-through cache implements a memory (chapter 5 of Lamport's "Specifying Systems").

Each processor has a cache before a memory that all share, with a queue of requests between. Whoever looks at requests
and answers only cannot tell it from a memory without any cache: that is what `is_a_memory` says.
"""

from typing import Any

from everystate.checker import (
    AnyOf,
    Array,
    Constant,
    Enum,
    Int,
    Option,
    Record,
    Seq,
    Spec,
    action,
    implies,
    invariant,
    refines,
    require,
)


class Word(Record):
    """What a processor and the memory tell each other: a request to read or to write, a value, or nothing."""

    kind: str
    address: int
    value: int


def words(addresses: int, values: int) -> Word:
    """What may be told where there are so many addresses and values."""
    kinds = Enum("nothing", "read", "write", "value")
    return Word.of(kind=kinds, address=Int(0, addresses - 1), value=Int(0, values - 1))


NOTHING = {"kind": "nothing", "address": 0, "value": 0}


class Memory(Spec):
    """Processors read and write a memory that all share, one request at a time."""

    processors = Constant(2)
    addresses = Constant(1)
    values = Constant(2)

    def variables(self) -> None:
        word = words(self.addresses, self.values)
        self.memory = Array(self.addresses, Int(0, self.values - 1, init=AnyOf()))
        self.control = Array(self.processors, Enum("ready", "busy", "waiting", "done"))
        self.buffer = Array(self.processors, word)
        self.told_by = Int(0, self.processors - 1)  # the interface: who spoke last, or was spoken to
        self.told = word

    def tell(self, processor: int, word: Word) -> None:
        self.buffer[processor] = word
        self.told_by = processor
        self.told = word

    @action(processor="processors", address="addresses")
    def ask_to_read(self, processor: int, address: int) -> None:
        require(self.control[processor] == "ready")
        self.control[processor] = "busy"
        self.tell(processor, Word(kind="read", address=address, value=0))

    @action(processor="processors", address="addresses", value="values")
    def ask_to_write(self, processor: int, address: int, value: int) -> None:
        require(self.control[processor] == "ready")
        self.control[processor] = "busy"
        self.tell(processor, Word(kind="write", address=address, value=value))

    @action(processor="processors")
    def serve(self, processor: int) -> None:
        require(self.control[processor] == "busy")
        request = self.buffer[processor]
        if request.kind == "write":
            self.memory[request.address] = request.value
            self.buffer[processor] = Word(**NOTHING)
        else:
            self.buffer[processor] = Word(kind="value", address=0, value=self.memory[request.address])
        self.control[processor] = "done"

    @action(processor="processors")
    def answer(self, processor: int) -> None:
        require(self.control[processor] == "done")
        self.control[processor] = "ready"
        self.tell(processor, self.buffer[processor])


class Request(Record):
    """A request under way to the shared memory, and who waits for it."""

    processor: int
    word: Word


class WriteThroughCache(Memory):
    """Processors with a cache each, which every write goes through; requests to the memory wait in a queue."""

    queue = Constant(1, "requests under way to the memory")

    def variables(self) -> None:
        super().variables()
        self.caches = Array(self.processors, Array(self.addresses, Option(Int(0, self.values - 1))))
        word = words(self.addresses, self.values)
        self.requests = Seq(Request.of(processor=Int(0, self.processors - 1), word=word), self.queue)

    @action(processor="processors")
    def serve(self, processor: int) -> None:
        """A write goes into the caches and on its way to the memory."""
        require(self.control[processor] == "busy")
        request = self.buffer[processor]
        require(request.kind == "write")
        require(len(self.requests) < self.queue)
        for address in range(self.addresses):
            for other in range(self.processors):
                if address == request.address and (other == processor or self.caches[other][address] is not None):
                    self.caches[other][address] = request.value
        self.requests.append(Request(processor=processor, word=request))
        self.buffer[processor] = Word(**NOTHING)
        self.control[processor] = "done"

    @action(processor="processors", address="addresses")
    def read_from_cache(self, processor: int, address: int) -> None:
        require(self.control[processor] in ("busy", "waiting"))
        request = self.buffer[processor]
        require(request.kind == "read" and request.address == address)
        found = self.caches[processor][address]
        require(found is not None)
        self.buffer[processor] = Word(kind="value", address=0, value=found)
        self.control[processor] = "done"

    @action(processor="processors", address="addresses")
    def miss(self, processor: int, address: int) -> None:
        require(self.control[processor] == "busy")
        request = self.buffer[processor]
        require(request.kind == "read" and request.address == address)
        require(self.caches[processor][address] is None)
        require(len(self.requests) < self.queue)
        self.requests.append(Request(processor=processor, word=request))
        self.control[processor] = "waiting"

    @action(processor="processors", address="addresses")
    def evict(self, processor: int, address: int) -> None:
        waiting = self.control[processor] == "waiting"
        require(implies(waiting, self.buffer[processor].address != address))
        self.caches[processor][address] = None

    @action
    def write_to_memory(self) -> None:
        require(len(self.requests) > 0)
        require(self.requests.first.word.kind == "write")
        word = self.requests.popleft().word
        self.memory[word.address] = word.value

    @action
    def read_from_memory(self) -> None:
        require(len(self.requests) > 0)
        require(self.requests.first.word.kind == "read")
        seen = self.memory_as_it_will_be()
        request = self.requests.popleft()
        for processor in range(self.processors):
            for address in range(self.addresses):
                if request.processor == processor and request.word.address == address:
                    self.caches[processor][address] = seen[address]

    def memory_as_it_will_be(self) -> list[Any]:
        """The memory when all writes that are under way have reached it."""
        memory = list(self.memory)
        for request in self.requests:
            word = request.word
            for address in range(self.addresses):
                if word.kind == "write" and word.address == address:
                    memory[address] = word.value
        return memory

    @invariant
    def coherent(self) -> bool:
        """two caches that know an address agree on its value"""
        return all(
            self.caches[p][a] is None or self.caches[q][a] is None or self.caches[p][a] == self.caches[q][a]
            for p in range(self.processors)
            for q in range(p)
            for a in range(self.addresses)
        )

    @refines(Memory)
    def is_a_memory(self) -> dict[str, Any]:
        """requests and answers are those of a memory without any cache"""
        return {
            "memory": self.memory_as_it_will_be(),
            "control": ["busy" if control == "waiting" else control for control in self.control],
            "buffer": self.buffer,
            "told_by": self.told_by,
            "told": self.told,
        }
