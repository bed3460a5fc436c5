"""A scenario to start from, with everything that it names."""
