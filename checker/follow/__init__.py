"""Following: is a log of a real system a behaviour of a spec?

`events` is what a log holds, `logs` reads files, `vocabulary` translates a system's own words. `values` and
`conditions` compare what is told with packed states (`calls`: what methods say), `candidates` takes the steps that fit,
`sources` are the logs of a run, `run` follows them breadth first and `depth` depth first, `answer_store` keeps answers.
`behaviour` explains a log, `diagnosis` tells what stops it, `answer` what came of it all, with some candidates executed
twice; `spark` follows many runs. `cases` is the way back: tests from a spec. It may import engines and what
these import.
"""
