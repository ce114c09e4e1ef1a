"""Reading files that others can change: guarded reads, YAML of bounded depth."""
