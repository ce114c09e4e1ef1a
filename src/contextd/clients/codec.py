"""The formats of clients' configuration files, each edited as text: other content stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contextd.clients import json_config, toml_config, yaml_config
from contextd.clients.json_config import KeyPath
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec:
    """A format. `put` returns a text with a value at a path, creating missing parents; `remove` returns it
    without the value; `copied` with the value that another text has at a path, as it is written there; `read`
    parses it. All raise `Invalid` for text in another format. `empty` is the content assumed for an empty file.
    """

    name: str
    empty: str
    read: Callable[[str], Any]
    put: Callable[[str, KeyPath, Any], str]
    remove: Callable[[str, KeyPath], str]
    copied: Callable[[str, KeyPath, str, KeyPath], str]

    def members(self, text: str) -> dict[str, Any]:
        """The top-level names and values of a text. Raises `Invalid` when it is not a mapping."""
        document = self.read(text)
        if not isinstance(document, dict):
            what = "a JSON object" if self.empty else f"{self.name} with names and values"
            raise Invalid(f"it does not hold {what}", "correct the file, or move it away")
        return document


JSON = Codec(
    name="JSON",
    empty="{}\n",
    read=json_config.read,
    put=json_config.put,
    remove=json_config.remove,
    copied=json_config.copied,
)
JSONC = Codec(
    name="JSON with comments",
    empty="{}\n",
    read=json_config.read_with_comments,
    put=json_config.put,
    remove=json_config.remove,
    copied=json_config.copied,
)
TOML = Codec(
    name="TOML",
    empty="",
    read=toml_config.read,
    put=toml_config.put,
    remove=toml_config.remove,
    copied=toml_config.copied,
)
YAML = Codec(
    name="YAML",
    empty="",
    read=yaml_config.read,
    put=yaml_config.put,
    remove=yaml_config.remove,
    copied=yaml_config.copied,
)
