"""`contextd bench learning`: what is learned from real sessions, and whether it helps the next one."""
