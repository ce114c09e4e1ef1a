"""Where secrets are in a text: by their own shape, by their place, and by the label beside them."""
