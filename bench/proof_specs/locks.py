"""Mutual exclusion and locks: shared memory, tickets, messages, epochs."""

from __future__ import annotations

from everystate.checker import Array, Bool, Constant, Enum, Int, Map, Spec, action, invariant, require


class Ticket(Spec):
    """The ticket lock; numbers end."""

    n = Constant(3)
    most = Constant(4)
    bug = Constant(0, "1: a ticket is read and taken in two steps")
    may_terminate = True

    def variables(self) -> None:
        self.next = Int(0, self.most)
        self.serving = Int(0, self.most)
        self.ticket = Array(self.n, Int(0, self.most))
        self.pc = Array(self.n, Enum("idle", "read", "wait", "critical"))

    @action(p="n")
    def read(self, p: int) -> None:
        require(self.pc[p] == "idle" and self.next < self.most)
        self.ticket[p] = self.next
        if self.bug == 0:
            self.next += 1
        self.pc[p] = "read" if self.bug == 1 else "wait"

    @action(p="n")
    def advance(self, p: int) -> None:
        require(self.pc[p] == "read" and self.next < self.most)
        self.next += 1
        self.pc[p] = "wait"

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.pc[p] == "wait" and self.ticket[p] == self.serving)
        self.pc[p] = "critical"

    @action(p="n")
    def leave(self, p: int) -> None:
        require(self.pc[p] == "critical" and self.serving < self.most)
        self.serving += 1
        self.pc[p] = "idle"

    @invariant
    def mutex(self) -> bool:
        return sum(pc == "critical" for pc in self.pc) <= 1


class Filter(Spec):
    """Peterson's filter lock: n - 1 levels, and each stops one process."""

    n = Constant(3)
    bug = Constant(0, "1: the last level is left out")
    may_terminate = True

    def variables(self) -> None:
        self.level = Array(self.n, Int(0, self.n - 1))
        self.asked = Array(self.n, Bool())
        self.victim = Array(self.n, Int(0, self.n - 1))
        self.inside = Array(self.n, Bool())

    @action(p="n")
    def climb(self, p: int) -> None:
        require(self.level[p] < self.n - 1 - self.bug and not self.asked[p] and not self.inside[p])
        self.level[p] += 1
        self.victim[self.level[p]] = p
        self.asked[p] = True

    @action(p="n")
    def go_on(self, p: int) -> None:
        require(self.asked[p])
        here = self.level[p]
        require(self.victim[here] != p or all(q == p or self.level[q] < here for q in range(self.n)))
        self.asked[p] = False

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.level[p] == self.n - 1 - self.bug and not self.asked[p])
        self.inside[p] = True

    @action(p="n")
    def leave(self, p: int) -> None:
        require(self.inside[p])
        self.inside[p] = False
        self.level[p] = 0

    @invariant
    def mutex(self) -> bool:
        return sum(self.inside) <= 1


class Burns(Spec):
    """Burns: one bit for each process; those before it go first."""

    n = Constant(3)
    bug = Constant(0, "1: the processes behind are not looked at")
    may_terminate = True

    def variables(self) -> None:
        self.flag = Array(self.n, Bool())
        self.pc = Array(self.n, Enum("idle", "before", "set", "behind", "critical"))
        self.seen = Array(self.n, Int(0, self.n))

    @action(p="n")
    def begin(self, p: int) -> None:
        require(self.pc[p] == "idle")
        self.flag[p] = False
        self.seen[p] = 0
        self.pc[p] = "before"

    @action(p="n", q="n")
    def look_before(self, p: int, q: int) -> None:
        require(self.pc[p] == "before" and self.seen[p] == q and q < p)
        if self.flag[q]:
            self.pc[p] = "idle"
        else:
            self.seen[p] = q + 1

    @action(p="n")
    def set_flag(self, p: int) -> None:
        require(self.pc[p] == "before" and self.seen[p] == p)
        self.flag[p] = True
        self.seen[p] = 0
        self.pc[p] = "set"

    @action(p="n", q="n")
    def look_again(self, p: int, q: int) -> None:
        require(self.pc[p] == "set" and self.seen[p] == q and q < p)
        if self.flag[q]:
            self.pc[p] = "idle"
            self.flag[p] = False
        else:
            self.seen[p] = q + 1

    @action(p="n")
    def turn_behind(self, p: int) -> None:
        require(self.pc[p] == "set" and self.seen[p] == p)
        self.seen[p] = p + 1
        self.pc[p] = "behind"

    @action(p="n", q="n")
    def look_behind(self, p: int, q: int) -> None:
        require(self.pc[p] == "behind" and self.seen[p] == q and q > p and (self.bug == 1 or not self.flag[q]))
        self.seen[p] = q + 1

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.pc[p] == "behind" and self.seen[p] == self.n)
        self.pc[p] = "critical"

    @action(p="n")
    def leave(self, p: int) -> None:
        require(self.pc[p] == "critical")
        self.flag[p] = False
        self.seen[p] = 0
        self.pc[p] = "idle"

    @invariant
    def mutex(self) -> bool:
        return sum(pc == "critical" for pc in self.pc) <= 1


