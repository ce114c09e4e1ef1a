"""Which files a checkout has, their text, and searching them."""
