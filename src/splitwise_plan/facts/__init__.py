"""Facts: machines, LLMs, workloads, SLOs, prices. Only `catalog` and `traces` read files."""
