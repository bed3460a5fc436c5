"""The simulator proper: an event loop on arrays, compiled by numba.

Read in this order: `state` (what there is), `loop` (what happens next), `batch` (what an instance
runs), `assign` (where a request goes), `timing` (how long it takes), `queues` and `tournament`
(the two data structures). Times in seconds, memory in bytes, lengths in tokens.

Nothing here draws random numbers, reads files or knows a unit; every function also runs unjitted
(`NUMBA_DISABLE_JIT=1`) with identical results. Both assumption sets are the same code: they differ
in the curves and in the flags of `state.RULES`.
"""
