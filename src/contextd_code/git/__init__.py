"""Git queries of a checkout, independent of higher layers."""
