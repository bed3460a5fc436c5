"""The command line: a command parses flags, makes one call of the library and prints."""
