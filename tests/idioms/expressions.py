"""Expressions of everyday Python, by the kind of their value.

`ints` can be iterated once and in one order, `bag` in any order; `list` can be indexed, `fresh` is a list that nobody
else has; `opt` may be None; `pred` and `fun` are functions of a number.
"""

from __future__ import annotations

EXPRESSIONS: dict[str, str] = {
    "int": """
        {0..3}
        {0|1|2|-1|5|-2}
        {const}
        ({int} {+|-|*} {int})
        ({int} {//|%} {2|3|-2|1|-3})
        ({int} {//|%} {int})
        divmod({int}, {2|3|-2})[{0|1}]
        (-{int})
        abs({int})
        ({digit} ** 2)
        ({int} if {bool} else {int})
        {min|max}({int}, {int})
        {min|max}({int}, {int}, {int})
        {min|max}({bag}, default={int})
        {min|max}({bag})
        {min|max}({ints}, key=lambda {x:int}: {int x}, default={int})
        {min|max}({int}, {int}, key=lambda {x:int}: {int x})
        {min|max}({ints}, key={fun}, default={0|3})
        {min|max}({opts}, key=lambda {x:opt}: -1 if {x} is None else {x}, default=0) or 0
        sum({bag})
        sum({ints}, {int})
        sum({bools})
        sum({int x} for {x:int} in {ints})
        sum({int x} for {x:int} in {ints} if {bool x})
        sum(1 for {x:int} in {ints} if {bool x})
        sum({x:int} for {x} in {opts} if {x} is not None)
        sum(map(sum, {grid}))
        sum({int x y} for {x:int}, {y:int} in {pairs})
        len({list})
        len({set})
        len({dict})
        len({opts})
        len({recs})
        len([{int x} for {x:int} in {ints} if {bool x}])
        len(list({ints}))
        len(set({ints}))
        {list}[{digit}]
        {list}[{0|-1|0|1|-2}]
        {list}[{digit} % len({list})]
        next({iter}, {int})
        next({iter})
        next(iter({ints}), {int})
        next(({int x} for {x:int} in {ints} if {bool x}), {int})
        next(filter(lambda {x:int}: {bool x}, {ints}), {int})
        next({i:int} for {i} in itertools.count({0..1}) if {i} not in {set})
        next((i for i, {x:int} in enumerate({ints}) if {bool x}), -1)
        {list}.index({int})
        {list}.count({int})
        ({opt} or {int})
        ({x:int} if ({x} := {opt}) is not None else {int})
        (0 if ({x:int} := {opt}) is None else {int x})
        int({bool})
        ({bool} + {bool})
        {fun}({int})
        {fun}({fun}({int}))
        (lambda {x:int}: {int x})({int})
        (lambda {x:int}, {y:int}={int}: {int x y})({int})
        {rec}.x
        {rec}.twice()
        sum({int r} for {r:rec} in {recs})
        sum({r:rec}.x for {r} in {recs} if {bool r})
        {min|max}(({r:rec}.x for {r} in {recs}), default={int})
        {pair}[{0|1}]
        {dict}.get({int}, {int})
        {dict}[{int}]
        {dict}.get({int}) or {int}
        {{0: {int}, 1: {int}}}.get({int}, {int})
        {{True: {int}, False: {int}}}[{bool}]
        [{int}, {int}][{bool}]
        ({int}, {int}, {int})[{digit} % 3]
        functools.reduce(lambda {a:int}, {b:int}: {int a b}, {ints}, {int})
        functools.reduce(operator.{add|sub}, {ints}, {0|1})
        operator.{add|sub|mul}({int}, {int})
        operator.itemgetter({0|1})({pair})
        len({text})
        ["red", "green", "blue"].index({text})
        {{"red": {int}, "green": {int}}}.get({text}, {int})
        (({x:int} := {int}) + {int x})
        max(len({x:list}) for {x} in {grid})
        len({min|max}({grid}, key=len))
        {list}.pop({0|-1}) if False else {int}
        sum({v:int} for {k:int}, {v} in {dict}.items() if {bool k v})
        sum(({x:int} - {y:int}) for {x}, {y} in zip({list}, {list}))
        collections.Counter({ints})[{int}]
        {counter}[{int}]
        {counter}.total()
        {counter}.most_common(1)[0][{0|1}]
        len({counter})
        len({groups}[{int}])
        sum(len({x:list}) for {x} in {groups}.values())
        {tally}.total
        {tally}.best()
        len({tally}.seen)
        len({deque})
        {deque}[{0|-1}]
        {llist}.pop()
        {llist}.pop(0)
        {deque}.popleft()
        {ldict}.pop({int}, {int})
        {ldict}.setdefault({int}, {int})
        math.prod({ints})
        bool({list}) * {int}
        int({bool}) - int({bool})
        len(str({int}))
    """,
    "digit": """
        {0..3}
        {digit}
        min(max({int}, 0), 3)
        {int} % 4
        abs({int}) % 4
    """,
    "bool": """
        {True|False}
        ({int} {<|<=|==|!=|>|>=} {int})
        ({int} {<|<=} {int} {<|<=} {int})
        ({bool} {and|or} {bool})
        ({bool} {and|or} {bool} {and|or} {bool})
        (not {bool})
        {any|all}({bools})
        {any|all}({bool x} for {x:int} in {ints})
        {any|all}({bool x} for {x:int} in {ints} if {bool x})
        {any|all}({bool x y} for {x:int}, {y:int} in {pairs})
        {any|all}({bool r} for {r:rec} in {recs})
        {any|all}(map(lambda {x:int}: {bool x}, {ints}))
        ({int} {in|not in} {list})
        ({int} {in|not in} {set})
        ({int} {in|not in} {dict})
        ({int} in {ints})
        ({int} in ({int}, {int}))
        ({int} in range({digit}))
        ({opt} {is None|is not None})
        ({opt} {==|!=} {int})
        ({opt} {==|!=} {opt})
        ({opt} in {opts})
        (None in {opts})
        ({set} {<=|==|<|!=|>=|>} {set})
        {set}.{issubset|issuperset|isdisjoint}({ints})
        ({list} {==|!=|<|<=} {list})
        (list({ints}) == {list})
        (sorted({bag}) == {list})
        ({pair} {==|<|!=|>=} {pair})
        ({pair} in {pairs})
        bool({list})
        bool({set})
        (not {list})
        {pred}({int})
        isinstance({opt}, int)
        ({bool} if {bool} else {bool})
        ({bool} {==|!=|&|^} {bool})
        {rec}.on
        ({rec} {==|!=} {rec})
        ({rec} in {recs})
        {rec}.is_big()
        ({text} {==|!=} {text})
        ({text} in ("red", "blue"))
        {text}.startswith({"r"|"b"})
        ({int} == {int} == {int})
        (({x:int} := {int}) > {int} and {bool x})
        implies({bool}, {bool})
        implies({bool}, lambda: {bool})
        ({dict} == {dict})
        ({dict}.get({int}) is None)
        bool({dict})
        ({counter} == collections.Counter({ints}))
        ({grid} == {grid})
        any({int x} in {x:list} for {x} in {grid})
        all({bool x} for {y:list} in {grid} for {x:int} in {y})
        (len(set({ints})) == len({list}))
        (len({list}) > {digit})
        str({int}) == {"1"|"-1"|"3"}
        f"{{{int}}}:{{{bool}}}" == {"1:True"|"0:False"}
    """,
    "bools": """
        ({bool x} for {x:int} in {ints})
        [{bool x} for {x:int} in {ints}]
        [{bool}, {bool}]
        ({bool}, {bool})
        map({pred}, {ints})
        ({x:int} > {int x} for {x} in {ints} if {bool x})
    """,
    "opt": """
        None
        {int}
        ({int} if {bool} else None)
        ({opt} if {bool} else {opt})
        next(({int x} for {x:int} in {ints} if {bool x}), None)
        {min|max}({ints}, default=None)
        {opts}[{0|1|-1}]
        {dict}.get({int})
    """,
    "opts": """
        [{opt}, {opt}]
        [{opt x} for {x:int} in {ints}]
        [{x:opt} for {x} in {opts} if {bool x}]
    """,
    "text": """
        {"red"|"green"|"blue"}
        ({text} if {bool} else {text})
        ["red", "green", "blue"][{digit} % 3]
    """,
    "fun": """
        (lambda {x:int}: {int x})
        functools.partial(operator.{add|sub|mul}, {int})
        functools.partial(lambda {x:int}, {y:int}: {int x y}, {int})
        ({fun} if {bool} else {fun})
        [{fun}, {fun}][{0|1}]
        (lambda {k:int}: lambda {x:int}: {int k x})({int})
        [lambda {x:int}: {int x i} for {i:int} in {ints}][{0|-1}]
        abs
        operator.neg
    """,
    "pred": """
        (lambda {x:int}: {bool x})
        {set}.__contains__
        functools.partial(operator.{lt|ge|eq}, {int})
    """,
    "rec": """
        Rec({0..3}, {bool})
        Rec(x={digit}, on={bool})
        ({rec} if {bool} else {rec})
        {recs}[{0|-1|0|1}]
        next(({r:rec} for {r} in {recs} if {bool r}), {rec})
        {min|max}({recs}, key=lambda {r:rec}: {int r})
        {min|max}({recs}, key=lambda {r:rec}: ({r}.on, {r}.x), default={rec})
        copy.copy({rec})
        copy.deepcopy({rec})
    """,
    "recs": """
        [{rec}, {rec}]
        [{r:rec} for {r} in {recs} if {bool r}]
        sorted({recs}, key=lambda {r:rec}: {int r})
        sorted({recs}, key=operator.attrgetter("x"), reverse={True|False})
        {recs}[{1:|:1|::-1}]
        list(reversed({recs}))
        list(filter(lambda {r:rec}: {bool r}, {recs}))
        [Rec({digit x}, {bool x}) for {x:int} in {ints}]
    """,
}
