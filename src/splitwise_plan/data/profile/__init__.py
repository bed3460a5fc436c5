"""Profiles: fitted, imported, calibrated and shown."""
