"""Read untrusted files: limits on size and nesting, no links out of their folder, and errors that name the
file.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.domain.time import parse_instant
from contextd.imports.foreign.format import Unread
from contextd_common.errors import Invalid, NotFound, TooLarge
from contextd_common.files.guarded import open_file, read_file
from contextd_common.text.encodings import text_in
from contextd_common.text.syntax_errors import json_problem

LARGEST = 256 * 1024 * 1024
"""Maximum bytes of a file, or of an archive member, in memory at once."""

LONGEST_LINE = 16 * 1024 * 1024
_RATIO = 200
"""Maximum compression ratio: JSON shrinks to a tenth, a zip bomb to a thousandth."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def text_of(path: Path, largest: int = LARGEST) -> str:
    """Read a file's text. Raises `NotFound`, `TooLarge` or `Invalid`."""
    try:
        if not path.is_file():
            raise NotFound(f"{path} is not a file", "give the path of a file")
        if path.stat().st_size > largest:
            raise TooLarge(f"{path} is larger than {largest:,} bytes", "split it")
        text = text_in(read_file(path, largest))
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    if text is None:
        raise Invalid(f"{path} is not a readable text file", "save it as UTF-8")
    return text


def packed_text(path: Path, name: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """(name, text) of the matching members of a zip file, or of the file itself if it is not a zip file.
    Nothing is unpacked to disk. Raises `Invalid` and `TooLarge`.
    """
    if not _is_packed(path):
        yield path.name, text_of(path)
        return
    try:
        with open_file(path) as stream, zipfile.ZipFile(stream) as packed:
            for member in packed.infolist():
                if name.fullmatch(member.filename.rpartition("/")[2]):
                    yield member.filename, _member(path, packed, member)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise Invalid(f"{path}: not a readable zip file: {error}", "export it again") from None


def _is_packed(path: Path) -> bool:
    try:
        with open_file(path) as stream:
            return zipfile.is_zipfile(stream)
    except OSError:
        return False


def _member(path: Path, packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    where = f"{path}: {member.filename}"
    if ".." in member.filename.split("/") or member.filename.startswith(("/", "\\")):
        raise Invalid(f"{where} points outside the archive", "export it again")
    if member.file_size > LARGEST:
        raise TooLarge(f"{where} is larger than {LARGEST:,} bytes", "split it")
    if member.file_size > _RATIO * max(1, member.compress_size):
        raise TooLarge(f"{where} unpacks to {member.file_size:,} bytes", "unpack it by hand")
    with packed.open(member) as stream:
        # The size in the archive's directory cannot be trusted.
        content = stream.read(member.file_size + 1)
    if len(content) > member.file_size:
        raise TooLarge(f"{where} is larger than its archive states", "unpack it by hand")
    text = text_in(content)
    if text is None:
        raise Invalid(f"{where} is not readable text", "export it again")
    return text


def json_of(path: Path, text: str) -> Any:
    """Parse a JSON file. Raises `Invalid` with the line."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"{path}: {json_problem(error)}", "export it again") from None


def json_items(text: str) -> Iterator[tuple[str, Any]]:
    """(location, item) of each item of a JSON list, one in memory at a time; the last is `Unread` if the
    text is truncated.
    """
    at = _SPACE.match(text, 0).end()  # type: ignore[union-attr]
    if text[at : at + 1] != "[":
        yield "the beginning", Unread("the beginning", "it is not a list")
        return
    at, number = at + 1, 0
    while True:
        at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
        if text[at : at + 1] == "]":
            return
        try:
            item, at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            yield f"[{number}]", Unread(f"[{number}]", "truncated or invalid JSON from here on")
            return
        yield f"[{number}]", item
        at, number = _SPACE.match(text, at).end(), number + 1  # type: ignore[union-attr]
        at += text[at : at + 1] == ","


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """(location, value) of each line of a file; `Unread` for a line that is too long or not JSON."""
    try:
        with open_file(path) as stream:
            number = 0
            while raw := stream.readline(LONGEST_LINE):
                number += 1
                place = f"line {number}"
                if len(raw) == LONGEST_LINE and not raw.endswith(b"\n"):
                    while raw and not raw.endswith(b"\n"):
                        raw = stream.readline(LONGEST_LINE)
                    yield place, Unread(place, f"longer than {LONGEST_LINE:,} bytes")
                elif raw.strip():
                    try:
                        yield place, json.loads(raw)
                    except (ValueError, RecursionError):
                        yield place, Unread(place, "not JSON")
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error


def moment_of(value: Any) -> datetime | None:
    """Parse an instant in any format of these programs: ISO 8601, or seconds or milliseconds since 1970."""
    try:
        if isinstance(value, str) and value.strip():
            return parse_instant(value)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def plain_text(value: Any) -> str:
    """A stripped text; empty for any other value."""
    return value.strip() if isinstance(value, str) else ""


def listed(value: Any) -> tuple[str, ...]:
    """The texts of a list, of a JSON list in a string, or of a comma-separated string."""
    if isinstance(value, str):
        text = value.strip()
        if text.startswith("["):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                return ()
        else:
            value = text.split(",")
    found = value if isinstance(value, list) else []
    return tuple(dict.fromkeys(plain_text(one) for one in found if plain_text(one)))
