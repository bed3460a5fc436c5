"""`python -m splitwise_plan` is `splitwise-plan`."""

from splitwise_plan.app import main

main()
