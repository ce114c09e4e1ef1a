"""Where a record keeps what the file it came from said differently than contextd would."""

KEPT = "imported"
"""The name in `Record.data`. Not a typed field: views leave it out."""
