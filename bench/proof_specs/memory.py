"""Caches, storage and channels."""

from __future__ import annotations

from everystate.checker import Array, Bool, Constant, Enum, Int, Map, Spec, action, invariant, require


class German(Spec):
    """German's cache coherence: a directory, and three channels for each client."""

    n = Constant(2)
    bug = Constant(0, "1: an exclusive grant does not wait for all invalidations")
    may_terminate = True

    def variables(self) -> None:
        self.cache = Array(self.n, Enum("invalid", "shared", "exclusive"))
        self.asks = Array(self.n, Enum("nothing", "shared", "exclusive"))
        self.grants = Array(self.n, Enum("nothing", "shared", "exclusive", "invalidate"))
        self.answers = Array(self.n, Bool())
        self.to_invalidate = Array(self.n, Bool())
        self.sharers = Array(self.n, Bool())
        self.exclusive = Bool()
        self.serving = Enum("nothing", "shared", "exclusive")
        self.whom = Int(0, self.n - 1)

    @action(p="n", kind=("shared", "exclusive"))
    def ask(self, p: int, kind: str) -> None:
        require(self.asks[p] == "nothing")
        require(self.cache[p] == "invalid" or (self.cache[p] == "shared" and kind == "exclusive"))
        self.asks[p] = kind

    @action(p="n")
    def take(self, p: int) -> None:
        require(self.serving == "nothing" and self.asks[p] != "nothing")
        self.serving = self.asks[p]
        self.whom = p
        self.asks[p] = "nothing"
        for q in range(self.n):
            self.to_invalidate[q] = self.sharers[q]

    @action(p="n")
    def send_invalidation(self, p: int) -> None:
        require(self.grants[p] == "nothing" and self.to_invalidate[p])
        require(self.serving == "exclusive" or (self.serving == "shared" and self.exclusive))
        self.grants[p] = "invalidate"
        self.to_invalidate[p] = False

    @action(p="n")
    def answer(self, p: int) -> None:
        require(self.grants[p] == "invalidate" and not self.answers[p])
        self.grants[p] = "nothing"
        self.answers[p] = True
        self.cache[p] = "invalid"

    @action(p="n")
    def hear(self, p: int) -> None:
        require(self.answers[p] and self.serving != "nothing")
        self.answers[p] = False
        self.sharers[p] = False
        self.exclusive = False

    @action
    def grant_shared(self) -> None:
        require(self.serving == "shared" and not self.exclusive and self.grants[self.whom] == "nothing")
        self.sharers[self.whom] = True
        self.grants[self.whom] = "shared"
        self.serving = "nothing"

    @action
    def grant_exclusive(self) -> None:
        require(self.serving == "exclusive" and self.grants[self.whom] == "nothing")
        require(sum(self.sharers) <= self.bug)
        self.sharers[self.whom] = True
        self.exclusive = True
        self.grants[self.whom] = "exclusive"
        self.serving = "nothing"

    @action(p="n")
    def receive(self, p: int) -> None:
        require(self.grants[p] in ("shared", "exclusive"))
        self.cache[p] = "shared" if self.grants[p] == "shared" else "exclusive"
        self.grants[p] = "nothing"

    @invariant
    def coherent(self) -> bool:
        exclusive = sum(c == "exclusive" for c in self.cache)
        return exclusive == 0 or (exclusive == 1 and not any(c == "shared" for c in self.cache))


class Mesi(Spec):
    """MESI on a bus: a step reaches all caches at once."""

    n = Constant(4)
    bug = Constant(0, "1: a write to a shared line leaves the other copies")
    may_terminate = True

    def variables(self) -> None:
        self.line = Array(self.n, Enum("invalid", "shared", "exclusive", "modified"))

    @action(p="n")
    def read(self, p: int) -> None:
        require(self.line[p] == "invalid")
        alone = all(line == "invalid" for line in self.line)
        for q in range(self.n):
            if self.line[q] != "invalid":
                self.line[q] = "shared"
        self.line[p] = "exclusive" if alone else "shared"

    @action(p="n")
    def write(self, p: int) -> None:
        require(self.line[p] != "modified")
        for q in range(self.n):
            if q != p and not (self.bug == 1 and self.line[p] == "shared"):
                self.line[q] = "invalid"
        self.line[p] = "modified"

    @action(p="n")
    def evict(self, p: int) -> None:
        self.line[p] = "invalid"

    @invariant
    def coherent(self) -> bool:
        owners = sum(line in ("exclusive", "modified") for line in self.line)
        return owners == 0 or sum(line != "invalid" for line in self.line) == 1


