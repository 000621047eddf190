"""Expressions of everyday Python whose values hold others: lists, sets, dicts, pairs, iterators."""

from __future__ import annotations

COLLECTIONS: dict[str, str] = {
    "ints": """
        {list}
        {list}
        {iter}
        range({digit})
        range({digit}, {digit})
        range({0..3}, -1, -1)
        reversed({list})
        sorted({bag})
        sorted({ints}, key=lambda {x:int}: {int x})
        map(lambda {x:int}: {int x}, {ints})
        map({fun}, {ints})
        map(operator.{add|sub}, {ints}, {ints})
        filter(lambda {x:int}: {bool x}, {ints})
        filter(None, {ints})
        ({int x} for {x:int} in {ints})
        ({int x} for {x:int} in {ints} if {bool x})
        ({int x y} for {x:int}, {y:int} in {pairs})
        ({int x y} for {x:int} in {ints} for {y:int} in {ints x})
        ({int r} for {r:rec} in {recs} if {bool r})
        ({x:int} for {x} in {opts} if {x} is not None)
        ({y:int} for {x:list} in {grid} for {y} in {x})
        ({y:int} for {x:int} in {ints} if ({y} := {int x}) > {int})
        itertools.chain({ints}, {ints})
        itertools.chain.from_iterable({grid})
        itertools.{takewhile|dropwhile}(lambda {x:int}: {bool x}, {ints})
        itertools.islice({ints}, {digit})
        itertools.accumulate({ints})
        itertools.repeat({int}, {0..2})
        itertools.compress({list}, {bools})
        ({int}, {int})
        tuple({ints})
        {dict}.values()
        iter({ints})
        {gen}()
        {gen1}({int})
        {deque}
        {tally}.seen
        (k for k, v in sorted({dict}.items()))
        sorted({set} - {set})
        (lambda: ({int x} for {x:int} in {ints}))()
    """,
    "bag": """
        {ints}
        {ints}
        {set}
        {dict}
    """,
    "list": """
        {fresh}
        {llist}
        ({list} if {bool} else {list})
        ({list} or [{int}])
        {grid}[{0|-1|0|1}]
        (lambda: {list})()
    """,
    "fresh": """
        [{int}, {int}]
        []
        [{int}]
        [{int}, *{ints}]
        [*{ints}, *{ints}]
        [{int x} for {x:int} in {ints}]
        [{int x} for {x:int} in {ints} if {bool x}]
        [{int x y} for {x:int}, {y:int} in {pairs}]
        [{int x y} for {x:int} in {ints} for {y:int} in {ints x} if {bool x y}]
        [{x:int} for {x} in {opts} if {x} is not None]
        [sum({x:list}) for {x} in {grid}]
        [f({int}) for f in [lambda {x:int}: {int x i} for {i:int} in {ints}]]
        list({ints})
        list(map(lambda {x:int}: {int x}, {ints}))
        sorted({bag})
        sorted({bag}, reverse={True|False})
        sorted({ints}, key=lambda {x:int}: {int x})
        sorted({ints}, key={fun}, reverse=True)
        ({list} + {list})
        ({list} * {0..2})
        [{0|-1}] * {0..3}
        {list}[{digit}:]
        {list}[:{digit}]
        {list}[{digit}:{digit}]
        {list}[{::-1|:-1|-2:|::2|1:}]
        {list}.copy()
        {list}[:]
        copy.copy({list})
        copy.deepcopy({list})
        list(reversed({list}))
        list(dict.fromkeys({ints}))
        list({dict}.values())
        list(zip(*{grid}))[0] if False else {list}[:]
        [{int x} if {bool x} else {int x} for {x:int} in {ints}]
    """,
    "grid": """
        [{list}, {list}]
        [{list}, {list}, []]
        [{list x} for {x:int} in {ints}]
        sorted({grid}, key=len)
        [{x:list}[:] for {x} in {grid}]
        copy.deepcopy({grid})
    """,
    "set": """
        {freshset}
        {lset}
        ({set} {-|&|^} {set})
        ({set} | {set})
        {set}.{union|intersection|difference|symmetric_difference}({ints})
        ({set} if {bool} else {set})
    """,
    "freshset": """
        set()
        {{{int}, {int}}}
        {{{int x} for {x:int} in {ints}}}
        {{{int x} for {x:int} in {ints} if {bool x}}}
        set({ints})
        set({set})
        {{*{ints}, {int}}}
        set(range({0..3}))
    """,
    "dict": """
        {freshdict}
        {ldict}
        ({dict} | {dict})
        ({dict} if {bool} else {dict})
    """,
    "freshdict": """
        {{0: {int}, 1: {int}}}
        {{{int x}: {int x} for {x:int} in {ints}}}
        {{{int k v}: {int k v} for {k:int}, {v:int} in {dict}.items() if {bool k v}}}
        dict(zip({ints}, {ints}))
        dict(enumerate({ints}))
        dict.fromkeys({ints}, {int})
        {{**{dict}, {int}: {int}}}
        dict({dict})
        {dict}.copy()
        dict({pairs})
        {{}}
    """,
    "pairs": """
        enumerate({ints})
        enumerate({ints}, {1|2})
        zip({ints}, {ints})
        zip({list}, {list}[1:])
        [({int x}, {int x}) for {x:int} in {ints}]
        (({int x}, {int x}) for {x:int} in {ints} if {bool x})
        {dict}.items()
        itertools.product({ints}, {ints})
        itertools.combinations({ints}, 2)
        itertools.pairwise({ints})
        sorted({pairs})
        reversed(list({pairs}))
        [{pair}, {pair}]
    """,
    "pair": """
        ({int}, {int})
        {min|max}({pairs}, default=({int}, {int}))
        {min|max}({pairs}, key=lambda {p:pair}: {int p}, default=({int}, {int}))
        next(iter({pairs}), ({int}, {int}))
        divmod({int}, {2|-3})
        ({pair} if {bool} else {pair})
        sorted({pairs})[0]
    """,
    "iter": """
        iter({ints})
        iter({ints})
        ({int x} for {x:int} in {ints})
        ({int x} for {x:int} in {ints} if {bool x})
        map(lambda {x:int}: {int x}, {ints})
        filter(lambda {x:int}: {bool x}, {ints})
        reversed({list})
        iter(sorted({bag}))
        {gen}()
    """,
}
