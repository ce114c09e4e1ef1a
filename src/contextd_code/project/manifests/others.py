"""PHP, Ruby, .NET, Elixir, Dart, containers, and files with only a version."""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from posixpath import normpath

from contextd_code.project.manifests.jvm import parse_xml
from contextd_code.project.manifests.model import Manifest, plain, table, texts, wanted
from contextd_common.files.yaml_text import load_plain

RUNTIME_NAMES = {
    "nodejs": "Node.js", "node": "Node.js", "python": "Python", "ruby": "Ruby", "golang": "Go",
    "go": "Go", "rust": "Rust", "java": "Java", "bun": "Bun", "deno": "Deno", "php": "PHP",
    "elixir": "Elixir", "dotnet": ".NET", "dotnet-core": ".NET", "swift": "Swift",
}  # fmt: skip
"""The name of a runtime in version tools → its name here."""

_VERSION_FILES = {
    ".nvmrc": "Node.js", ".node-version": "Node.js", ".python-version": "Python",
    ".ruby-version": "Ruby", ".java-version": "Java", "rust-toolchain": "Rust",
    "runtime.txt": "Python",
}  # fmt: skip


def composer(path: str, text: str) -> Manifest:
    """A PHP package or application."""
    data = table(json.loads(text))
    needed = {name.lower(): wanted(spec) for name, spec in table(data.get("require")).items()}
    extra = {name.lower(): wanted(spec) for name, spec in table(data.get("require-dev")).items()}
    php = needed.pop("php", "")
    return Manifest(
        path, "composer", str(data.get("name") or ""), {**extra, **needed},
        frozenset(extra) - frozenset(needed), runtimes={"PHP": php} if php else {},
        manager="composer", commands=texts(data.get("bin")),
        publishes=bool(data.get("name")) and data.get("type") not in ("project", "metapackage"),
        about=plain(data.get("description")), topics=texts(data.get("keywords")),
    )  # fmt: skip


def gemfile(path: str, text: str) -> Manifest:
    """A Gemfile, with its groups."""
    asked, dev, depth = {}, set(), 0
    for line in text.splitlines():
        stripped = line.strip()
        if re.match(r"group\b.*(?:test|development).*\bdo\b", stripped):
            depth = 1
        elif stripped == "end":
            depth = 0
        found = re.match(r"""gem\s+["']([\w.-]+)["'](?:\s*,\s*["']([^"']+)["'])?""", stripped)
        if found:
            if re.search(r"\bif\b.*RUBY_(?:PLATFORM|ENGINE)", stripped):
                # It is for one system alone.
                continue
            asked[found[1]] = found[2] or ""
            if depth or re.search(r"group:\s*.*:(?:test|development)", stripped):
                dev.add(found[1])
    ruby = re.search(r"""^ruby\s+["']([^"']+)""", text, re.MULTILINE)
    return Manifest(
        path, "gem", "", asked, frozenset(dev), runtimes={"Ruby": ruby[1]} if ruby else {},
        manager="bundler",
    )  # fmt: skip


def gemspec(path: str, text: str) -> Manifest:
    """A gem's own description."""
    listed = re.findall(
        r"""add_(runtime_|development_)?dependency\(?\s*["']([\w.-]+)["'](?:\s*,\s*["']([^"']+))?""",
        text,
    )
    needed = {name for kind, name, _ in listed if kind != "development_"}
    asked = {name: version for _, name, version in listed}
    ruby = re.search(
        r"""required_ruby_version\s*=\s*(?:Gem::Requirement\.new\()?\[?\s*["']([^"']+)""", text
    )
    about = re.search(r"""\.(?:summary|description)\s*=\s*["']([^"']+)["']""", text)
    commands = re.search(r"executables\s*=\s*(?:%[wW][\[({]|\[)([^\])}]*)", text)
    # Many a gemspec takes every file of a folder.
    listed_in = re.search(r"executables\s*=[^\n]*\^(bin|exe)/", text)
    return Manifest(
        path, "gem", PurePosixPath(path).stem, asked, frozenset(asked) - needed, manager="bundler",
        publishes=True,
        commands=(f"{listed_in[1]}/*",) if listed_in
        else tuple(re.findall(r"[\w.-]+", commands[1])) if commands else (),
        about=plain(about[1]) if about else "", runtimes={"Ruby": ruby[1]} if ruby else {},
    )  # fmt: skip


PACKED_AS_TOOL = "sdk:packastool"
"""The property of a .NET project that installs its program as a command."""


_NET = re.compile(r"(?:^|;)\s*net(?:coreapp)?\d+\.\d")


