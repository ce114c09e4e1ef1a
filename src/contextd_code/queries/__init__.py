"""Answer questions about scanned code: definitions, uses, and what a change may break."""
