"""The dashboard: pages for a person, rendered here, decided by operations."""
