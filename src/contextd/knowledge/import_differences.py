"""Where a record stores how an imported file differed from contextd's own rendering."""

KEPT = "imported"
"""The name in `Record.data`. Not a typed field: views leave it out."""
