"""The supported languages. To add one, add a row to `table.LANGUAGES`."""
