"""A lock with leases: one client holds it at a time, and each grant has a token of its own."""

from everystate.checker import Constant, Int, Option, Spec, action, invariant, require


class Lock(Spec):
    """A lock that its holder lets go, or that its lease takes back."""

    clients = Constant(3, "how many ask for the lock")
    tokens = Constant(1000, "grants before the model ends")
    may_terminate = True

    def variables(self):
        self.holder = Option(Int(0, self.clients - 1))
        self.token = Int(0, self.tokens)

    @action(client=lambda self: range(self.clients))
    def acquire(self, client):
        require(self.holder is None)
        require(self.token < self.tokens)
        self.holder = client
        self.token += 1

    @action(client=lambda self: range(self.clients))
    def release(self, client):
        require(self.holder == client)
        self.holder = None

    @action
    def expire(self):
        require(self.holder is not None)
        self.holder = None

    def free(self):
        return self.holder is None

    @invariant
    def holders_have_tokens(self):
        return self.free() or self.token > 0
