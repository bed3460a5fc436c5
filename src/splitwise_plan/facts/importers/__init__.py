"""Readers of other tools' files: request traces and measurements."""
