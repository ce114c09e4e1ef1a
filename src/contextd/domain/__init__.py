"""What contextd talks about: plain values and pure functions, no I/O."""
