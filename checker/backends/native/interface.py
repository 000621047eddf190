"""What compiled code and its callers share: numbers, the context of a worker, and how states are compressed.

Nothing here writes code, so a search whose machine code is cached loads no code writer.
"""

from __future__ import annotations

from dataclasses import dataclass

from .program import Shape

NO_ACTION = 0xFFFF
"""The action of an initial state."""
DONE, GROW = 0, 1
"""What `explore` returns."""
NARROW = 64
"""States of a level, at most, over which machine code goes by itself to the next one."""
LANES_BITS = 4
LANES = 1 << LANES_BITS
"""Slots of a bucket of the table."""
HASH_SEED = 0x2545F4914F6CDD1D
MULTIPLIERS = (0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB)
"""What the hash of a state begins with, and what it is multiplied by for each word."""
PAGE = 256
"""Indexes that a worker claims at once."""

SLOTS = (
    "states",  # the arena of states
    "keys",  # the arena of keys: the same as states unless the spec has a view
    "table",  # the slots
    "bits",  # log2 of the number of slots
    "stored",  # states that this worker stored
    "next",  # the index of the next state that it stores ...
    "page_end",  # ... which is in a page that ends here: then it claims another ...
    "claimed",  # ... from this counter that all workers share
    "crowd",  # whether other workers store states at the same time
    "level_start",  # index of the first state of the level that is being built
    "via",  # the least action (u16) that led to each state of the level that is being built
    "cursor",  # the next state to expand
    "end",  # one past the last state to expand
    "limit",  # indexes that fit before the table must grow ...
    "slack",  # ... of which this many are kept free for what the workers are about to store
    "out",  # successors of a batch ...
    "actions",  # ... their actions (u16)
    "sources",  # ... and the positions of their predecessors in the batch (u32)
    "counters",  # see program.Counters
    "always",  # groups of watches that are evaluated on every new state, as a mask ...
    "never",  # ... and those that are finished
    "parts",  # the tables of the parts of compressed states (see state_compressor) ...
    "parents",  # ... the states of a batch decompressed ...
    "roots",  # ... and the roots of its successors
)
SLOT = {name: i for i, name in enumerate(SLOTS)}

PARTS = (
    "table",  # the slots of a part ...
    "bits",  # ... and log2 of their number
    "entries",  # the values, a row each
    "limit",  # numbers that fit before something must grow
    "shift",  # the position of the number in its word of the root ...
    "mask",  # ... and as many ones as it has bits
)
PART = {name: i for i, name in enumerate(PARTS)} | {"claimed": 16}
PART_SIZE = 32
"""Slots of a part: `claimed`, which workers write to, is on cache lines of its own."""

NO_NODE = 0xFFFFFFFF
"""The number for "no node" of a graph."""
CLOSED = 1 << 31
"""Set in the number of a node whose component is known (see graph_passes)."""
AHEAD = 16
"""How many nodes before it is needed the record of a node is fetched."""
SEARCH_SLOTS = (
    "records",  # for each node two u32: its number, see `components`, and its first edge
    "targets",  # the edges: to which node each leads (u32) ...
    "actions",  # ... by which action instance (u16) ...
    "steps",  # ... and (u8) in bit 0 whether it may be taken, in bit 1 whether it is wanted; 0 where all are the same
    "size",  # nodes of the graph
    "loops",  # whether an edge leads from a node to itself
    "nodes",  # which nodes may be visited (u8) ...
    "begins",  # ... from which the search begins (u8) ...
    "wanted",  # ... and which are wanted (u8); 0 where all are
    "words",  # words of a mask of fairness assumptions
    "enabled",  # those that are enabled in each node, as masks: word by word ...
    "members",  # ... and those to which each action instance belongs
    "instances",  # action instances
    "weak",  # the assumptions of weak fairness ...
    "strong",  # ... and of strong fairness, as masks
    "goal",  # the one that a wanted node or edge fulfils, in the last word
    "starts",  # nodes (u32) from which the search begins ...
    "last",  # ... and how many they are
    "stack",  # nodes (u32): the path, and from the end those whose component is open
    "path",  # for each node of the path two u32: its next edge, and its index
    "order",  # the nodes (u32) of all components, one component after the other, and AHEAD nodes more ...
    "ends",  # ... and one past the last node of each (u32)
    "neglected",  # for each component the assumptions that it neglects, as masks: word by word
    "moves",  # how far one call goes
    "depth",  # nodes of the path
    "visited",  # nodes that were visited
    "top",  # where the open nodes begin
    "found",  # components that are known ...
    "closed",  # ... and their nodes
    "next",  # the start that comes next
    "fair",  # components that neglect nothing
)
SEARCH = {name: i for i, name in enumerate(SEARCH_SLOTS)}


