"""List, read and search the files of a checkout."""
