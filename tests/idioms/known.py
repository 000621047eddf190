"""Productions on which the judges still differ; the random test leaves them out, `bench/idioms.py --known` does not.

The table shrinks: whoever mends the front end deletes a line, and the test then covers it.
"""

from __future__ import annotations

SPLITS = "each element that may be absent splits the path: too long to trace"

NOT_YET: dict[str, str] = {
    "{=c:counter} = collections.Counter({ints})": SPLITS,
    "({counter} == collections.Counter({ints}))": SPLITS,
    "collections.Counter({ints})[{int}]": SPLITS,
    "{=d:deque} = collections.deque({ints})": SPLITS,
    "{=d:deque} = collections.deque({ints}, maxlen=2)": SPLITS,
}