def _framework(listed: str) -> str:
    """The version of .NET that a project is built for, `>=8` for several; empty where it also runs elsewhere, as
    with netstandard2.0 and net48.
    """
    names = [one.strip() for one in listed.split(";") if one.strip()]
    found = [re.match(r"net(?:coreapp)?(\d+)\.\d", one) for one in names]
    versions = sorted(int(one[1]) for one in found if one)
    if not versions or len(versions) < len(names):
        return ""
    return f">={versions[0]}" if versions[0] != versions[-1] else str(versions[0])


def csproj(path: str, text: str) -> Manifest:
    """A .NET project."""
    root = parse_xml(text)
    asked = {
        item.get("Include", "").lower(): item.get("Version") or item.findtext("Version") or ""
        for item in root.iter("PackageReference")
    }
    asked[f"sdk:{root.get('Sdk', '').lower()}"] = ""
    framework = next((e.text or "" for e in root.iter() if e.tag.startswith("TargetFramework")), "")
    runtimes = {".NET": _framework(framework)} if _NET.search(framework) else {}
    program = any((e.text or "").lower().endswith("exe") for e in root.iter("OutputType"))
    name = PurePosixPath(path).stem
    if plain(root.findtext(".//PackAsTool")).lower() == "true":
        asked[PACKED_AS_TOOL] = ""
    command = plain(root.findtext(".//ToolCommandName")) or name
    folder = path.rpartition("/")[0]
    included = (
        item.get("Include", "").replace("\\", "/") for item in root.iter("ProjectReference")
    )
    built_with = (normpath(f"{folder}/{one}").rpartition("/")[0] for one in included)
    return Manifest(
        path, "nuget", name, asked, runtimes=runtimes, manager="dotnet",
        references=tuple(dict.fromkeys(built_with)),
        commands=(command,) if program else (), about=plain(root.findtext(".//Description")),
        publishes=root.find(".//PackageId") is not None or root.find(".//PackageTags") is not None,
    )  # fmt: skip


def mix(path: str, text: str) -> Manifest:
    """An Elixir project."""
    asked = dict(re.findall(r'\{:(\w+),\s*"([^"]+)"', text))
    elixir = re.search(r'elixir:\s*"([^"]+)"', text)
    return Manifest(
        path, "hex", "", asked, runtimes={"Elixir": elixir[1]} if elixir else {}, manager="mix",
        publishes="package:" in text or "package()" in text,
    )  # fmt: skip


def pubspec(path: str, text: str) -> Manifest:
    """A Dart or Flutter package."""
    data = table(load_plain(text))
    needed = {name: wanted(spec) for name, spec in table(data.get("dependencies")).items()}
    extra = {name: wanted(spec) for name, spec in table(data.get("dev_dependencies")).items()}
    sdk = str(table(data.get("environment")).get("sdk") or "")
    return Manifest(
        path, "pub", str(data.get("name") or ""), {**extra, **needed},
        frozenset(extra) - frozenset(needed), runtimes={"Dart": sdk} if sdk else {}, manager="pub",
        members=texts(data.get("workspace")),
        publishes=bool(data.get("version")) and str(data.get("publish_to") or "").lower() != "none",
        about=plain(data.get("description")),
    )  # fmt: skip


def dockerfile(path: str, text: str) -> Manifest:
    """The images a container is built from."""
    images = re.findall(r"^[ \t]*FROM[ \t]+(?:--\S+\s+)*(\S+)", text, re.MULTILINE | re.IGNORECASE)
    return Manifest(path, "docker", images=tuple(images))


def compose(path: str, text: str) -> Manifest:
    """The images of a Compose file."""
    services = table(table(load_plain(text)).get("services"))
    images = (table(service).get("image") for service in services.values())
    return Manifest(path, "docker", images=tuple(str(image) for image in images if image))


def version_file(path: str, text: str) -> Manifest:
    """A file that contains one version and nothing else."""
    first = next((line.strip() for line in text.splitlines() if line.strip()), "")
    version = re.sub(r"^(?:v|python-|ruby-)(?=\d)", "", first)
    return Manifest(path, runtimes={_VERSION_FILES[PurePosixPath(path).name]: version})


def tool_versions(path: str, text: str) -> Manifest:
    """Several runtimes, one per line (asdf, mise)."""
    rows = [line.split("#")[0].split() for line in text.splitlines()]
    versions = {row[0]: row[1] for row in rows if len(row) > 1}
    return Manifest(
        path,
        runtimes={RUNTIME_NAMES[tool]: v for tool, v in versions.items() if tool in RUNTIME_NAMES},
    )


def global_json(path: str, text: str) -> Manifest:
    """The pinned .NET SDK."""
    version = table(table(json.loads(text)).get("sdk")).get("version")
    return Manifest(path, runtimes={".NET": str(version)} if version else {})
