"""Read manifests, lock files and version files of every ecosystem into one form."""

from __future__ import annotations

import configparser
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import translate
from xml.etree.ElementTree import ParseError

import yaml

from contextd_code.project.manifests import (
    further,
    jvm,
    locks,
    npm,
    others,
    python,
    settings,
    systems,
)
from contextd_code.project.manifests.model import Manifest

__all__ = ["FORMATS", "Manifest", "is_lock", "is_manifest", "parse"]

FORMATS: Mapping[str, Callable[[str, str], Manifest]] = {
    "package.json": npm.package_json,
    "pnpm-workspace.yaml": npm.pnpm_workspace,
    "lerna.json": npm.lerna,
    "deno.json": npm.deno,
    "deno.jsonc": npm.deno,
    "package-lock.json": locks.npm,
    "yarn.lock": locks.yarn,
    "pnpm-lock.yaml": locks.pnpm,
    "bun.lock": locks.bun,
    "bun.lockb": locks.bun,
    "pyproject.toml": python.pyproject,
    "requirements*.txt": python.requirements,
    "requirements*.in": python.requirements,
    "setup.cfg": python.setup_cfg,
    "setup.py": python.setup_py,
    "Pipfile": python.pipfile,
    "environment.y*ml": python.conda,
    "uv.lock": locks.uv,
    "poetry.lock": locks.poetry,
    "pdm.lock": locks.pdm,
    "Pipfile.lock": locks.pipenv,
    "Cargo.toml": systems.cargo,
    "Cargo.lock": locks.cargo,
    "go.mod": systems.go_mod,
    "go.work": systems.go_work,
    "Package.swift": systems.swift,
    "pom.xml": jvm.pom,
    "build.gradle": jvm.gradle,
    "build.gradle.kts": jvm.gradle,
    "settings.gradle": jvm.gradle_settings,
    "settings.gradle.kts": jvm.gradle_settings,
    "libs.versions.toml": jvm.catalog,
    "composer.json": others.composer,
    "composer.lock": locks.composer,
    "Gemfile": others.gemfile,
    "Gemfile.lock": locks.bundler,
    "*.gemspec": others.gemspec,
    "*.csproj": others.csproj,
    "*.fsproj": others.csproj,
    "mix.exs": others.mix,
    "pubspec.yaml": others.pubspec,
    "Dockerfile": others.dockerfile,
    "Dockerfile.*": others.dockerfile,
    "Containerfile": others.dockerfile,
    "docker-compose*.y*ml": others.compose,
    "compose*.y*ml": others.compose,
    ".nvmrc": others.version_file,
    ".node-version": others.version_file,
    ".python-version": others.version_file,
    ".ruby-version": others.version_file,
    ".java-version": others.version_file,
    "rust-toolchain": others.version_file,
    "rust-toolchain.toml": systems.rust_toolchain,
    "runtime.txt": others.version_file,
    ".tool-versions": others.tool_versions,
    "global.json": others.global_json,
    "rush.json": npm.rush,
    "gradle.properties": jvm.gradle_properties,
    ".env.example": settings.settings,
    ".env.sample": settings.settings,
    ".env.template": settings.settings,
    ".env.dist": settings.settings,
    "schema.prisma": settings.settings,
    "DESCRIPTION": further.r_description,
    "Project.toml": further.julia_project,
    "*.cabal": further.cabal,
    "package.yaml": further.hpack,
    "stack.yaml": further.stack_yaml,
    "cabal.project": further.cabal_project,
    "dune-project": further.dune_project,
    "*.opam": further.opam,
    "rebar.config": further.rebar,
    "*.app.src": further.erlang_app,
    "build.zig": further.zig,
    "build.zig.zon": further.zig_zon,
    "Makefile.PL": further.perl_make,
    "Build.PL": further.perl_make,
    "cpanfile": further.cpanfile,
    "dist.ini": further.dist_zilla,
    "*.rockspec": further.rockspec,
    "project.clj": further.leiningen,
    "deps.edn": further.deps_edn,
    "build.sbt": further.sbt,
    "build.sc": further.sbt,
    "build.mill": further.sbt,
    "*-pkg.el": further.emacs_package,
    "Cask": further.emacs_package,
    "Eask": further.emacs_package,
    "Eldev": further.emacs_package,
    "flake.nix": further.flake,
    "action.yml": further.action,
    "action.yaml": further.action,
    "database.yml": settings.settings,
    "application*.properties": settings.settings,
    "application*.y*ml": settings.settings,
    "settings.py": settings.settings,
    "settings_*.py": settings.settings,
}
"""File name or pattern → its parser. Adding a format takes one row."""

_IN_FOLDERS: Mapping[tuple[str, str], Callable[[str, str], Manifest]] = {
    ("requirements", ".txt"): python.requirements,
    ("requirements", ".in"): python.requirements,
    ("reqs", ".txt"): python.requirements,
    ("settings", ".py"): settings.settings,
}
"""Folder and suffix of files with arbitrary names."""

_PATTERNS = [(re.compile(translate(name)), read) for name, read in FORMATS.items() if "*" in name]
_ANY_PATTERN = re.compile("|".join(pattern.pattern for pattern, _ in _PATTERNS))
_BROKEN = (
    ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, ParseError,
    yaml.YAMLError, tomllib.TOMLDecodeError, SyntaxError, MemoryError,
    configparser.Error,
)  # fmt: skip


def _reader(path: str) -> Callable[[str, str], Manifest] | None:
    folder, _, name = path.rpartition("/")
    if name in FORMATS:
        return FORMATS[name]
    there = _IN_FOLDERS.get((folder.rpartition("/")[2], "." + name.rpartition(".")[2]))
    if there is not None or _ANY_PATTERN.match(name) is None:
        return there
    return next(read for pattern, read in _PATTERNS if pattern.match(name))


def is_lock(path: str) -> bool:
    """Whether this is a lock file, which may be large and is only searched by pattern."""
    reader = _reader(path)
    return reader is not None and reader.__module__ == locks.__name__


def is_manifest(path: str) -> bool:
    """Whether `parse` supports a file of this name."""
    return _reader(path) is not None


def parse(path: str, text: str) -> Manifest:
    """Parse a manifest. A broken one only has a `problem`."""
    read = _reader(path)
    if read is None:
        return Manifest(path, problem="not a manifest")
    try:
        return replace(read(path, text), path=path)
    # The parsers assume a valid structure, and a file may contain anything.
    except _BROKEN as error:
        return Manifest(path, problem=f"{type(error).__name__}: {error}"[:200])
