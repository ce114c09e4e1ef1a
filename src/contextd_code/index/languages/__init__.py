"""One row per language. `table.LANGUAGES` is where a new one is added."""
