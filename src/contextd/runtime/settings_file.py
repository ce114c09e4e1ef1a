"""Read a settings file: its text and its YAML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from contextd_common.errors import Invalid
from contextd_common.files.guarded import read_file
from contextd_common.files.yaml_text import explained, load_plain


def text_of(path: Path, within: Path | None = None) -> str:
    """The text of a settings file; empty if there is none. Raises `Invalid` if it cannot be read."""
    try:
        return read_file(path, within=within).decode()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except UnicodeDecodeError as error:
        raise Invalid(f"{path} is not UTF-8 text", "save it as UTF-8") from error
    except OSError as error:
        raise Invalid(
            f"{path} cannot be read: {error.strerror}", "check its permissions"
        ) from error


def tree_of(text: str, path: Path) -> Mapping[str, Any]:
    """The names and values in a file's text. Raises `Invalid` with the line of a YAML error."""
    try:
        content = load_plain(text)
    except (yaml.YAMLError, ValueError) as error:
        line, what = explained(error)
        place = f", line {line}" if line else ""
        raise Invalid(
            f"{path}{place}: not valid YAML: {what}", "correct the line or remove the file"
        ) from error
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise Invalid(
            f"{path} must be a mapping of names to values", "for example `briefing: {tokens: 400}`"
        )
    return content
