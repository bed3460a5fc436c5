"""Facts: machines, LLMs, workloads, SLOs, scenarios. Only `catalog` and `importers` read files."""
