"""The simulator proper: an event loop on arrays, compiled by numba.

Read in this order: `state` (what there is), `loop` (what happens next), `stretches` (an instance
works), `batch` (on what), `assign` (where a request goes), `phases` and `transfers` (how it goes
on), `timing` (how long it takes), `outages` and `restarts` (machines that fail); then the data
structures: `queues`, `transfer_heap`, `winner_tree`.
Times in seconds, memory in bytes, lengths in tokens; s is the state, i an instance, r a request.

Nothing here draws random numbers, reads files or knows a unit; every function also runs unjitted
(`NUMBA_DISABLE_JIT=1`) with identical results. Both assumption sets are the same code: they differ
in the curves and in the flags of `state.RULES`. [ref] marks what only `splitwisesim` does.
"""
