"""Several loads that one plan must serve: their keys, and from those to loads."""
