"""Finding what answers a question, ranking it, and fitting it into a budget. No state, no I/O."""
