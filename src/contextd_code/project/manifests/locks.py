"""Lock files: which manager wrote them, and the exact versions they hold.

They can have many megabytes, so they are searched by pattern and not parsed.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from contextd_code.project.manifests.model import Manifest, agreed

_Lock = Callable[[str, str], Manifest]


def _lock(ecosystem: str, manager: str, pattern: str) -> _Lock:
    compiled = re.compile(pattern, re.MULTILINE)

    def read(path: str, text: str) -> Manifest:
        versions = agreed(compiled.findall(text))
        return Manifest(path, ecosystem, versions=versions, manager=manager)

    return read


_TOML = r'^name = "([^"]+)"\nversion = "([^"]+)"'

npm = _lock("npm", "npm", r'^ {4}"node_modules/((?:@[^"/]+/)?[^"/]+)": \{\s*"version": "([^"]+)"')
yarn = _lock("npm", "yarn", r'^"?((?:@[^@/"]+/)?[^@"\s]+)@[^\n]*:\n  version:? "?([^"\n]+)')
pnpm = _lock(
    "npm",
    "pnpm",
    r"^ {6}'?((?:@[^/']+/)?[^/':\s]+)'?:\n {8}specifier: [^\n]*\n {8}version: ([\d.]+)",
)
bun = _lock("npm", "bun", r'^ {4}"((?:@[^/"]+/)?[^/"]+)": \["(?:@[^/"]+/)?[^@"]+@([\d.]+)')
uv = _lock("pypi", "uv", _TOML)
poetry = _lock("pypi", "poetry", _TOML)
pdm = _lock("pypi", "pdm", _TOML)
pipenv = _lock("pypi", "pipenv", r'^ {8}"([^"]+)": \{[^}]*?"version": "==([^"]+)"')
cargo = _lock("cargo", "cargo", _TOML)
composer = _lock("composer", "composer", r'"name": "([^"]+/[^"]+)",\s*"version": "v?([^"]+)"')
bundler = _lock("gem", "bundler", r"^ {4}([\w.-]+) \(([\d.]+)\)$")
