"""Looking after the store: health, backups, background work, mending."""
