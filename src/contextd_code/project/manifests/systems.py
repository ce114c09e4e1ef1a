"""Rust, Go and Swift."""

from __future__ import annotations

import re
import tomllib
from posixpath import normpath

from contextd_code.project.manifests.model import Manifest, plain, table, texts, wanted

_GO_REQUIRE = re.compile(r"^(?:require\s+)?([\w.~/-]+\.[\w.~/-]+)\s+(v[\w.+-]+)(.*)$")
_SWIFT = re.compile(
    r'\.package\([^)]*?url:\s*"[^"]*?/([\w.-]+?)(?:\.git)?"[^)]*?"([\d.]+)"', re.DOTALL
)


def cargo(path: str, text: str) -> Manifest:
    """A crate, a workspace, or both."""
    data = table(tomllib.loads(text))
    package, space = table(data.get("package")), table(data.get("workspace"))
    needed = {name: wanted(spec) for name, spec in table(data.get("dependencies")).items()}
    for target in table(data.get("target")).values():
        needed |= {n: wanted(s) for n, s in table(table(target).get("dependencies")).items()}
    extra: dict[str, str] = {}
    for group in ("dev-dependencies", "build-dependencies"):
        extra |= {name: wanted(spec) for name, spec in table(data.get(group)).items()}
    listed = [
        table(data.get(one)) for one in ("dependencies", "dev-dependencies", "build-dependencies")
    ]
    listed += [table(table(one).get("dependencies")) for one in table(data.get("target")).values()]
    places = (table(spec).get("path") for one in listed for spec in one.values())
    folder = path.rpartition("/")[0]
    references = tuple(normpath(f"{folder or '.'}/{one}") for one in places if isinstance(one, str))
    shared = {name: wanted(spec) for name, spec in table(space.get("dependencies")).items()}
    rust = package.get("rust-version")
    if not isinstance(rust, str):
        rust = table(space.get("package")).get("rust-version")
    runtimes = {"Rust": f">={rust}"} if isinstance(rust, str) else {}
    binaries = data.get("bin")
    commands = [str(table(one).get("name") or "") for one in binaries or ()]
    return Manifest(
        path, "cargo", str(package.get("name") or ""), {**extra, **needed},
        frozenset(extra) - frozenset(needed), versions={n: v for n, v in shared.items() if v},
        runtimes=runtimes, manager="cargo", members=texts(space.get("members")),
        commands=tuple(filter(None, commands)),
        publishes="lib" in data and package.get("publish") is not False,
        private=package.get("publish") is False, about=plain(package.get("description")),
        topics=(*texts(package.get("keywords")), *texts(package.get("categories"))),
        references=references,
    )  # fmt: skip


def rust_toolchain(path: str, text: str) -> Manifest:
    """The pinned toolchain."""
    channel = table(table(tomllib.loads(text)).get("toolchain")).get("channel")
    return Manifest(path, runtimes={"Rust": str(channel)} if channel else {})


def go_mod(path: str, text: str) -> Manifest:
    """A Go module; indirect requirements are left out."""
    name = re.search(r"^module\s+(\S+)", text, re.MULTILINE)
    version = re.search(r"^go\s+(\d+\.\d+)", text, re.MULTILINE)
    asked = {}
    for line in text.splitlines():
        found = _GO_REQUIRE.match(line.strip())
        if found and "indirect" not in found[3] and not line.startswith(("module", "replace")):
            asked[re.sub(r"/v\d+$", "", found[1])] = found[2]
    return Manifest(
        path, "go", name[1] if name else "", asked,
        runtimes={"Go": f">={version[1]}"} if version else {}, manager="go",
    )  # fmt: skip


def go_work(path: str, text: str) -> Manifest:
    """The modules of a Go workspace."""
    block = re.search(r"^use\s*\(([^)]*)\)", text, re.MULTILINE)
    single = re.findall(r"^use\s+([^\s(]+)", text, re.MULTILINE)
    members = (*(block[1].split() if block else ()), *single)
    return Manifest(path, "go", manager="go", members=tuple(m.removeprefix("./") for m in members))


def swift(path: str, text: str) -> Manifest:
    """A Swift package."""
    name = re.search(r'name:\s*"([^"]+)"', text)
    tools = re.search(r"swift-tools-version:\s*([\d.]+)", text)
    return Manifest(
        path, "swift", name[1] if name else "", dict(_SWIFT.findall(text)),
        runtimes={"Swift": f">={tools[1]}"} if tools else {}, manager="swiftpm",
        publishes=".library(" in text, commands=tuple(re.findall(r'\.executable\(\s*name:\s*"([^"]+)"', text)),
    )  # fmt: skip
