"""Random specs until so many successors were compared: plain Python, interpreter and machine code must agree on each.

    python bench/agreement.py [SUCCESSORS] [FIRST_SEED]

Every second part merges all conditions; the others let an `if` split the path. It ends at the first spec on which they
differ, which hypothesis prints in its shortest form.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from pathlib import Path

from hypothesis import settings

from everystate.checker.backends.native import guarded_updates, interface
from everystate.checker.frontend import explorer

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.agreement import readers
from tests.agreement.readers import MAX_PATHS, Tally
from tests.agreement.test_random_specs import compared

SPECS, STATES = 50, 600


def main() -> None:
    given = [int(text) for text in sys.argv[1:]]
    wanted, first = (*given, *(1_000_000, 1000)[len(given) :])
    readers.check_model = lambda model: None  # readers are compared here, not the form of the model
    explorer.MAX_PATHS, interface.MANY, guarded_updates.DEAR, guarded_updates.CHEAP = MAX_PATHS, 1, 2, 1
    settings.register_profile("long", deadline=None)
    settings.load_profile("long")
    total = Tally()
    with tempfile.TemporaryDirectory() as folder:
        for part in itertools.count(first):
            explorer.FEW_PATHS = 1 if part % 2 else 8
            total.add(compared(part, SPECS, False, Path(folder), STATES))
            print(total, flush=True)
            if total.successors >= wanted:
                return


if __name__ == "__main__":
    main()
