"""What contextd knows about itself: the usage log and checks that try instead of guessing."""
