"""Repositories for tests, and git as a person uses it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

TOKEN = (
    "export const LIFETIME = 900;\n\n"
    "export function refreshToken(old: string): string {\n  return old + LIFETIME;\n}\n\n"
    "export function unusedThing(): number {\n  return 1;\n}\n"
)
SERVICE = (
    "import { refreshToken } from '@/auth/token';\n\n"
    "export class AuthService {\n  renew(old: string) {\n    return refreshToken(old);\n  }\n}\n"
)
TSCONFIG = '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}'

SHOP: Mapping[str, str] = {
    "package.json": '{"name": "shop", "dependencies": {"express": "4.18.0"}}',
    "tsconfig.json": TSCONFIG,
    "src/auth/token.ts": TOKEN,
    "src/auth/service.ts": SERVICE,
    **{
        f"src/{name}/{part}.ts": (
            f"import {{ AuthService }} from '@/auth/service';\nexport const {name}_{part} = 1;\n"
        )
        for name in ("users", "billing")
        for part in ("model", "service", "routes")
    },
    "src/auth/guard.ts": "export function guard() { return true; }\n",
}
"""A small TypeScript project."""

BLOG: Mapping[str, str] = {
    "package.json": '{"name": "blog", "dependencies": {"fastify": "5.1.0"}}',
    "tsconfig.json": TSCONFIG,
    "src/auth/token.ts": TOKEN.replace("900", "60"),
    "src/auth/service.ts": SERVICE,
    "src/auth/guard.ts": SHOP["src/auth/guard.ts"],
    "src/posts/editor.ts": "export function publishPost(text: string) { return text; }\n",
}
"""Another one, with files of the same names, some of them with the same text."""


def written(root: Path, files: Mapping[str, str]) -> Path:
    """A folder with these files in it."""
    root.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def committed(root: Path, files: Mapping[str, str]) -> Path:
    """A repository whose only commit has these files."""
    written(root, files)
    git(root, "init", "-q", "--template=")
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", "start")
    return root


def git(root: Path, *arguments: str, at: int | None = None) -> str:
    """What a git command in `root` prints; it must succeed. A commit is dated `at`, in seconds since 1970,
    where that is given.
    """
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    moment = f"{at} +0000"
    dates = {"GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment} if at is not None else {}
    done = subprocess.run(
        ["git", "-C", str(root), *identity, *arguments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, **dates},
    )
    return done.stdout.strip()
