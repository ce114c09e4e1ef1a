"""Sessions: beginning and ending them, what hooks bring, and learning from them."""
