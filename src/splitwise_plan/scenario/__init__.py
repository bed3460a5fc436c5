"""A scenario: one question, put together from facts, a file of its own, and flags."""
