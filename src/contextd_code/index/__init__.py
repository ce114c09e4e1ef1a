"""Extract definitions, imports and chunks from files: the data that a scan stores."""
