"""Folding: work set apart, large material in few words, and what that saved."""
