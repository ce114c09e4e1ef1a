"""The operations of members."""
