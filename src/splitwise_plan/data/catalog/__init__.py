"""The facts that are known, and where each comes from."""
