"""How long, how much memory, how many watts: formulas on facts."""
