"""The operations of invocation: the tools that list and call the others."""
