"""What all commands share: flags, loading, output, exit codes, help and progress."""
