"""Trajectories of SWE-agent and mini-SWE-agent: one task run by a program, as one JSON document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from contextd.imports.importers.documents import document_reader, entry_key
from contextd.imports.importers.gemini_parts import parts_text
from contextd.imports.importers.json_lines import parsed
from contextd.imports.importers.transcript_builder import Transcript, list_of, mapping_of, text_of

_EDITS = re.compile(
    r"\A(?:str_replace_editor|edit_anthropic) (view|create|str_replace|insert) (\S+)"
)
_BLOCK = re.compile(r"```(?:bash|sh|mswea_bash_command)\n(.*?)\n?```", re.S)
_RETURNED = re.compile(
    r"\A\s*<returncode>(-?\d+)</returncode>\s*(?:<output>\n?(.*?)\n?</output>)?", re.S
)
_PATCHED = re.compile(r"^diff --git a/(\S+) b/", re.M)


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether a file has a trajectory's name."""
    beginning = "".join(head)[:500].lstrip()
    return path.name.endswith((".traj", ".traj.json")) and beginning.startswith("{")


def _tell(transcript: Transcript, document: Any) -> None:
    whole = mapping_of(document)
    transcript.session = path_name(transcript.path)
    # No person took part: it counts as a session run by a program.
    transcript.entrypoint = "exec"
    seen: Counter[str] = Counter()
    if list_of(whole.get("trajectory")):
        _task(transcript, list_of(whole.get("history")), seen)
        for place, step in enumerate(list_of(whole.get("trajectory"))):
            _step(transcript, mapping_of(step), place)
    else:
        _messages(transcript, list_of(whole.get("messages")), seen)
    submission = text_of(mapping_of(whole.get("info")).get("submission"))
    for place, path in enumerate(dict.fromkeys(_PATCHED.findall(submission))):
        transcript.key = "submission"
        data = {"path": path, "mode": "write", "tool": "submit", "id": "submission"}
        transcript.add("file_access", place, "assistant", "", data, ":file")


def path_name(path: Path) -> str:
    """The name of a trajectory's task."""
    return path.name.removesuffix(".json").removesuffix(".traj")


def _task(transcript: Transcript, history: list[Any], seen: Counter[str]) -> None:
    """The request: the first message that is neither the system's nor a demonstration."""
    for message in map(mapping_of, history):
        if message.get("role") == "user" and not message.get("is_demo"):
            text = parts_text(message.get("content"))
            transcript.key = entry_key(seen, text)
            transcript.by_user(text)
            return


def _step(transcript: Transcript, step: Mapping[str, Any], place: int) -> None:
    transcript.key = f"step{place}"
    state = step.get("state")
    where = mapping_of(parsed(state) if isinstance(state, str) else state)
    transcript.here = text_of(where.get("working_dir")) or transcript.here
    transcript.cwd = transcript.cwd or transcript.here
    transcript.by_agent(text_of(step.get("thought")))
    action = text_of(step.get("action")).strip()
    if not action:
        return
    edit = _EDITS.match(action)
    if edit:
        given = {"command": edit[1], "path": edit[2]}
        transcript.called(transcript.key, "str_replace_editor", given, 1)
    else:
        transcript.called(transcript.key, "bash", {"command": action}, 1)
    transcript.ran(transcript.key, text_of(step.get("observation")), index=2)


def _messages(transcript: Transcript, messages: list[Any], seen: Counter[str]) -> None:
    asked, open_call = False, ""
    for message in map(mapping_of, messages):
        text, role = parts_text(message.get("content")), text_of(message.get("role"))
        transcript.key = entry_key(seen, {"r": role, "t": text})
        transcript.dated(
            mapping_of(message.get("extra")).get("timestamp") or message.get("timestamp")
        )
        if role == "assistant":
            transcript.by_agent(_BLOCK.sub("", text).strip())
            block = _BLOCK.search(text)
            open_call = transcript.key if block else ""
            if block:
                transcript.called(open_call, "bash", {"command": block[1].strip()}, 1)
        elif role == "user" and not asked:
            asked = True
            transcript.by_user(text)
        elif role in ("user", "tool") and open_call:
            returned = _RETURNED.match(text)
            result = {"exitCode": int(returned[1])} if returned else None
            output = (returned[2] or "") if returned else text
            transcript.answered(open_call, output, result=result, index=2)


read = document_reader(_tell)
