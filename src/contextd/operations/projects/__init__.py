"""Projects: making one known, and what is known of it at a glance."""
