"""A whole contextd in this process: real store, real embedder, a project of its own."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from contextd.app import App
from contextd.operations.core import Answer
from contextd.runtime import Runtime
from contextd.settings import load_settings


class Desk:
    """One caller in one project."""

    def __init__(self, app: App, root: Path) -> None:
        self.app, self.root = app, root

    def runtime(self, **options: Any) -> Runtime:
        return self.app.runtime("mcp", cwd=str(self.root), client="test-client", **options)

    def __call__(self, operation: str, /, **arguments: Any) -> Any:
        return self.answer(operation, **arguments).value

    def answer(self, operation: str, /, **arguments: Any) -> Answer:
        return self.app.call(operation, self.runtime(), arguments)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small TypeScript repository under git."""
    root = tmp_path / "shop"
    (root / "src" / "auth").mkdir(parents=True)
    (root / "package.json").write_text('{"name": "shop", "dependencies": {"express": "4.18.0"}}')
    (root / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}')
    (root / "src" / "auth" / "token.ts").write_text(
        "export const LIFETIME = 900;\n\n"
        "export function refreshToken(old: string): string {\n  return old + LIFETIME;\n}\n\n"
        "export function unusedThing(): number {\n  return 1;\n}\n"
    )
    (root / "src" / "auth" / "service.ts").write_text(
        "import { refreshToken } from '@/auth/token';\n\n"
        "export class AuthService {\n  renew(old: string) {\n    return refreshToken(old);\n  }\n}\n"
    )
    for name in ("users", "billing"):
        (root / "src" / name).mkdir()
        for part in ("model", "service", "routes"):
            text = f"import {{ AuthService }} from '@/auth/service';\nexport const {name}_{part} = 1;\n"
            (root / "src" / name / f"{part}.ts").write_text(text)
    (root / "src" / "auth" / "guard.ts").write_text("export function guard() { return true; }\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "start")
    return root


def git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.invalid"]
    subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def open_desk(tmp_path: Path, repository: Path) -> Iterator[Callable[..., Desk]]:
    apps: list[App] = []

    def make(**flags: Any) -> Desk:
        chosen = {"embedder.name": "none", **{k.replace("_", ".", 1): v for k, v in flags.items()}}
        app = App.open(load_settings(home=tmp_path / "home", flags=chosen), work=False)
        apps.append(app)
        return Desk(app, repository)

    yield make
    for app in apps:
        app.close()


@pytest.fixture
def desk(open_desk: Callable[..., Desk]) -> Desk:
    return open_desk()
