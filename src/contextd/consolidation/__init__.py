"""Consolidation: what says the same becomes one record, what is known widely is proposed more widely."""