class RicartAgrawala(Spec):
    """Ricart and Agrawala without clocks: who was answered by everybody may enter, and answers again afterwards."""

    n = Constant(3)
    bug = Constant(0, "1: who is inside answers")
    may_terminate = True

    def variables(self) -> None:
        pairs = [(a, b) for a in range(self.n) for b in range(self.n) if a != b]
        self.asked = Map(pairs, Bool())
        self.answered = Map(pairs, Bool())
        self.inside = Array(self.n, Bool())

    @action(a="n", b="n")
    def ask(self, a: int, b: int) -> None:
        require(a != b and not self.asked[a, b])
        self.asked[a, b] = True

    @action(a="n", b="n")
    def answer(self, a: int, b: int) -> None:
        """b lets a go first"""
        require(a != b and self.asked[a, b] and not self.answered[b, a])
        require(self.bug == 1 or not self.inside[b])
        self.asked[a, b] = False
        self.answered[a, b] = True

    @action(a="n")
    def enter(self, a: int) -> None:
        require(all(self.answered[a, b] for b in range(self.n) if b != a))
        self.inside[a] = True

    @action(a="n")
    def leave(self, a: int) -> None:
        require(self.inside[a])
        self.inside[a] = False
        for b in range(self.n):
            if b != a:
                self.answered[a, b] = False

    @invariant
    def mutex(self) -> bool:
        return sum(self.inside) <= 1


class TokenRing(Spec):
    """A token goes round in messages between neighbours."""

    n = Constant(5)
    bug = Constant(0, "1: the token is sent and kept")
    may_terminate = True

    def variables(self) -> None:
        self.has = Array(self.n, Bool(), init=[True] + [False] * (self.n - 1))
        self.sent = Array(self.n, Bool())
        self.inside = Array(self.n, Bool())

    @action(p="n")
    def enter(self, p: int) -> None:
        require(self.has[p])
        self.inside[p] = True

    @action(p="n")
    def leave(self, p: int) -> None:
        self.inside[p] = False

    @action(p="n")
    def pass_on(self, p: int) -> None:
        require(self.has[p] and not self.inside[p])
        self.has[p] = self.bug == 1
        self.sent[(p + 1) % self.n] = True

    @action(p="n")
    def receive(self, p: int) -> None:
        require(self.sent[p])
        self.sent[p] = False
        self.has[p] = True

    @invariant
    def mutex(self) -> bool:
        return sum(self.inside) <= 1


class EpochLock(Spec):
    """IronFleet's lock: it travels in messages with growing epochs."""

    n = Constant(3)
    epochs = Constant(4)
    bug = Constant(0, "1: a message of any epoch is accepted")
    may_terminate = True

    def variables(self) -> None:
        self.epoch = Array(self.n, Int(0, self.epochs), init=[1] + [0] * (self.n - 1))
        self.held = Array(self.n, Bool(), init=[True] + [False] * (self.n - 1))
        self.transfer = Map([(e, p) for e in range(self.epochs + 1) for p in range(self.n)], Bool())
        self.locked = Map([(e, p) for e in range(self.epochs + 1) for p in range(self.n)], Bool())

    @action(p="n", q="n")
    def grant(self, p: int, q: int) -> None:
        require(self.held[p] and self.epoch[p] < self.epochs)
        self.held[p] = False
        self.transfer[self.epoch[p] + 1, q] = True

    @action(p="n", e="epochs")
    def accept(self, p: int, e: int) -> None:
        require(not self.held[p] and self.transfer[e + 1, p] and (self.bug == 1 or e + 1 > self.epoch[p]))
        self.held[p] = True
        self.epoch[p] = e + 1
        self.locked[e + 1, p] = True

    @invariant
    def one_holder(self) -> bool:
        return all(sum(self.locked[e, p] for p in range(self.n)) <= 1 for e in range(self.epochs + 1)) and (
            sum(self.held) <= 1
        )


