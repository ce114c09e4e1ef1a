"""Rules that are checked without guessing: what they forbid, and where an action does it."""
