"""`python -m splitwise_plan` is `splitwise-plan`."""

from splitwise_plan.cli.main import main

main()
