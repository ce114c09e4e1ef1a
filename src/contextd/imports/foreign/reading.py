"""Reading strangers' files: nothing larger than it may be, nothing nested without end, no link out of
where it lies, and every refusal says in which file.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from contextd.domain.encodings import text_in
from contextd.domain.errors import Invalid, NotFound, TooLarge
from contextd.domain.time import parse_instant
from contextd.files.guarded import open_file, read_file
from contextd.imports.foreign.format import Unread

LARGEST = 256 * 1024 * 1024
"""Bytes of a file, or of what is packed in one, that are held at once."""

LONGEST_LINE = 16 * 1024 * 1024
_RATIO = 200
"""How many times larger than packed a text may be: JSON shrinks to a tenth, a bomb to a thousandth."""

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


def text_of(path: Path, largest: int = LARGEST) -> str:
    """A file's text. Raises `NotFound`, `TooLarge` or `Invalid`."""
    try:
        if not path.is_file():
            raise NotFound(f"{path} is not a file", "give the path of one")
        if path.stat().st_size > largest:
            raise TooLarge(f"{path} is larger than {largest:,} bytes", "split it")
        text = text_in(read_file(path, largest))
    except OSError as error:
        raise NotFound(f"cannot read {path}: {error.strerror}", "check the path") from error
    if text is None:
        raise Invalid(f"{path} is no text that can be read", "save it as UTF-8")
    return text


def packed_text(path: Path, name: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """(name, text) of the members of a zip file that are called so, or of the file itself when it is no
    zip file. Nothing is unpacked to the disk. Raises `Invalid` and `TooLarge`.
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
        raise Invalid(
            f"{path}: not a zip file that can be read: {error}", "export it again"
        ) from None


def _is_packed(path: Path) -> bool:
    try:
        with open_file(path) as stream:
            return zipfile.is_zipfile(stream)
    except OSError:
        return False


def _member(path: Path, packed: zipfile.ZipFile, member: zipfile.ZipInfo) -> str:
    where = f"{path}: {member.filename}"
    if ".." in member.filename.split("/") or member.filename.startswith(("/", "\\")):
        raise Invalid(f"{where} leads out of the archive", "export it again")
    if member.file_size > LARGEST:
        raise TooLarge(f"{where} is larger than {LARGEST:,} bytes", "split it")
    if member.file_size > _RATIO * max(1, member.compress_size):
        raise TooLarge(f"{where} unpacks to {member.file_size:,} bytes", "unpack it by hand")
    with packed.open(member) as stream:
        # The size in the directory of the archive is only what whoever made it says.
        content = stream.read(member.file_size + 1)
    if len(content) > member.file_size:
        raise TooLarge(f"{where} is larger than it says", "unpack it by hand")
    text = text_in(content)
    if text is None:
        raise Invalid(f"{where} is no text that can be read", "export it again")
    return text


def json_of(path: Path, text: str) -> Any:
    """The value of a JSON file. Raises `Invalid` with the line."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise Invalid(
            f"{path}: line {error.lineno} is not JSON: {error.msg}", "export it again"
        ) from None
    except RecursionError:
        raise Invalid(f"{path}: nested too deep", "export it again") from None


def json_items(text: str) -> Iterator[tuple[str, Any]]:
    """(place, item) of each item of a JSON list, one in memory at a time; the last is `Unread` where the
    text breaks off.
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
            yield f"[{number}]", Unread(f"[{number}]", "it breaks off, or is not JSON from here on")
            return
        yield f"[{number}]", item
        at, number = _SPACE.match(text, at).end(), number + 1  # type: ignore[union-attr]
        at += text[at : at + 1] == ","


def json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """(place, value) of each line of a file; `Unread` for one that is no JSON or too long."""
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
    """An instant as any of these programs writes it: ISO 8601, or seconds or milliseconds since 1970."""
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
    """A text, stripped; empty for whatever else."""
    return value.strip() if isinstance(value, str) else ""


def listed(value: Any) -> tuple[str, ...]:
    """Texts of a list, of a JSON list in a text, or of a text with commas."""
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
