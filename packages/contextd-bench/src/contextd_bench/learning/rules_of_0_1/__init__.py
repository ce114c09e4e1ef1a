"""The rules over sentences that contextd 0.1 learned by, frozen as a baseline. Not to be improved."""
