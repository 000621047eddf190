"""The simple resource allocator (Merz, "The Specification Language TLA+", 2008).

Clients ask for sets of resources, get them one part after the other, and give them back. For each client a disjunction
is fair: that it is given some set of what it waits for. What comes true is said of each client and each resource.
"""

import itertools
from typing import Any

from everystate.checker import (
    Array,
    Constant,
    Set,
    Spec,
    action,
    fair,
    infinitely_often,
    invariant,
    leads_to,
    require,
    strongly_fair,
)

Resources = tuple[int, ...]


class Allocator(Spec):
    """Clients share resources: who asks gets all of them some time."""

    clients = Constant(3, "clients")
    resources = Constant(2, "resources")

    def variables(self) -> None:
        self.all = range(self.resources)
        sizes = range(1, self.resources + 1)
        self.sets = tuple(itertools.chain.from_iterable(itertools.combinations(self.all, size) for size in sizes))
        self.wanted = Array(self.clients, Set(self.all))
        self.held = Array(self.clients, Set(self.all))

    def free(self, resource: int) -> Any:
        return not any(resource in held for held in self.held)

    @action(client="clients", these="sets")
    def request(self, client: int, these: Resources) -> None:
        require(len(self.wanted[client]) == 0 and len(self.held[client]) == 0)
        self.wanted[client] = set(these)

    @strongly_fair(together="allocate", each="client")
    @action(client="clients", these="sets")
    def allocate(self, client: int, these: Resources) -> None:
        require(all(r in self.wanted[client] and self.free(r) for r in these))
        self.held[client].update(these)
        for resource in these:
            self.wanted[client].remove(resource)

    @action(client="clients", these="sets")
    def give_back_some(self, client: int, these: Resources) -> None:
        require(all(r in self.held[client] for r in these))
        require(len(self.held[client]) > len(these))
        for resource in these:
            self.held[client].remove(resource)

    @fair
    @action(client="clients")
    def give_back_all(self, client: int) -> None:
        require(len(self.held[client]) > 0)
        self.held[client].clear()

    @invariant
    def nobody_shares(self) -> Any:
        """no resource is held by two clients"""
        pairs = itertools.combinations(range(self.clients), 2)
        return not any(r in self.held[a] and r in self.held[b] for a, b in pairs for r in self.all)

    @leads_to(client="clients")
    def returns(self, client: int) -> Any:
        """a client that waits for nothing holds nothing some time"""
        return len(self.wanted[client]) == 0, len(self.held[client]) == 0

    @leads_to(client="clients", resource="all")
    def obtains(self, client: int, resource: int) -> Any:
        """a client gets each resource that it waits for"""
        return resource in self.wanted[client], resource in self.held[client]

    @infinitely_often(client="clients")
    def is_satisfied(self, client: int) -> Any:
        """again and again a client waits for nothing"""
        return len(self.wanted[client]) == 0
