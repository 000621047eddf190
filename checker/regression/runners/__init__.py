"""Runners: execute checks. A job goes in, an outcome comes out; both are plain data.

`runner` is the interface; `pool` runs jobs in processes of this machine, `spark` on a cluster, each in a
`forked_process`. `checker/api/cache` caches results. May import: no neighbouring package.
"""
