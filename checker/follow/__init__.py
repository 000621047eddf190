"""Following: is a log of a real system a behaviour of a spec?

`events` is what a log holds, `logs` reads files, `vocabulary` translates a system's own words, `conditions` compares
values with packed states, `candidates` is the search, `why` tells what stops it, `answer` what came of it all. It may
import engines and what these import.
"""
