"""The formats of request traces, one module each: what tells a format, and where its fields are."""
