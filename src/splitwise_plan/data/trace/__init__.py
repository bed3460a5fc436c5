"""Traces: read, drawn and described."""
