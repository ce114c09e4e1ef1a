"""Call graph: callers and callees, across files."""
