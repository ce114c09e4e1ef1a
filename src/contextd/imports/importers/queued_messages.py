"""Messages typed while the agent works: the client queues them and passes them on."""

from __future__ import annotations

from dataclasses import field

from contextd_code.dataclass import dataclass


@dataclass(slots=True)
class TypedAhead:
    """The client's queue.

    A message taken out with `remove` reached the agent in the middle of its turn and appears nowhere else in
    older transcripts; newer ones repeat it as an attachment. A dequeued one follows as an ordinary prompt.
    """

    waiting: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    delivered: list[str] = field(default_factory=list[str])
    ahead: int = 0

    def operate(self, operation: str, text: str, key: str) -> tuple[str, str] | None:
        """Process one queue operation. Returns text and key of a message that was delivered."""
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
        """A message in an attachment; None if `remove` reported it already."""
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
