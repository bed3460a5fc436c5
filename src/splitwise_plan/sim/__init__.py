"""The simulator: facts become arrays, a compiled kernel runs them, statistics come after."""

from splitwise_plan.sim.warmup import set_cache_folder

set_cache_folder()
