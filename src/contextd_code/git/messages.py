"""Commit messages beyond their subject."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from contextd_code.git.git_queries import ask, printable
from contextd_common.dataclass import dataclass

_SECONDS = 20.0
_LONGEST = 8_000


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """A commit with a body: its author, its time, and the whole message."""

    sha: str
    author: str
    at: datetime
    subject: str
    body: str


def messages_with_body(root: Path, limit: int) -> list[CommitMessage]:
    """The commits among the last `limit` of the current branch that have a body, newest first; including
    merges, which often give reasons.
    """
    flags = (
        "--no-show-signature",
        f"--max-count={limit}",
        "--format=%x1e%H%x1f%an%x1f%ct%x1f%s%x1f%b",
    )
    out = ask(root, "log", *flags, "HEAD", "--", timeout=_SECONDS) or ""
    found = []
    for entry in out.split("\x1e")[1:]:
        fields = entry.split("\x1f")
        if len(fields) == 5 and fields[2].isdigit() and fields[4].strip():
            sha, author, at, subject, body = fields
            moment = datetime.fromtimestamp(int(at), UTC)
            body = body.strip()
            # Whole lines, since half a line may be half of a secret, which redaction would not recognise.
            excerpt = body if len(body) <= _LONGEST else body[:_LONGEST].rpartition("\n")[0]
            found.append(
                CommitMessage(sha, printable(author, 60), moment, printable(subject), excerpt)
            )
    return found
