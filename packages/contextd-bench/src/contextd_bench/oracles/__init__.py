"""Scripts that query a language's own tools, each in a process of its own."""
