"""Productions on which the judges still differ; the random test leaves them out, `bench/idioms.py --known` does not.

The table shrinks: whoever mends the front end deletes a line, and the test then covers it.
"""

from __future__ import annotations

COPY = "plain Python refuses to copy a nested array"

NOT_YET: dict[str, str] = {
    "{=g:grid} = {grid}\n{=h:grid} = {copy.copy|copy.deepcopy}({g})": COPY,
    "copy.deepcopy({grid})": COPY,
    "(({x:int} := {int}) + {int x})": "a walrus in a lambda ends in an error of ours",
}
