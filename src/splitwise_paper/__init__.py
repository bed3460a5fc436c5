"""The paper's tables and figures from our simulator, ours beside theirs."""
