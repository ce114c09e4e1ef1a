"""Settings of every test."""

from hypothesis import settings

# Machines that run several things at once are slow now and then; that is no failure.
settings.register_profile("contextd", deadline=None, derandomize=True)
settings.load_profile("contextd")
