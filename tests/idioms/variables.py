"""Variables of every domain, each with the ways to read and to change it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """A variable of a spec: its domain, expressions by their kind, and statements as paragraphs."""

    name: str
    domain: str
    reads: dict[str, str]
    writes: str


def _variable(name: str, domain: str, writes: str, **reads: str) -> Variable:
    return Variable(name, domain, reads, writes)


LISTS = """
!self.{v}.append({digit})

!if len(self.{v}) < 3:
    self.{v}.append({digit})

!self.{v} = {list}[:3]

!self.{v} = [{digit x} for {x:int} in {ints} if {bool x}]

!self.{v}.{popleft()|pop()|clear()|pop(0)|sort()|reverse()}

!if self.{v}:
    {=t:int} = self.{v}.{popleft()|pop()|pop(0)}

!self.{v}.insert(0, {digit})

!self.{v}.extend({list})

!self.{v}.remove({int})

!self.{v}[{digit}] = {digit}

!self.{v}[{0|-1}] += {1|-1}

!del self.{v}[{0|-1|:1}]

!for {x:int} in self.{v}:
    {block x}

!for {x:int} in {reversed(|filter(None, |iter(}self.{v}):
    {block x}
    self.{v}.{pop()|popleft()|append(1)}

!while self.{v}:
    {=t:int} = self.{v}.pop({0|-1})
    self.out = {int t}

!self.{v} += [{digit}]

!self.{v} = sorted(set(self.{v}))

!{=u:list} = self.{v}
if len({u}) < 3:
    {u}.append({digit})

!{=u:list} = self.{v}
if len({u}) < 3:
    {u}.insert(0, {digit})

!{=u:list} = self.{v}
{u}.{popleft()|pop()|clear()|sort()|reverse()}

!{=u:list} = self.{v}
{u}.{remove|append}({int})

!{=u:list} = self.{v}
{u}.extend({list})

!{=u:list} = self.{v}
{u}[{0|-1}] {=|+=} {digit}

!{=u:list} = self.{v}
{u} += [{digit}]

!{=u:list} = self.{v}
{block u}
self.{v} = {list}[:3]

!{=u:list} = self.{v}
{block u}
del {u}[{0|-1|:1|1:}]
"""
SETS = """
!self.{v}.{add|discard|remove}({digit})

!self.{v} = {set}

!self.{v} {-=|&=|^=} {set}

!self.{v} |= {{{digit}}}

!self.{v}.{update|difference_update}({ints})

!self.{v}.clear()

!self.{v} = {{{digit x} for {x:int} in {ints}}}

!for {x:int} in sorted(self.{v}):
    {block x}

!if {bool}:
    self.{v}.add({digit})

!{=u:set} = self.{v}
{u}.{add|discard|remove}({digit})

!{=u:set} = self.{v}
{block u}
{u} {-=|&=|^=} {set}

!{=u:set} = self.{v}
{u} |= {{{digit}}}

!{=i:items} = {iter(|map(abs, |filter(None, |zip(range(9), |enumerate(}self.{v})
self.{v}.{add|discard}({digit})
{@int} = len(list({i}))

!for {x:int} in self.{v}:
    if {bool x}:
        self.{v}.{add|discard}({digit})

!{=u:set} = self.{v}
{block u}
self.{v} = {set}
"""
SEQ = {
    "list": "self.{v}\nself.{v}",
    "fresh": "self.{v}[{1:|:-1|::-1|:2|-2:|:}]\nself.{v}.copy()",
    "int": "self.{v}[{0|-1}]\nlen(self.{v})\n!self.{v}.pop()",
}
SET = {"set": "self.{v}\nself.{v}", "ints": "self.{v}", "int": "len(self.{v})", "freshset": "self.{v}.copy()"}

VARIABLES = [
    _variable(
        "n",
        "Int(0, 3)",
        """
!self.n = {digit}

!self.n = {int}

!if self.n < 3:
    self.n += 1
""",
        int="self.n\nself.n",
        digit="self.n\nself.n",
    ),
    _variable(
        "m",
        "Int(-3, 3)",
        """
!self.m = {digit} {-|+} 1

!self.m = -self.m

!self.m {+=|-=|*=} {int}
""",
        int="self.m\nself.m\n-self.m // 2",
    ),
    _variable(
        "on",
        "Bool()",
        """
!self.on = {bool}

!self.on = not self.on
""",
        bool="self.on\nself.on\nnot self.on",
    ),
    _variable(
        "light",
        'Enum("red", "green", "blue")',
        """
!self.light = {text}

!match self.light:
    case "red":
        self.light = "green"
    case "green" | "blue":
        {block}
""",
        text="self.light\nself.light",
        bool='(self.light == "red")\n(self.light in ("red", "green"))',
    ),
    _variable(
        "shade",
        "Enum(Color)",
        """
!self.shade = Color.{RED|GREEN|BLUE}

!self.shade = Color.RED if {bool} else Color.BLUE

!self.shade = [Color.RED, Color.GREEN][{bool}]

!match self.shade:
    case Color.RED:
        {block}
    case Color.GREEN | Color.BLUE:
        {block}
""",
        bool="(self.shade {is|is not|==} Color.{RED|GREEN})\n(self.shade in (Color.RED, Color.BLUE))",
        int="""
{{Color.RED: {int}, Color.GREEN: {int}}}.get(self.shade, {int})
[Color.BLUE, Color.RED, Color.GREEN].index(self.shade)""",
    ),
    _variable(
        "o",
        "Option(Int(0, 3))",
        """
!self.o = {digit}

!self.o = None

!self.o = {digit} if {bool} else None

!if self.o is None:
    self.o = {digit}

!if self.o is not None and {bool}:
    self.o += {1|-1}
""",
        opt="self.o\nself.o",
        int="(self.o if self.o is not None else {int})\n(self.o or {int})\nself.o",
        bool="(self.o is not None and self.o > {int})\n(self.o == {int})",
    ),
    _variable(
        "q", "Seq(Int(0, 3), 3)", LISTS.replace("{v}", "q"), **{k: t.replace("{v}", "q") for k, t in SEQ.items()}
    ),
    _variable(
        "w", "Seq(Int(-1, 2), 2)", LISTS.replace("{v}", "w"), **{k: t.replace("{v}", "w") for k, t in SEQ.items()}
    ),
    _variable(
        "cells",
        "Array(3, Int(0, 3))",
        """
!self.cells[{digit}] = {digit}

!self.cells[{0..2}] {+=|-=} 1

!self.cells = [{digit x} for {x:int} in range(3)]

!self.cells[0], self.cells[1] = self.cells[1], self.cells[0]

!for {i:int}, {x:int} in enumerate(self.cells):
    if {bool i x}:
        self.cells[{i}] = {digit i x}

!for {i:int} in range(3):
    self.cells[{i}] = {digit i}

!self.cells.{sort|reverse}()
""",
        list="self.cells\nself.cells",
        int="self.cells[{digit} % 3]\nself.cells[{0..2}]\n{min|max}(self.cells)\nsum(self.cells)",
        fresh="self.cells[{1:|:-1|::-1}]",
    ),
    _variable(
        "flags",
        "Array(3, Bool())",
        """
!self.flags[{0..2}] = {bool}

!self.flags[{digit} % 3] = {bool}

!self.flags = [{bool x} for {x:int} in range(3)]
""",
        bools="self.flags\nself.flags",
        bool="self.flags[{digit} % 3]\n{any|all}(self.flags)",
        int="sum(self.flags)\nself.flags.count({True|False})",
        ints="({i:int} for {i} in range(3) if self.flags[{i}])",
    ),
    _variable(
        "votes",
        "Array(3, Option(Int(0, 2)))",
        """
!self.votes[{0..2}] = {digit} % 3

!self.votes[{digit} % 3] = None

!self.votes = [None, {digit} % 3, {opt}]
""",
        opts="self.votes\nself.votes",
        opt="self.votes[{digit} % 3]",
        int="self.votes.count({None|1})",
        list="[{v:int} for {v} in self.votes if {v} is not None]",
        bool="(None in self.votes)",
    ),
    _variable("s", "Set(range(4))", SETS.replace("{v}", "s"), **{k: t.replace("{v}", "s") for k, t in SET.items()}),
    _variable(
        "few",
        "Set(Int(0, 5), capacity=2)",
        SETS.replace("{v}", "few"),
        **{k: t.replace("{v}", "few") for k, t in SET.items()},
    ),
    _variable(
        "bag",
        "Bag(range(3), 4)",
        """
!self.bag.{add|discard|remove}({digit})

!self.bag.{add|discard|remove}({0..2})

!self.bag[{0..2}] {+=|-=} {0..2}

!self.bag[{digit} % 3] = {digit}

!self.bag = [{digit x} for {x:int} in {ints} if {bool x}]

!self.bag = {{0: {digit}, 2: {digit}}}

!self.bag.update({list})

!self.bag.clear()

!for {x:int} in self.bag:
    {block x}

!for {x:int}, {c:int} in self.bag.items():
    {block x c}

!if {bool}:
    self.bag.add({0..2})
""",
        ints="self.bag\nself.bag.elements()",
        list="self.bag.elements()",
        pairs="self.bag.items()",
        int="""
self.bag[{int}]
self.bag[{0..2}]
self.bag.total()
len(self.bag)
sum(self.bag[{x:int}] for {x} in self.bag)""",
        bool="({int} in self.bag)\nbool(self.bag)\n(self.bag == {{1: {digit}}})",
    ),
    _variable(
        "links",
        "Set(Product(range(2), range(3)))",
        """
!self.links.{add|discard|remove}(({0|1}, {0..2}))

!self.links.add(({digit} % 2, {digit} % 3))

!self.links = {{({b:int}, {a:int}) for {a}, {b} in self.links if {bool a b}}}

!for {a:int}, {b:int} in sorted(self.links):
    {block a b}
""",
        pairs="self.links\nself.links",
        bool="(({int}, {int}) in self.links)",
        int="len(self.links)",
        ints="({b:int} for {a:int}, {b} in self.links if {a} == {int})",
    ),
    _variable(
        "sent",
        "Set(Msg)",
        """
!self.sent.{add|discard|remove}(Msg({"ask"|"ack"}, {0..1}))

!self.sent = {{{m:msg} for {m} in self.sent if {bool m}}}

!for {m:msg} in sorted(self.sent, key=lambda {l:msg}: ({l}.kind, {l}.to)):
    {block m}

!self.sent |= {{Msg("ack", {m:msg}.to) for {m} in self.sent}}
""",
        int="""
sum(1 for {m:msg} in self.sent if {bool m})
len(self.sent)
len({{{m:msg}.to for {m} in self.sent}})
{min|max}(({m:msg}.to for {m} in self.sent), default={int})""",
        bool='(Msg({"ask"|"ack"}, {digit}) in self.sent)\n{any|all}({bool m} for {m:msg} in self.sent)',
        ints="({m:msg}.to for {m} in self.sent if {bool m})",
    ),
    _variable(
        "rec",
        "Rec",
        """
!self.rec.x = {digit}

!self.rec = {rec}

!self.rec.on = {bool}

!self.rec.bump({int})

!{=r:rec} = self.rec
{r}.x = {digit r}
""",
        rec="self.rec\nself.rec",
        int="self.rec.x",
        bool="self.rec.on",
    ),
    _variable(
        "recs",
        "Seq(Rec, 2)",
        """
!self.recs.append({rec})

!if len(self.recs) < 2:
    self.recs.append(Rec({digit}, {bool}))

!self.recs[{0|-1}].on = {bool}

!self.recs[{0|-1}].x = {digit}

!for {r:rec} in self.recs:
    {r}.x = {digit r}

!for {r:rec} in self.recs:
    if {bool r}:
        {r}.on = {bool r}
        {break|continue}
    {block r}

!{=r:rec} = next(({s:rec} for {s} in self.recs if {bool s}), None)
if {r} is not None:
    {r}.x = {digit}

!self.recs = [{r:rec} for {r} in self.recs if {bool r}]

!self.recs.sort(key=lambda {r:rec}: {int r})

!self.recs = {recs}

!self.recs.{popleft|pop|clear|reverse}()

!if {rec} in self.recs:
    self.recs.remove({rec})
""",
        recs="self.recs\nself.recs",
        rec="self.recs[{0|-1}]",
        int="len(self.recs)",
    ),
    _variable(
        "arr",
        "Array(2, Rec)",
        """
!self.arr[{0|1}].x = {digit}

!self.arr[{digit} % 2] = {rec}

!for {i:int}, {r:rec} in enumerate(self.arr):
    {r}.x = {digit i r}

!self.arr[0], self.arr[1] = self.arr[1], self.arr[0]

!{min|max}(self.arr, key=lambda {r:rec}: {r}.x).on = {bool}

!self.arr.sort(key=lambda {r:rec}: {r}.x)
""",
        recs="self.arr\nself.arr",
        rec="self.arr[{digit} % 2]",
    ),
    _variable(
        "best",
        "Option(Rec)",
        """
!self.best = {rec}

!self.best = None

!if self.best is not None:
    self.best.x = {digit}

!if self.best is None or {bool}:
    self.best = Rec({digit}, {bool})
""",
        rec="(self.best or Rec(0, True))\n(self.best if self.best is not None else {rec})",
        int="self.best.x",
        bool="(self.best is not None and self.best.on)\n(self.best is None)\n(self.best == {rec})",
    ),
    _variable(
        "price",
        'Map(["tea", "milk"], Int(0, 3))',
        """
!self.price[{"tea"|"milk"}] = {digit}

!self.price.update(tea={digit})

!for {k:drink}, {v:int} in self.price.items():
    {block k v}

!for {k:drink} in self.price:
    if {bool k}:
        self.price[{k}] = {digit}

!self.price = {{"tea": {digit}, "milk": {digit}}}

!self.price = {{{k:drink}: {digit k} for {k} in self.price}}

!{=u:prices} = self.price
{u}[{drink}] {=|+=} {digit}
""",
        int='self.price[{"tea"|"milk"}]\nsum(self.price.values())\nself.price.get({"tea"|"coffee"}, {int})',
        ints="self.price.values()",
        drink="""
{"tea"|"milk"}
{min|max}(self.price, key=lambda {k:drink}: self.price[{k}])
{min|max}(self.price, key=self.price.get)""",
        bool='({drink} == "tea")',
    ),
    _variable(
        "table",
        "Map(range(3), Int(0, 3))",
        """
!self.table[{digit}] = {digit}

!self.table[{0..2}] {+=|-=} 1

!self.table.update({{0: {digit}, 2: {digit}}})

!self.table = {{{k:int}: {digit k} for {k} in range(3)}}

!{=u:dict} = self.table
{u}[{digit}] = {digit}

!{=u:dict} = self.table
{block u}
self.table = {{{k:int}: {digit k} for {k} in range(3)}}
""",
        dict="self.table\nself.table",
        int="self.table[{digit}]",
        ints="self.table",
    ),
    _variable(
        "grid",
        "Array(2, Array(2, Int(0, 2)))",
        """
!self.grid[{0|1}][{0|1}] = {digit} % 3

!self.grid[{0|1}] = [{digit} % 3, {0..2}]

!for {row:list} in self.grid:
    {row}[{0|1}] = {digit row} % 3

!{=row:list} = self.grid[{digit} % 2]
{block row}
{row}[{0|1}] = {digit} % 3
""",
        grid="self.grid\nself.grid",
        int="self.grid[{digit} % 2][{digit} % 2]\nsum(sum({row:list}) for {row} in self.grid)",
        list="self.grid[{0|1}]",
    ),
    _variable(
        "rows",
        "Array(2, Seq(Int(0, 2), 2))",
        """
!if len(self.rows[{0|1}]) < 2:
    self.rows[{0|1}].append({digit} % 3)

!self.rows[{digit} % 2].append({0..2})

!self.rows[{0|1}].{popleft|pop|clear}()

!self.rows[{0|1}] = {list}[:2]

!for {row:list} in self.rows:
    if {row}:
        {row}.pop()

!{=row:list} = self.rows[{digit} % 2]
{block row}
if len({row}) < 2:
    {row}.append({digit} % 3)

!{=row:list} = self.rows[{0|1}]
self.rows[{digit} % 2] = {list}[:2]
{row}.{clear()|reverse()}
""",
        grid="self.rows\nself.rows",
        list="self.rows[{digit} % 2]",
        int="len(self.rows[{0|1}])\nsum(map(len, self.rows))",
    ),
    _variable(
        "deep",
        "Seq(Seq(Int(0, 2), 2), 2)",
        """
!self.deep.append([{0..2}])

!self.deep[{0|-1}].append({0..2})

!self.deep = [{row:list} for {row} in self.deep if {bool row}]
""",
        grid="self.deep\nself.deep",
        int="len(self.deep)",
    ),
    _variable(
        "held",
        "Map(range(2), Set(range(3)))",
        """
!self.held[{0|1}].{add|discard}({0..2})

!self.held[{digit} % 2] = {{{x:int} for {x} in {ints} if 0 <= {x} < 3}}

!self.held[{0|1}] {-=|&=} {set}
""",
        set="self.held[{0|1}]\nself.held[{digit} % 2]",
        ints="self.held[{0|1}]",
        int="sum(len({x:set}) for {x} in self.held.values())",
    ),
    _variable(
        "pair",
        "Product(range(4), range(4))",
        """
!self.pair = ({digit}, {digit})

!self.pair = (self.pair[1], self.pair[0])

!{=a:int}, {=b:int} = self.pair
""",
        pair="self.pair\nself.pair",
        int="self.pair[{0|1}]",
    ),
    _variable(
        "spot",
        "Product(Spot, x=range(3), y=range(3))",
        """
!self.spot = Spot({digit} % 3, {0..2})

!self.spot = self.spot._replace({x|y}={digit} % 3)

!match self.spot:
    case Spot({x:int}, 0):
        {block x}
    case Spot(x=0, y={y:int}):
        {block y}
""",
        pair="self.spot\nself.spot",
        int="self.spot.{x|y}",
    ),
]
OUTPUTS = {
    "out": ("Int(-5000, 5000)", "int"),
    "outs": ("Seq(Int(-99, 99), 6)", "list"),
    "said": ("Bool()", "bool"),
    "got": ("Option(Int(-99, 99))", "opt"),
    "seen": ("Set(range(-5, 10))", "set"),
}
"""Where a body leaves what it has found: domains, and the kind of what is stored."""
CHOICES = """
!{=c:int} = choose({ints})

!{=c:int} = choose(sorted({set}))

!{=c:int} = choose(range({2..3}))

!{=c:bool} = choose([False, True])

!{=a:int}, {=b:int} = choose({pairs})

!{=c:rec} = choose({recs})
{c}.x = {digit}

!require({bool})

!if {bool}:
    require({bool})

!if {bool}:
    return

!for {x:int} in {ints}:
    if {bool x}:
        return
    {block x}

!narrate(f"now {{{@int}}}")
"""
