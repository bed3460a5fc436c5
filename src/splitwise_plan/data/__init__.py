"""A package a command that makes or shows data: traces, profiles, facts, a starter."""
