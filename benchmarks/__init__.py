"""How fast it is: `python -m benchmarks [--quick]`.

Absolute figures are of the machine they were taken on; ratios within one run travel further.
Nothing here is a test: no figure makes anything fail.
"""
