"""`contextd bench learning`: what contextd learns from real sessions, and whether it helps the next
one.
"""
