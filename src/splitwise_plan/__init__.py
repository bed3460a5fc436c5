"""Capacity planning of clusters for LLM inference with split prompt and token phases."""

__version__ = "0.1.0"
