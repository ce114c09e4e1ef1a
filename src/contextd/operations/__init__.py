"""What contextd can do, one function per use case. Importing this package fills the table."""
