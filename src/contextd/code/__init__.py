"""Understanding a project's source: what is there, what it defines, what depends on what."""
