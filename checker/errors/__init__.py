"""The error catalogue: every message that a user can meet, in one place.

An error states facts in a fixed order: its code, what happened, where (the user's own file and line), why it matters,
and what to do. The errors page of the documentation is written from the whole `catalogue`. Codes: E1 `loading` a spec,
E2 the `language` and tracing, E3 errors of a spec that the checker finds in reachable `states`, E4 `files` given to us,
E5 the `machine` we run on, E6 `spark`. `everystate.parts` names modules with more: E7 of Kafka and its brokers.
This package imports no other.
"""

from .entry import NOT_INSTALLED, Entry
from .examples import as_sentence, examples
from .place import (
    WRITTEN,
    Where,
    below_here,
    describe,
    file_of,
    from_here,
    home_of,
    is_as_files,
    is_library,
    is_ours,
    is_users,
    modules_by_name,
    name_of,
    note_written,
    place_of,
    user_place,
)
from .raised import (
    CATALOGUE,
    AbsentValue,
    CheckedError,
    EverystateError,
    OutsideError,
    catalogue,
    exit_code_of,
    in_a_line,
    meant,
    suggestion,
)

__all__ = [
    "CATALOGUE",
    "NOT_INSTALLED",
    "WRITTEN",
    "AbsentValue",
    "CheckedError",
    "Entry",
    "EverystateError",
    "OutsideError",
    "Where",
    "as_sentence",
    "below_here",
    "catalogue",
    "describe",
    "examples",
    "exit_code_of",
    "file_of",
    "from_here",
    "home_of",
    "in_a_line",
    "is_as_files",
    "is_library",
    "is_ours",
    "is_users",
    "meant",
    "modules_by_name",
    "name_of",
    "note_written",
    "place_of",
    "suggestion",
    "user_place",
]
