"""What a scan finds in source files, and queries for files by it."""
