"""Figures: each a Vega-Lite specification made of results, for pages and for files."""
