"""Files into definitions, imports and chunks: what a scan stores."""
