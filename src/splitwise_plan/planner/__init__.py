"""Which design: judging, searching, and proving that nothing better works."""
