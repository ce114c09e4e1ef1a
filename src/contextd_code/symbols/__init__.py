"""Look up definitions, find their uses, and read a file with its dependencies."""
