"""The plan file: a question, its answer, and every fact that it rests on."""
