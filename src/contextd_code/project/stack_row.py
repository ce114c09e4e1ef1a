"""A row of the table of technologies."""

from __future__ import annotations

from typing import Literal

from contextd_common.dataclass import dataclass

Category = Literal[
    "fullstack", "backend", "frontend", "mobile", "desktop", "cli", "ui", "api", "orm", "database",
    "messaging", "auth", "ai", "data", "test", "build", "lint", "deploy", "ci", "docs",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Technology:
    """One row. `packages` are `ecosystem/name`, where a trailing `*` stands for anything;
    with the ecosystem `std`, `language:module` that comes with a language and is imported;
    `files` are names or path patterns that prove it; `images` are names of container images.
    """

    name: str
    category: Category
    packages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    images: tuple[str, ...] = ()


def row(
    name: str,
    category: Category,
    *,
    npm: str = "",
    pypi: str = "",
    cargo: str = "",
    go: str = "",
    maven: str = "",
    composer: str = "",
    gem: str = "",
    nuget: str = "",
    hex: str = "",
    pub: str = "",
    std: str = "",
    files: str = "",
    images: str = "",
) -> Technology:
    """A row with its packages by ecosystem, each written as words with spaces between them."""
    named = dict(
        npm=npm, pypi=pypi, cargo=cargo, go=go, maven=maven, composer=composer, gem=gem,
        nuget=nuget, hex=hex, pub=pub, std=std,
    )  # fmt: skip
    packages = [f"{ecosystem}/{p}" for ecosystem, names in named.items() for p in names.split()]
    return Technology(name, category, tuple(packages), tuple(files.split()), tuple(images.split()))
