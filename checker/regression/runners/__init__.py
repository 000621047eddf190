"""Runners: where checks are made. A job goes in, an outcome comes out, both plain data.

`runner` is the seam; `pool` makes jobs in processes of this machine, `spark` on a cluster, there each in a
`forked_process`. Results are kept by `checker/api/cache`.
May import: nothing of its neighbours.
"""
