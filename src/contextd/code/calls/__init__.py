"""Who calls whom, across files."""
