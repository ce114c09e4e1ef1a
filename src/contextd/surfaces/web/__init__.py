"""The dashboard: pages for people, rendered here; operations do the work."""
