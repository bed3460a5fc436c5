"""The simulator: facts are lowered to arrays, a compiled kernel runs them, statistics come after."""

from splitwise_plan.sim.warmup import set_cache_folder

set_cache_folder()
