"""Messages a user types while the agent works: queued by the client, then handed to the agent."""

from __future__ import annotations

from dataclasses import field

from contextd.domain.dataclass import dataclass


@dataclass(slots=True)
class TypedAhead:
    """What waits in the client's queue.

    A message taken out with `remove` reached the agent in the middle of its turn and stands nowhere
    else in older transcripts; newer ones repeat it as an attachment. One that is dequeued follows as
    an ordinary prompt.
    """

    waiting: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    delivered: list[str] = field(default_factory=list[str])
    ahead: int = 0

    def operate(self, operation: str, text: str, key: str) -> tuple[str, str] | None:
        """Follow one operation of the queue. Returns text and key of a message that arrived."""
        if operation == "enqueue":
            self.waiting.append((text, key))
        elif operation == "popAll":
            self.waiting.clear()
        elif operation == "dequeue":
            self._taken(text)
        elif operation == "remove":
            if self.ahead and not text:
                self.ahead -= 1
                return None
            taken = self._taken(text)
            if taken is not None:
                self.delivered.append(taken[0])
            return taken
        return None

    def attached(self, text: str, key: str) -> tuple[str, str] | None:
        """A message that is told as an attachment; None when `remove` told it already."""
        if text in self.delivered:
            self.delivered.remove(text)
            return None
        for one in self.waiting:
            if one[0] == text:
                self.waiting.remove(one)
                self.ahead += 1
                return one
        return text, key

    def _taken(self, text: str) -> tuple[str, str] | None:
        for one in self.waiting:
            if not text or one[0] == text:
                self.waiting.remove(one)
                return one
        return None
