"""What results look like: tables, JSON, CSV, Markdown and files."""
