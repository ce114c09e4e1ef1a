"""What binds the work: policies, standards, and checks of an action against them."""
