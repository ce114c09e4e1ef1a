"""Scripts that ask the tools of a language what they find. Each runs in a process of its own."""
