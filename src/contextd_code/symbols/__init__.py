"""Which definition a name means, who uses it, and reading a file with what it uses."""
