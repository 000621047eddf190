"""Statements of everyday Python. A production is a paragraph; `block` is some statements one after the other."""

from __future__ import annotations

STATEMENTS = """
{=t:int} = {int}

{=t:int} = {int}

{=t:bool} = {bool}

{=t:opt} = {opt}

{=t:list} = {list}

{=t:llist} = {fresh}

{=t:lset} = {freshset}

{=t:ldict} = {freshdict}

{=t:iter} = {iter}

{=t:rec} = {rec}

{=t:fun} = {fun}

{=t:grid} = {grid}

{=a:int}, {=b:int} = {pair}

{=a:int}, {=b:int} = {int}, {int}

{=a:int}, *{=b:llist} = {fresh}

*{=b:llist}, {=a:int} = {ints}

{=a:int} = {=b:int} = {int}

{@int} {+=|-=|*=} {int}

{@int} //= {int}

{@int} = {int}

{@int}, {@int} = {int}, {int}

{@bool} = {bool}

{@opt} = {opt}

{@list} = {list}

if len({@llist}) < 5:
    {@llist}.append({int})

if len({@llist}) < 4:
    {@llist}.insert({0|1|-1}, {int})

if len({@llist}) < 4:
    {@llist}.extend({list})

{@llist}.remove({int})

{@llist}.pop({0|-1})

{@llist}.{sort()|reverse()|clear()}

{@llist}.sort(key=lambda {x:int}: {int x}, reverse={True|False})

{@llist}[{digit}] = {int}

{@llist}[{0|-1}] += {int}

del {@llist}[{0|-1|1:|:1}]

{@llist}[1:2] = {list}

{@llist}[:] = [{int x} for {x:int} in {@llist} if {bool x}]

{@lset}.{add|discard}({int})

{@lset}.remove({int})

{@lset}.{update|difference_update|intersection_update}({ints})

{@lset} {-=|&=|^=} {set}

{@lset} |= {set}

{=s:lset} = {freshset}
{=i:items} = {iter(|map(abs, |filter(None, |zip(range(9), |enumerate(}{s})
{s}.{add|discard}({int})
{@int} = len(list({i}))

{=t:llist} = {fresh}
for {x:int} in {iter(|reversed(|list(|filter(None, }{t}):
    if {bool x} and len({t}) < 5:
        {t}.{remove|append}({x})

{=t:llist} = {fresh}
for {x:int} in {t}:
    if {bool x}:
        {t}.pop({0|-1|})

{=s:lset} = {freshset}
for {x:int} in {s}:
    if {bool x}:
        {s}.{add|discard}({int})

{=s:lset} = {freshset}
{s}.{update|difference_update}({ints}, ({int x} for {x:int} in {s} if {bool x}))

{=d:ldict} = {freshdict}
{=i:items} = {iter(|map(abs, |enumerate(}{d})
{d}[{int}] = {int}
{@int} = len(list({i}))

{@ldict}[{int}] = {int}

{@ldict}[{int}] = {@ldict}.get({int}, 0) + {int}

{@ldict}.update({dict})

del {@ldict}[{int}]

for {k:int}, {v:int} in sorted({ldict}.items()):
    {block k v}

{=c:counter} = collections.Counter({ints})

{=c:counter} = collections.defaultdict(int)
for {x:int} in {ints}:
    {c}[{int x}] += {int x}

{@counter}[{int}] += {int}

{=g:groups} = collections.defaultdict(list)
for {x:int} in {ints}:
    {g}[{int x}].append({int x})

{=g:groups} = {{}}
for {x:int} in {ints}:
    {g}.setdefault({int x}, []).append({int x})

{=d:deque} = collections.deque({ints})

{=d:deque} = collections.deque({ints}, maxlen=2)

if len({@deque}) < 4:
    {@deque}.{append|appendleft}({int})

{@deque}.popleft()

{=t:tally} = Tally()

{@tally}.add({int})

{@tally}.total {+=|-=} {int}

if {bool}:
    {block}

if {bool}:
    {block}
else:
    {block}

if {bool}:
    {block}
elif {bool}:
    {block}
else:
    {block}

if ({x:int} := {opt}) is not None:
    {block x}

for {x:int} in {ints}:
    {block x}

for {x:int} in {ints}:
    {block x}

for {x:int}, {y:int} in {pairs}:
    {block x y}

for {r:rec} in {recs}:
    {block r}

for {x:list} in {grid}:
    {block x}

for {x:opt} in {opts}:
    {block x}

for {x:int} in {ints}:
    if {bool x}:
        {break|continue}
    {block x}

for {x:int} in {ints}:
    {block x}
    if {bool x}:
        break
else:
    {block}

{=x:int} = {int}
for {x} in {ints}:
    if {bool x}:
        break
else:
    {x} = {int}

for {x:int} in {ints}:
    for {y:int} in {ints x}:
        if {bool x y}:
            break
        {block x y}
    else:
        continue
    break

for {x:int} in {ints}:
    for {y:int} in {ints x}:
        if {bool x y}:
            break
    else:
        {block x}
        {break|continue}
    {@int} = {int x}
else:
    {block}

{=k:const} = 0
while {k} < {1..3}:
    {k} += 1
    {block k}

{=t:llist} = {fresh}
{=k:const} = 0
while {k} < len({t}):
    if {t}[{k}] == {int}:
        del {t}[{k}]
    else:
        {k} += 1

{=k:const} = 0
while {k} < {2..3} and {bool k}:
    {k} += 1
    if {bool k}:
        continue
    {block k}
else:
    {block k}

while {@llist}:
    {@int} {+=|-=} {llist}.pop({0|-1})

while True:
    {=x:int} = next({@iter}, None)
    if {x} is None:
        break
    {@int} += {int x}

try:
    {block}
except {ZeroDivisionError|IndexError|KeyError|ValueError|Exception|LookupError|ArithmeticError}:
    {block}

try:
    {block}
except ({IndexError|KeyError|ZeroDivisionError}, {ValueError|StopIteration}) as error:
    {block}
else:
    {block}

try:
    {block}
except {ZeroDivisionError|IndexError}:
    {block}
except Exception:
    {block}
finally:
    {block}

try:
    {=t:int} = {int}
except {ZeroDivisionError|IndexError|KeyError|ValueError|StopIteration}:
    {t} = {int}

try:
    {block}
    raise {Full|ValueError}({"no"|"1"})
except {Full|ValueError|Exception}:
    {block}

try:
    if {bool}:
        raise Full
    {block}
except Full:
    {block}
finally:
    {block}

with contextlib.suppress({ZeroDivisionError|IndexError|ValueError|KeyError}):
    {block}

for {x:int} in {ints}:
    try:
        {block x}
        if {bool x}:
            {continue|break}
    finally:
        {block x}

match {int}:
    case 0:
        {block}
    case {1|2} | 3:
        {block}
    case {n:int} if {bool n}:
        {block n}
    case _:
        {block}

match {pair}:
    case (0, {y:int}):
        {block y}
    case ({x:int}, {1|2}):
        {block x}
    case _:
        {block}

match {opt}:
    case None:
        {block}
    case {n:int}:
        {block n}

match {list}:
    case []:
        {block}
    case [{x:int}]:
        {block x}
    case [{y:int}, *{rest:llist}]:
        {block y rest}

match {rec}:
    case Rec(x={0|1}, on={on:bool}):
        {block on}
    case Rec({x:int}, True):
        {block x}
    case _:
        {block}

match {text}:
    case "red":
        {block}
    case "green" | "blue":
        {block}

def {=f:fun}({x:int}):
    {block def x}
    return {int def x}

def {=f:fun}({x:int}):
    if {bool def x}:
        return {int def x}
    {block def x}
    return {int def x}

def {=f:fun}({x:int}, {y:int}={int}):
    for {z:int} in {ints def x y}:
        if {bool def x y z}:
            return {int def x y z}
    return {int def x y}

def {=f:fun}({x:int}):
    return 0 if {x} <= 0 or {x} > 3 else {int def x} + {f}({x} - 1)

def {=f:pred}({x:int}):
    try:
        return {bool def x}
    except {ZeroDivisionError|IndexError|ValueError}:
        return {bool def x}

def {=g:gen}():
    for {x:int} in {ints def}:
        if {bool def x}:
            yield {int def x}

def {=g:gen}():
    yield {int def}
    if {bool def}:
        return
    yield from {ints def}

def {=g:gen1}({n:int}):
    {k:const} = {n}
    while {k} > 0 and {k} < 5:
        yield {int def k n}
        {k} -= 1

{=n:int} = {int}
def {=f:fun}({x:int}):
    nonlocal {n}
    {n} += {int def x n}
    return {int def x n}

{=b:llist} = {fresh}
def {=f:fun}({x:int}):
    if len({b}) < 5:
        {b}.append({int def x})
    return {int def x b}

{=a:grid} = [lambda: {int i} for {i:int} in {ints}]
{=a:grid} = [[f()] for f in {a}]

{=t:list} = []
for {i:int} in {ints}:
    if len({t}) < 4:
        {t}.append(lambda {x:int}: {int x i})
{=t:list} = [f({0|1}) for f in {t}]

if {bool}:
    {@int} = {int}
else:
    {@int} = {int}

{@int} = {int} if {bool} else {@int}

assert {bool} or {bool}

{=u:list} = {v:llist} = {fresh}
if len({v}) < 4:
    {v}.append({int})

{=e:iter} = {iter}
for {x:int} in {e}:
    if {bool x}:
        break

{=t:int} = {int}
if any(({t} := {int x}) > {int x} for {x:int} in {ints}):
    {block}

{=g:grid} = {grid}
{=h:grid} = {copy.copy|copy.deepcopy}({g})


{=lo:int}, {=hi:int} = sorted([{int}, {int}])

{=seen:lset} = set()
for {x:int} in {ints}:
    if {x} in {seen}:
        {break|continue}
    {seen}.add({x})

{=best:opt} = None
for {x:int} in {ints}:
    if {best} is None or {int x} > {best}:
        {best} = {x}

{=r:rec} = {copy.copy|copy.deepcopy}({rec})
{r}.x = {digit}
"""
