"""The commands `show` and `log`: the project's state and its recent activity."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import click

from contextd.domain.quoting import inline_words
from contextd.domain.records import short_id
from contextd.surfaces.cli.completion import project_names
from contextd.surfaces.cli.output import Console, as_json_option, ask
from contextd.thin.client import Reply

_PROJECT_ABOUT = (
    "In which project: its name, slug or scope; the one of the current directory when empty."
)
project_option = click.option(
    "--project", default="", help=_PROJECT_ABOUT, shell_complete=project_names
)


@click.command("show", epilog="Example: contextd projects show --module auth")
@click.option("--module", help="Show one module with its records.")
@click.option("--sessions", is_flag=True, help="The latest sessions.")
@click.option("--stats", is_flag=True, help="Counts of everything.")
@project_option
@as_json_option
def show(module: str | None, sessions: bool, stats: bool, project: str, as_json: bool) -> int:
    """Show what contextd knows about the project."""
    console = Console(as_json)
    if module:
        console.show(ask("project_module", {"name": module}, project=project))
    else:
        options = {"sessions": sessions, "stats": stats}
        console.show(ask("show", options, project=project))
    return 0


@click.command("log", epilog="Example: contextd log --limit 10")
@click.option("--limit", default=20, show_default=True, help="How many entries.")
@project_option
@as_json_option
def log(limit: int, project: str, as_json: bool) -> int:
    """Show recent activity: sessions and recorded items."""
    size = min(200, max(1, limit))
    records = ask("list_records", {"limit": size, "status": "any"}, project=project).value
    sessions = ask("list_sessions", {"limit": size}, project=project).value
    # `contextd doctor` writes, finds and deletes a record of its own.
    rows = [row for row in records["records"] if "canary" not in row["tags"]]
    entries = [*map(_recorded, rows), *map(_session, sessions["sessions"])]
    entries.sort(key=lambda entry: entry["at"], reverse=True)
    entries = entries[:size]
    text = _by_day(entries) if entries else "no activity yet; start with `contextd remember`"
    Console(as_json).show(Reply({"entries": entries}, text))
    return 0


def _recorded(row: dict[str, Any]) -> dict[str, Any]:
    text = row["title"] or row["content"]
    note = "" if row["status"] == "active" else row["status"]
    return _entry(row["updated_at"], row["label"], row["id"], text, row["source"], note)


def _session(row: dict[str, Any]) -> dict[str, Any]:
    parts = [row["status"], row["outcome"], f"{row['minutes']} min"]
    parts += [f"{row['files']} files"] * bool(row["files"])
    parts += [f"learned {row['learned']}"] * bool(row["learned"])
    about = ", ".join(part for part in parts if part)
    return _entry(row["started_at"], "session", row["id"], row["task"], row["client"], about)


def _entry(at: str, what: str, id: str, text: str, source: str, note: str) -> dict[str, Any]:
    text = " ".join(text.split())
    return {"at": at, "what": what, "id": id, "text": text, "source": source, "note": note}


def _by_day(entries: list[dict[str, Any]]) -> str:
    """One heading per day and one line per entry, in local time."""
    lines: list[str] = []
    day = ""
    widest = max(len(entry["what"]) for entry in entries)
    for entry in entries:
        at = datetime.fromisoformat(entry["at"]).astimezone()
        if (shown := f"{at:%A %d %B %Y}") != day:
            lines += [shown] if not day else ["", shown]
            day = shown
        about = ", ".join(inline_words(part) for part in (entry["source"], entry["note"]) if part)
        text = inline_words(entry["text"])
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        start = f"  {at:%H:%M}  {entry['what']:{widest}}  {short_id(entry['id'])}  "
        lines.append(
            start + " ".join(part for part in (text, f"({about})" if about else "") if part)
        )
    return "\n".join(lines)


_LONGEST = 160
"""Characters of an entry's text: two lines of a terminal."""