class ReadersWriters(Spec):
    """Many readers or one writer, by messages to a server."""

    n = Constant(4)
    bug = Constant(0, "1: a writer waits for writers only")
    may_terminate = True

    def variables(self) -> None:
        self.granted_read = Array(self.n, Bool())
        self.granted_write = Array(self.n, Bool())
        self.reading = Array(self.n, Bool())
        self.writing = Array(self.n, Bool())
        self.readers = Int(0, self.n)
        self.writer = Bool()

    @action(p="n")
    def grant_read(self, p: int) -> None:
        require(not self.writer and not self.granted_read[p] and not self.reading[p])
        self.granted_read[p] = True
        self.readers += 1

    @action(p="n")
    def grant_write(self, p: int) -> None:
        require(not self.writer and (self.bug == 1 or self.readers == 0))
        self.granted_write[p] = True
        self.writer = True

    @action(p="n")
    def read(self, p: int) -> None:
        require(self.granted_read[p])
        self.granted_read[p] = False
        self.reading[p] = True

    @action(p="n")
    def write(self, p: int) -> None:
        require(self.granted_write[p])
        self.granted_write[p] = False
        self.writing[p] = True

    @action(p="n")
    def end_read(self, p: int) -> None:
        require(self.reading[p])
        self.reading[p] = False
        self.readers -= 1

    @action(p="n")
    def end_write(self, p: int) -> None:
        require(self.writing[p])
        self.writing[p] = False
        self.writer = False

    @invariant
    def alone(self) -> bool:
        return sum(self.writing) <= 1 and not (any(self.writing) and any(self.reading))


class Philosophers(Spec):
    """Chandy and Misra: forks between neighbours, which are clean or dirty, and are asked for by tokens."""

    n = Constant(4)
    bug = Constant(0, "1: a fork is given away while its owner eats")
    may_terminate = True

    def variables(self) -> None:
        self.fork = Array(self.n, Int(0, 1), init=[0] * (self.n - 1) + [1])
        self.clean = Array(self.n, Bool())
        self.token = Array(self.n, Int(0, 1), init=[1] * (self.n - 1) + [0])
        self.state = Array(self.n, Enum("thinks", "hungry", "eats"))

    def has(self, p: int, side: int) -> bool:
        """fork i lies between philosopher i (side 0) and i + 1 (side 1)"""
        return self.fork[p if side == 0 else (p - 1) % self.n] == side

    @action(p="n")
    def get_hungry(self, p: int) -> None:
        require(self.state[p] == "thinks")
        self.state[p] = "hungry"

    @action(p="n", side=(0, 1))
    def ask(self, p: int, side: int) -> None:
        fork = p if side == 0 else (p - 1) % self.n
        require(self.state[p] == "hungry" and self.token[fork] == side and self.fork[fork] != side)
        self.token[fork] = 1 - side

    @action(p="n", side=(0, 1))
    def give(self, p: int, side: int) -> None:
        fork = p if side == 0 else (p - 1) % self.n
        require(self.token[fork] == side and self.fork[fork] == side and not self.clean[fork])
        require(self.bug == 1 or self.state[p] != "eats")
        self.fork[fork] = 1 - side
        self.clean[fork] = True

    @action(p="n")
    def eat(self, p: int) -> None:
        require(self.state[p] == "hungry" and self.has(p, 0) and self.has(p, 1))
        self.state[p] = "eats"
        self.clean[p] = False
        self.clean[(p - 1) % self.n] = False

    @action(p="n")
    def think(self, p: int) -> None:
        require(self.state[p] == "eats")
        self.state[p] = "thinks"

    @invariant
    def neighbours(self) -> bool:
        return not any(self.state[p] == "eats" and self.state[(p + 1) % self.n] == "eats" for p in range(self.n))
