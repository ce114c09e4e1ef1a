"""What is known: notes, memories, typed entries, records, and searching them."""
