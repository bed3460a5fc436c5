"""Readers of other tools' files: request traces, measurements and results."""