class Firewall(Spec):
    """A firewall that learns: who was written to from inside may write back."""

    n = Constant(3)
    bug = Constant(0, "1: it learns from what it sees from outside")
    may_terminate = True

    def variables(self) -> None:
        pairs = [(a, b) for a in range(self.n) for b in range(self.n)]
        self.pending = Map(pairs, Bool())
        self.back = Map(pairs, Bool())
        self.written = Map(pairs, Bool())
        self.allowed = Array(self.n, Bool())
        self.received = Map(pairs, Bool())

    @action(a="n", b="n")
    def send(self, a: int, b: int) -> None:
        """a, inside, writes to b, outside"""
        self.pending[a, b] = True

    @action(a="n", b="n")
    def answer(self, a: int, b: int) -> None:
        """b, outside, writes to a, inside"""
        self.back[b, a] = True

    @action(a="n", b="n")
    def let_out(self, a: int, b: int) -> None:
        require(self.pending[a, b])
        self.pending[a, b] = False
        self.written[a, b] = True
        self.allowed[b] = True

    @action(a="n", b="n")
    def let_in(self, a: int, b: int) -> None:
        require(self.back[b, a])
        if self.bug == 1:
            self.allowed[b] = True
        require(self.allowed[b])
        self.back[b, a] = False
        self.received[b, a] = True

    @invariant
    def only_answers(self) -> bool:
        ns = range(self.n)
        return all(not any(self.received[b, a] for a in ns) or any(self.written[a, b] for a in ns) for b in ns)


class ClientServer(Spec):
    """Clients get the answers to their own requests from a server, which asks a database."""

    clients = Constant(2)
    requests = Constant(2)
    bug = Constant(0, "1: the server mixes up clients")
    may_terminate = True

    def variables(self) -> None:
        cs, rs = range(self.clients), range(self.requests)
        both = [(c, r) for c in cs for r in rs]
        self.sent = Map(both, Bool())
        self.pending = Map(both, Bool())
        self.ids = Map([(c, i) for c in cs for i in cs], Bool())
        self.asked = Map([(i, r) for i in cs for r in rs], Bool())
        self.answered = Map([(i, r) for i in cs for r in rs], Bool())
        self.got = Map(both, Bool())

    @action(c="clients", r="requests")
    def ask(self, c: int, r: int) -> None:
        self.sent[c, r] = True
        self.pending[c, r] = True

    @action(c="clients", r="requests", i="clients")
    def forward(self, c: int, r: int, i: int) -> None:
        """the server gives the client a number, and asks under it"""
        cs = range(self.clients)
        require(self.pending[c, r] and not any(self.ids[d, i] for d in cs if d != c))
        require(not any(self.ids[c, j] for j in cs if j != i))
        self.ids[c, i] = True
        self.pending[c, r] = False
        self.asked[i, r] = True

    @action(i="clients", r="requests")
    def look_up(self, i: int, r: int) -> None:
        require(self.asked[i, r])
        self.asked[i, r] = False
        self.answered[i, r] = True

    @action(i="clients", r="requests", c="clients")
    def answer(self, i: int, r: int, c: int) -> None:
        require(self.answered[i, r] and (self.bug == 1 or self.ids[c, i]))
        self.answered[i, r] = False
        self.got[c, r] = True

    @invariant
    def own_answers(self) -> bool:
        return all(self.sent[c, r] or not self.got[c, r] for c in range(self.clients) for r in range(self.requests))


class StopAndWait(Spec):
    """Stop-and-wait over channels that lose and repeat; sequence numbers have one bit."""

    most = Constant(4)
    capacity = Constant(2)
    bug = Constant(0, "1: the receiver does not look at the bit")
    may_terminate = True

    def variables(self) -> None:
        self.sent = Int(0, self.most)
        self.got = Int(0, self.most)
        self.data = Array(self.capacity, Int(-1, 1), init=[-1] * self.capacity)
        self.acks = Array(self.capacity, Int(-1, 1), init=[-1] * self.capacity)

    @action(i="capacity")
    def send(self, i: int) -> None:
        """the place of a message is free once all after it are"""
        require(self.sent < self.most and self.data[i] == -1 and (i == 0 or self.data[i - 1] != -1))
        self.data[i] = self.sent % 2

    @action
    def lose_data(self) -> None:
        require(self.data[0] != -1)
        for i in range(self.capacity):
            self.data[i] = self.data[i + 1] if i + 1 < self.capacity else -1

    @action
    def lose_ack(self) -> None:
        require(self.acks[0] != -1)
        for i in range(self.capacity):
            self.acks[i] = self.acks[i + 1] if i + 1 < self.capacity else -1

    @action(i="capacity")
    def receive(self, i: int) -> None:
        require(self.data[0] != -1 and self.acks[i] == -1 and (i == 0 or self.acks[i - 1] != -1))
        self.acks[i] = self.data[0]
        if self.got < self.most and (self.bug == 1 or self.data[0] == self.got % 2):
            self.got += 1
        for k in range(self.capacity):
            self.data[k] = self.data[k + 1] if k + 1 < self.capacity else -1

    @action
    def acknowledged(self) -> None:
        require(self.acks[0] != -1)
        if self.sent < self.most and self.acks[0] == self.sent % 2:
            self.sent += 1
        for k in range(self.capacity):
            self.acks[k] = self.acks[k + 1] if k + 1 < self.capacity else -1

    @invariant
    def in_step(self) -> bool:
        return self.sent <= self.got <= self.sent + 1
