"""What all reports share: pages, tables, numbers, words, proofs and files."""
