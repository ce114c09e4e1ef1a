"""Files that are no program and still name things: read by lines, each into sections and names."""
