"""Commits and pull requests in shell commands, with their messages."""

from __future__ import annotations

import re

from contextd_common.dataclass import dataclass
from contextd_common.text.regex import regex

_HEREDOC = regex(
    r"\$\(\s*cat <<-?\s*(['\"]?)(\w+)\1[^\n]*\n(?P<body>.*?)\n[ \t]*\2[ \t]*\n?\s*\)", re.S
)
_FED = regex(
    r"(?:-F|--file=?|--body-file=?)\s*-\s*<<-?\s*(['\"]?)(\w+)\1[^\n]*\n(?P<body>.*?)\n[ \t]*\2[ \t]*(?:\n|\Z)",
    re.S,
)
_COMMIT = regex(r"\bgit\b(?:\s+-[cC]\s+\S+|\s+--?[\w-]+(?:=\S+)?)*\s+commit\b")
_PULL = regex(r"\bgh\s+pr\s+(?:create|edit)\b")
_VALUE = r"(?:\"(?P<d>(?:[^\"\\]|\\.)*)\"|'(?P<s>[^']*)'|(?P<w>[^\s'\";|&]+))"
_MESSAGE = regex(rf"\s(?:-[a-zA-Z]*m|--message)(?:\s+|=)?{_VALUE}", re.S)
_TITLE = regex(rf"\s(?:-t|--title)(?:\s+|=){_VALUE}", re.S)
_BODY = regex(rf"\s(?:-b|--body)(?:\s+|=){_VALUE}", re.S)
_COMMITTED = regex(
    r"^\[(?P<branch>[^\s\]]+)(?: \([^)]*\))? (?P<sha>[0-9a-f]{7,40})\] (?P<subject>.*)$", re.M
)
_PULL_URL = regex(r"https://\S+?/(?:pull|merge_requests|pull-requests)/(?P<number>\d+)")
_TRAILER = regex(
    r"^\s*(?:Co-authored-by:|Signed-off-by:|Change-Id:|Claude-Session:|🤖 Generated with).*$",
    re.M | re.I,
)
_HELD = "\x00{}\x00"


@dataclass(frozen=True, slots=True)
class CommitMade:
    """A commit made by a command. `sha` and `branch` are empty if git ran quietly."""

    message: str
    sha: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request opened or edited by a command."""

    title: str
    body: str
    number: int = 0
    url: str = ""


def commits(command: str, output: str) -> list[CommitMade]:
    """The commits made by a successful command, in order, without trailers."""
    plain, held = _hold(command)
    printed = list(_COMMITTED.finditer(output))
    found: list[CommitMade] = []
    starts = list(_COMMIT.finditer(plain))
    for place, start in enumerate(starts):
        end = starts[place + 1].start() if place + 1 < len(starts) else len(plain)
        piece = _until_next_command(plain[start.end() : end])
        parts = [_value(match, held) for match in _MESSAGE.finditer(piece)]
        parts += [held[int(n)] for n in re.findall(r"-F \x00(\d+)\x00", piece)]
        message = _TRAILER.sub("", "\n\n".join(part for part in parts if part)).strip()
        if not message:
            continue
        subject = message.split("\n", 1)[0].strip()
        confirmation = next((p for p in printed if p["subject"].strip() == subject), None)
        found.append(
            CommitMade(
                message,
                confirmation["sha"] if confirmation else "",
                confirmation["branch"] if confirmation else "",
            )
        )
    if len(found) == 1 == len(printed) and not found[0].sha:
        found = [CommitMade(found[0].message, printed[0]["sha"], printed[0]["branch"])]
    return found


def pull_request(command: str, output: str) -> PullRequest | None:
    """The pull request that a successful command opened or edited, if any."""
    plain, held = _hold(command)
    start = _PULL.search(plain)
    if start is None:
        return None
    piece = plain[start.end() :]
    title, body = _TITLE.search(piece), _BODY.search(piece)
    fed = re.search(r"-F \x00(\d+)\x00", piece)
    text = _value(body, held) if body else held[int(fed[1])] if fed else ""
    text = _TRAILER.sub("", text).strip()
    if not title and not text:
        return None
    url = _PULL_URL.search(output)
    return PullRequest(
        _value(title, held).strip() if title else "",
        text,
        int(url["number"]) if url else 0,
        url[0] if url else "",
    )


def _hold(command: str) -> tuple[str, list[str]]:
    """Replace every here-document in the command with a placeholder; return the documents too."""
    held: list[str] = []

    def keep(match: re.Match[str]) -> str:
        held.append(match["body"])
        return _HELD.format(len(held) - 1)

    def keep_fed(match: re.Match[str]) -> str:
        held.append(match["body"])
        return "-F " + _HELD.format(len(held) - 1) + "\n"

    return _FED.sub(keep_fed, _HEREDOC.sub(keep, command)), held


def _value(match: re.Match[str] | None, held: list[str]) -> str:
    if match is None:
        return ""
    if match["d"] is not None:
        text = re.sub(r"\\([\"\\$`])", r"\1", match["d"])
    else:
        text = match["s"] or match["w"] or ""
    return re.sub(r"\x00(\d+)\x00", lambda m: held[int(m[1])], text)


def _until_next_command(text: str) -> str:
    """The arguments up to an unquoted `&&`, `;`, `|` or line end."""
    quote = ""
    for place, letter in enumerate(text):
        if quote:
            if letter == quote and text[place - 1] != "\\":
                quote = ""
        elif letter in "\"'":
            quote = letter
        elif letter in ";|\n" or text.startswith("&&", place):
            return text[:place]
    return text
