"""Aider's history of a repository: all sessions in one Markdown file, with prompts as headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path

from contextd.domain.origins import marked
from contextd.domain.records import digest
from contextd.imports.importers.importer import ImportBatch, Listed, Redact, unredacted
from contextd.imports.importers.transcript_builder import Transcript
from contextd_common.errors import NotFound
from contextd_common.files.guarded import open_file

_BEGAN = re.compile(r"^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_TYPED, _ENDED = "#### ", "  "
"""Prefix and suffix of a prompt line. An agent's own headings of that level lack the suffix."""

_EDITED = re.compile(r"^Applied edit to (.+?)\s*$")
_COMMITTED = re.compile(r"^Commit ([0-9a-f]{7,40}) (.+?)\s*$")
_SAYING = re.compile(r"^/(?:ask|code|architect|chat-mode \w+|help)\s+(?=\S)")


def detects(path: Path, head: Sequence[str]) -> bool:
    """Whether the first lines look like Aider's history."""
    return path.suffix == ".md" and any(_BEGAN.match(line) for line in head)


def sessions(path: Path) -> list[Listed]:
    """Every session of a history; its id is its start time."""
    return [
        Listed(id=id, cwd=str(path.parent), started=started)
        for id, started, _ in _sessions(path, keep=False)
    ]


def read(
    path: Path, offset: int = 0, *, redact: Redact = unredacted, session: str = ""
) -> ImportBatch:
    """The events of one session, by default the last. Raises `NotFound`."""
    del offset
    found = [one for one in _sessions(path, keep=True) if not session or one[0] == session]
    if not found:
        raise NotFound(f"{path.name} has no session {session}", "list its sessions to see them")
    id, started, lines = found[-1]
    transcript = Transcript(
        path=path, redact=redact, last=started, session=id, cwd=str(path.parent)
    )
    _tell(transcript, lines)
    transcript.counts["read"] += len(lines)
    return transcript.batch(path.stat().st_size)


def _sessions(path: Path, *, keep: bool) -> Iterator[tuple[str, datetime, list[str]]]:
    current: tuple[str, datetime, list[str]] | None = None
    seen: Counter[str] = Counter()
    try:
        with TextIOWrapper(open_file(path), "utf-8", "replace") as stream:
            for line in stream:
                began = _BEGAN.match(line)
                if began is None:
                    if current is not None and keep:
                        current[2].append(line.rstrip("\n"))
                    continue
                if current is not None:
                    yield current
                # Aider writes local times.
                started = datetime.fromisoformat(began[1]).astimezone(UTC)
                seen[began[1]] += 1
                id = "aider-" + re.sub(r"[ :]", "-", began[1])
                current = (f"{id}-{seen[began[1]]}" if seen[began[1]] > 1 else id, started, [])
    except (OSError, ValueError) as error:
        raise NotFound(f"cannot read {path}: {error}", "check the path") from error
    if current is not None:
        yield current


def _tell(transcript: Transcript, lines: list[str]) -> None:
    strict = any(line.startswith(_TYPED) and line.endswith(_ENDED) for line in lines)
    seen: Counter[str] = Counter()
    for kind, text in _blocks(lines, strict):
        key = digest(f"{transcript.session}\n{kind}\n{text}")
        seen[key] += 1
        transcript.key = f"{key}-{seen[key]}"
        if kind == "typed":
            _typed(transcript, text)
        elif kind == "program":
            _shown(transcript, text)
        elif text:
            transcript.by_agent(text)


def _blocks(lines: list[str], strict: bool) -> Iterator[tuple[str, str]]:
    """Runs of lines of one kind: `typed`, `program` and `agent`."""
    kinds = _kinds(lines, strict)
    place = 0
    while place < len(lines):
        end = place + 1
        while end < len(lines) and _goes_on(kinds, lines, place, end, strict):
            end += 1
        kind, run = kinds[place], lines[place:end]
        if kind == "typed":
            run = [line[len(_TYPED) :] for line in run]
        elif kind == "program":
            run = [line[1:].strip() for line in run]
        yield kind, "\n".join(run).strip()
        place = end


def _goes_on(kinds: list[str], lines: list[str], place: int, end: int, strict: bool) -> bool:
    if kinds[place] == "typed" and strict and lines[end - 1].endswith(_ENDED):
        return False
    return kinds[end] == kinds[place] or (not lines[end].strip() and kinds[place] == "agent")


def _kinds(lines: list[str], strict: bool) -> list[str]:
    kinds = []
    for line in lines:
        is_typed = line.startswith(_TYPED)
        kinds.append("typed" if is_typed else "program" if _quoted(line) else "agent")
    if strict:
        typed = False
        for place in reversed(range(len(lines))):
            typed = kinds[place] == "typed" and (typed or lines[place].endswith(_ENDED))
            if kinds[place] == "typed" and not typed:
                kinds[place] = "agent"
    return kinds


def _quoted(line: str) -> bool:
    """Whether Aider itself wrote the line. The end of an edit block, `>>>>>>> REPLACE`, is the model's."""
    return line.startswith("> ") or line.rstrip() == ">"


def _typed(transcript: Transcript, text: str) -> None:
    words = _SAYING.sub("", text)
    if words.startswith("/") or words in ("<blank>", ""):
        transcript.counts["command"] += 1
        if words.startswith(("/run ", "/test ")):
            transcript.called(transcript.key, "Bash", {"command": words.partition(" ")[2]})
        return
    transcript.by_user(words)


def _shown(transcript: Transcript, text: str) -> None:
    """Events from Aider's own output: changed files and commits."""
    for place, line in enumerate(text.split("\n")):
        edited, committed = _EDITED.match(line), _COMMITTED.match(line)
        if edited:
            transcript.called(f"{transcript.key}-{place}", "Edit", {"file_path": edited[1]}, place)
        elif committed:
            data = marked("commit", {"sha": committed[1]})
            transcript.add("note", place, "assistant", committed[2], data, ":commit")
        else:
            transcript.counts["junk"] += 1
