"""Non-program files that define names: read by line, each into sections and names."""
