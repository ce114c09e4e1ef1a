"""A coding client at work: its hooks, and the transcript that grows meanwhile."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.desks import Desk


@dataclass
class CodingClient:
    """One session of Claude Code in the project of a desk, with its transcript in `folder`."""

    desk: Desk
    folder: Path
    entrypoint: str = "cli"
    session: str = field(default_factory=lambda: str(uuid.uuid4()))
    _parent: str = ""

    @property
    def transcript(self) -> Path:
        """Where the client writes down what happens."""
        return self.folder / f"{self.session}.jsonl"

    def hook(self, event: str, **payload: Any) -> dict[str, Any]:
        """What the hook prints."""
        body = {
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.desk.root),
            "hook_event_name": event,
            **payload,
        }
        hooks = self.desk.on("hook")
        answer = hooks("hook_event", event=event, payload=body, client="claude-code")
        output: dict[str, Any] = answer["output"]
        return output

    def told(self, event: str, **payload: Any) -> str:
        """What the agent is told at an event."""
        answer = self.hook(event, **payload)
        return str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))

    def starts(self, source: str = "startup") -> str:
        """The session begins or goes on; what the agent is told."""
        return self.told("SessionStart", source=source)

    def asks(self, prompt: str) -> str:
        """The user says something; what the agent is told with it."""
        told = self.told("UserPromptSubmit", prompt=prompt)
        self.writes_down("user", prompt)
        return told

    def answers(self, text: str) -> dict[str, Any]:
        """The agent says the last of its turn; what the hook prints."""
        self.writes_down("assistant", [{"type": "text", "text": text}])
        return self.stops(text)

    def stops(self, text: str, *, again: bool = False) -> dict[str, Any]:
        """The turn ends; what the hook prints."""
        return self.hook("Stop", stop_hook_active=again, last_assistant_message=text)

    def calls(self, tool: str, given: Mapping[str, Any], result: str = "ok", code: int = 0) -> None:
        """The agent uses a tool."""
        id = str(uuid.uuid4())
        use = {"type": "tool_use", "id": id, "name": tool, "input": given}
        back = {"type": "tool_result", "tool_use_id": id, "content": result, "is_error": bool(code)}
        self.writes_down("assistant", [use])
        self.writes_down("user", [back])

    def edits(self, path: str) -> None:
        """The agent changes a file."""
        given = {"file_path": str(self.desk.root / path), "old_string": "a", "new_string": "b"}
        self.calls("Edit", given)

    def runs(self, command: str, result: str = "ok", code: int = 0) -> None:
        """The agent runs a command."""
        text = f"Exit code {code}\n{result}" if code else result
        self.calls("Bash", {"command": command}, text, code)

    def ends(self) -> None:
        """The session ends and is learned from."""
        self.hook("SessionEnd", reason="other")
        self.desk.host.work_off()

    @property
    def place(self) -> str:
        """The last line of the transcript, to go back to."""
        return self._parent

    def goes_back(self, place: str) -> None:
        """The user rewinds to a line, or takes up another branch at it."""
        self._parent = place

    def writes_down(self, role: str, content: Any, **more: Any) -> None:
        """One more line of the transcript."""
        unique = str(uuid.uuid4())
        line = {
            "type": role,
            "uuid": unique,
            "parentUuid": self._parent or None,
            "sessionId": self.session,
            "timestamp": self.desk.runtime().clock.now().isoformat(timespec="milliseconds"),
            "cwd": str(self.desk.root),
            "entrypoint": self.entrypoint,
            "gitBranch": "main",
            "isSidechain": False,
            "message": {"role": role, "content": content},
            **more,
        }
        self._parent = unique
        with self.transcript.open("a") as stream:
            stream.write(json.dumps(line) + "\n")


def chat(session: CodingClient, *said: str) -> None:
    """A whole session of prompts and answers in turn, without any other work."""
    session.starts()
    for prompt, answer in zip(said[::2], said[1::2], strict=True):
        session.asks(prompt)
        session.answers(answer)
    session.ends()
