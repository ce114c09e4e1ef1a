"""Names by which imported records and their changes are known."""

from __future__ import annotations

IMPORT = "import"
"""The kind of an import's row, the operation in an imported record's source, and a change by an import in its history."""

TAKEN_BACK = "unimport"
"""An undone import in a record's history."""

FILE_DIFFERENCES = "imported"
"""Where `Record.data` stores how an imported file differed from contextd's own rendering. Not a typed field: views
leave it out.
"""

FROM_OTHERS = "from a bundle of others"
"""The end of the reason of each state that an import wrote without its importer's authority."""
