"""A package a question: its analysis, its report and its command."""