@dataclass(frozen=True)
class CompressedLayout:
    """How states are compressed: the words of each group, and the word of the root that holds its number."""

    groups: tuple[tuple[int, ...], ...]
    places: tuple[int, ...]

    @property
    def roots(self) -> int:
        """Words of a root."""
        return max(self.places) + 1


BLOCK = 1024
"""States of a block, a multiple of the bits of a word: the code of each instance is fetched once for a block."""
MANY = 16
"""Instances from which on a model is large. The code of fewer stays in the cache, and most are enabled somewhere."""


def large(program: Shape) -> bool:
    """Whether a program is expanded by the block (see expanding)."""
    return program.instances >= MANY


def batch_size(program: Shape) -> int:
    """States that are expanded together: their successors should stay in the first-level cache; of a large model, whose
    code does not stay there, in the second-level cache."""
    most, successors = (BLOCK, 1 << 18) if large(program) else (64, 1 << 12)
    return max(1, min(most, successors // program.most_successors))


@dataclass(frozen=True)
class WalkLoop:
    """What stands around the functions of a program for random walks, in place of a store (see walking)."""


Around = CompressedLayout | WalkLoop | None
"""What stands around the functions of a program: a store of states that are compressed, or the loop of random walks; a
store of states as they are, for None."""

WALK_SLOTS = (
    "rounds",  # how many rounds one call makes, at most
    "next",  # the walk that begins next ...
    "end",  # ... and one past the last that may begin now
    "last",  # whether no other walks come after `end`
    "seed",  # what all random numbers depend on
    "most",  # steps of a walk, at most
    "deadlock",  # whether a state without successors is a violation
    "starts",  # the initial states ...
    "initial",  # ... and how many they are
    "violations",  # for each watch whether it is a violation (u64)
    "size",  # walks in the block ...
    "walks",  # ... their numbers ...
    "steps",  # ... how many steps each has made ...
    "states",  # ... the state of each ...
    "before",  # ... and the one before
    "arrived",  # the next state of each walk
    "columns",  # the states word by word
    "flags",  # for each watch a mask of the walks in whose state it holds
    "out",  # the successors of all walks ...
    "actions",  # ... their actions (u16) ...
    "sources",  # ... the positions of their walks in the block (u32) ...
    "within",  # ... and whether they are inside the constraints (u8)
    "all",  # successors of each walk ...
    "inside",  # ... those inside the constraints ...
    "picks",  # ... and how many come before the chosen one
    "failing",  # whether an action fails in the state of a walk (u8)
    "outside_now",  # whether the state of a walk is outside the constraints (u8)
    "counters",  # see program.Counters
    "unused_counters",  # counters of what is expanded again
    "taken",  # steps of each action
    "sightings",  # for each watch, then for errors and deadlocks, a SIGHTING
    "generated",  # states on all walks
    "walked",  # walks that have ended ...
    "stuck",  # ... in a state without successors ...
    "outside",  # ... or outside the constraints
    "pruned",  # successors outside the constraints
    "longest",  # steps of the longest walk
    "table",  # the sample of distinct states: VISITED ...
    "mask",  # ... as many less one ...
    "used",  # ... those that are used ...
    "room",  # ... and how many may be
    "highest",  # the largest digest of the sample
)
WALK = {name: i for i, name in enumerate(WALK_SLOTS)}
SIGHTING = {name: i for i, name in enumerate(("times", "first_walk", "first_step", "shortest_step", "shortest_walk"))}
"""A violation on walks: how often, its first occurrence, and its shortest."""
VISITED = {name: i for i, name in enumerate(("digest", "visits", "walk"))}
"""A state of the sample: its digest, how often it was visited (0: no state), and the walk that did, or EVERY_WALK."""
EVERY_WALK = (1 << 64) - 1
"""In place of the number of a walk: several walks."""
GOLDEN = 0x9E3779B97F4A7C15
DIGEST_SEED = 0x243F6A8885A308D3
"""Where the digest of a state begins: the first digits of pi."""
WALK_LANES = 8
"""States in a vector."""


def walk_block(program: Shape) -> int:
    """Walks that advance together: a multiple of 64."""
    most, successors = (BLOCK, 1 << 18) if large(program) else (256, 1 << 14)
    return max(1, min(most, successors // program.most_successors) // 64) * 64
