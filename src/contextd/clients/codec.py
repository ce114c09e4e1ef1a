"""The formats of clients' configuration files, each edited as text: what is not ours stays as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contextd.clients import json_config, toml_config, yaml_config
from contextd.domain.dataclass import dataclass
from contextd.domain.errors import Invalid

Place = tuple[str | int, ...]
"""Where something stands in a configuration: names of members and numbers of list items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Codec:
    """A format. `put` gives a text with a value at a place, making what is missing on the way; `remove`
    one without it; `read` the plain value of a text. All raise `Invalid` for what is not in the format.
    `empty` is what a file without content counts as.
    """

    name: str
    empty: str
    read: Callable[[str], Any]
    put: Callable[[str, Place, Any], str]
    remove: Callable[[str, Place], str]

    def members(self, text: str) -> dict[str, Any]:
        """The names and values at the top of a text. Raises `Invalid` where it holds something else."""
        document = self.read(text)
        if not isinstance(document, dict):
            what = "a JSON object" if self.empty else f"{self.name} with names and values"
            raise Invalid(f"it does not hold {what}", "correct the file, or move it away")
        return document


JSON = Codec(
    name="JSON", empty="{}\n", read=json_config.read, put=json_config.put, remove=json_config.remove
)
JSONC = Codec(
    name="JSON with comments",
    empty="{}\n",
    read=json_config.read_with_comments,
    put=json_config.put,
    remove=json_config.remove,
)
TOML = Codec(
    name="TOML",
    empty="",
    read=toml_config.read,
    put=toml_config.put,
    remove=toml_config.remove,
)
YAML = Codec(
    name="YAML",
    empty="",
    read=yaml_config.read,
    put=yaml_config.put,
    remove=yaml_config.remove,
)
