"""One module a format of results."""
