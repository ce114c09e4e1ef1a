"""Words, tokens, encodings and regular expressions of texts."""
