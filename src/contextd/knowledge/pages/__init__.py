"""The pages of records: the list, one record, a new one, and the inbox."""
