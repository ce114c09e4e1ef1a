"""Its place puts `tests/` on the import path, for `strategies`."""
