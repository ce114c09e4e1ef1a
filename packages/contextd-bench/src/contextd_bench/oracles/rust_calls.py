"""Every call in a tree with what the Rust compiler says it calls, as a line of JSON per file.

Usage: python rust_calls.py ROOT < paths. `cargo` has to find what the packages depend on, and builds where
`CARGO_TARGET_DIR` says; what does not build is left out and named on stderr. Read from the typed trees that
`rustc` prints. A method of a trait is right at the trait and, where the type is known, at its `impl`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_SPAN = re.compile(r"\s*span: (.+?):(\d+):(\d+): (\d+):(\d+) \(#(\d+)\)")
_OWNER = re.compile(r"DefId\(\d+:\d+ ~ (\w+)\[\w+\]((?:::[^\s:]+)*)\):$")
_CALLED = re.compile(r"\s*ty: FnDef\(DefId\(\d+:\d+ ~ (\w+)\[\w+\]((?:::[^\s:)]+)*)\), \[(.*)\]\)")
_IMPL = re.compile(r"\s*(?:unsafe\s+|default\s+)*impl\b")
_KINDS = ("lib", "rlib", "bin", "proc-macro")
_MOST_HEADER_LINES = 12

Place = tuple[str, int, str]
"""(path, line inside of the definition, name)."""
Call = tuple[int, int, str]
"""(line, column, name)."""


@dataclass
class _Trees:
    """What the printed trees say. A definition is known by its package and its way there."""

    root: Path
    folder: Path = Path()
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    calls: dict[str, dict[Call, tuple[str, str]]] = field(
        default_factory=lambda: defaultdict[str, dict[Call, tuple[str, str]]](dict)
    )
    crates: set[str] = field(default_factory=set[str])
    _lines: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def text(self, path: str) -> list[str]:
        """The lines of a file."""
        if path not in self._lines:
            try:
                read = (self.root / path).read_text(encoding="utf-8", errors="replace")
            except OSError:
                read = ""
            self._lines[path] = read.split("\n")
        return self._lines[path]

    def path_of(self, written: str) -> str | None:
        """The path below the root of a file that the compiler names; None outside of it."""
        for folder in (self.root, self.folder):
            whole = (folder / written).resolve()
            if whole.is_file() and whole.is_relative_to(self.root):
                return whole.relative_to(self.root).as_posix()
        return None

    def read(self, lines: Iterator[str]) -> None:
        """Take in one package."""
        for line in lines:
            owner = _OWNER.match(line)
            if owner is not None:
                self._body(owner[1], owner[2], lines)
            elif line.lstrip() == "Call {\n":
                self._call(next(lines, ""), lines)

    def _body(self, crate: str, way: str, lines: Iterator[str]) -> None:
        self.crates.add(crate)
        for line in lines:
            if line == "body:\n":
                break
            if line.lstrip() == "Call {\n":
                self._call(next(lines, ""), lines)
        for line in lines:
            span = _SPAN.match(line)
            if span is not None:
                path = self.path_of(span[1]) if span[6] == "0" else None
                if path is not None:
                    self.places[crate + way] = (path, int(span[2]), way.rsplit("::", 1)[-1])
                return

    def _call(self, first: str, lines: Iterator[str]) -> None:
        called = _CALLED.match(first)
        for line in lines:
            if line.lstrip().startswith("from_hir_call: false"):
                return
            if line.strip() == "fun:":
                break
        span = next((found for line in lines if (found := _SPAN.match(line))), None)
        if called is None or span is None or span[6] != "0":
            return
        path = self.path_of(span[1])
        last = way.rsplit("::", 1)[-1] if (way := called[2]) else ""
        if path is None or last.startswith("{"):
            return
        written = self._written(path, *(int(one) for one in span.groups()[1:5]))
        if written[2]:
            self.calls[path][written] = (called[1] + way, called[3])

    def _written(self, path: str, top: int, left: int, bottom: int, right: int) -> Call:
        """The last name of what is written between two places."""
        text = self.text(path)
        if bottom > len(text):
            return 0, 0, ""
        parts = text[top - 1 : bottom]
        parts[-1] = parts[-1][: right - 1]
        parts[0] = " " * (left - 1) + parts[0][left - 1 :]
        whole = re.sub(r"::\s*<.*>\s*$", "", "\n".join(parts), flags=re.DOTALL)
        found = re.search(r"\w+\s*$", whole)
        if found is None:
            return 0, 0, ""
        before = whole[: found.start()]
        return top + before.count("\n"), len(before), found[0].strip()


@dataclass
class _Traits:
    """Where the methods of traits are: their signatures, and what implements them."""

    trees: _Trees
    implemented: dict[tuple[str, str, str], list[Place]] = field(
        default_factory=lambda: defaultdict[tuple[str, str, str], list[Place]](list)
    )

    def gather(self) -> None:
        """Read the heads of the `impl` blocks around all bodies."""
        for way, place in self.trees.places.items():
            if "{impl#" in way and (head := self._head(place)) is not None:
                trait, type_ = head
                self.implemented[trait, type_, place[2]].append(place)

    def _head(self, place: Place) -> tuple[str, str] | None:
        text = self.trees.text(place[0])
        for number in range(place[1] - 1, -1, -1):
            if _IMPL.match(text[number]):
                whole = " ".join(text[number : number + _MOST_HEADER_LINES]).split("{")[0]
                plain = _without_generics(whole.split(" where ")[0])
                trait, _, type_ = plain.partition(" for ")
                return (_last(trait.replace("impl", "", 1)), _last(type_)) if type_ else None
        return None

    def places(self, way: str, type_arguments: str) -> list[Place] | None:
        """What a call means; None if that cannot be complaints."""
        trees = self.trees
        crate, *steps = way.split("::")
        found = [trees.places[way]] if way in trees.places else []
        if "{impl#" in way:
            return found or ([] if crate not in trees.crates else None)
        if not found and crate in trees.crates:
            signature = self._signature(steps)
            if signature is None:
                return None
            found = [signature]
        if len(steps) > 1:
            type_ = _without_generics(_first(type_arguments)).strip("& ")
            one = self.implemented.get((steps[-2], _last(type_), steps[-1]), [])
            if len({place[0] for place in one}) > 1:
                # Several types have that name: the module says which.
                folder = type_.split("::")[-2:-1]
                one = [each for each in one if folder and folder[0] in re.split(r"[/.]", each[0])]
                if len({place[0] for place in one}) != 1:
                    return None
            found += one
        return found

    def _signature(self, steps: Sequence[str]) -> Place | None:
        """A method that a trait declares without a body."""
        if len(steps) < 2:
            return None
        trait, name = steps[-2:]
        found: list[Place] = []
        for path in self.trees.calls.keys() | {place[0] for place in self.trees.places.values()}:
            inside = False
            for number, line in enumerate(self.trees.text(path), 1):
                if re.match(rf"\s*(?:pub(?:\(.*?\))?\s+)?(?:unsafe\s+)?trait\s+{trait}\b", line):
                    inside = True
                elif inside and re.search(rf"\bfn\s+{name}\b", line):
                    found.append((path, number, name))
                    inside = False
                elif line.startswith("}"):
                    inside = False
        return found[0] if len(found) == 1 else None


def _without_generics(text: str) -> str:
    text = text.replace("->", "  ")
    while (plain := re.sub(r"<[^<>]*>", "", text)) != text:
        text = plain
    return text


def _first(type_arguments: str) -> str:
    """The first of several types: that of `self`."""
    deep = 0
    for at, sign in enumerate(type_arguments):
        deep += (sign in "<([{") - (sign in ">)]}")
        if sign == "," and deep == 0:
            return type_arguments[:at]
    return type_arguments


def _last(written: str) -> str:
    plain = _without_generics(re.sub(r"&?'\{?\w+\}?|&|\bmut\b", " ", written)).strip()
    return plain.rsplit("::", 1)[-1].strip()


def _packages(root: Path) -> list[Mapping[str, Any]]:
    done = subprocess.run(
        ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"],
        cwd=root,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
        return []
    found: list[Mapping[str, Any]] = json.loads(done.stdout)["packages"]
    return found


def _ask(trees: _Trees, package: Mapping[str, Any], target: Mapping[str, Any], env: Any) -> None:
    kind = "--lib" if "bin" not in target["kind"] else f"--bin={target['name']}"
    for profile in ("test", "dev"):
        asked = ["cargo", "rustc", "--offline", f"--package={package['name']}", kind]
        asked += [f"--profile={profile}", "--", "-Zunpretty=thir-tree", "--cap-lints=allow"]
        with (
            tempfile.TemporaryFile("w+", encoding="utf-8") as complaints,
            subprocess.Popen(
                asked, cwd=trees.root, env=env, stdout=subprocess.PIPE, stderr=complaints, text=True
            ) as running,
        ):
            assert running.stdout is not None
            trees.folder = Path(package["manifest_path"]).parent
            trees.read(iter(running.stdout))
            if running.wait() == 0:
                return
            complaints.seek(0)
            words = complaints.read()[-2000:]
    sys.stderr.write(f"{package['name']} {target['name']} does not build:\n{words}\n")


def main() -> None:
    """Print what the compiler says of the files that are named on stdin."""
    root = Path(sys.argv[1]).resolve()
    wanted = {line for line in sys.stdin.read().splitlines() if line.endswith(".rs")}
    trees = _Trees(root)
    with tempfile.TemporaryDirectory() as built:
        # The printed trees belong to no stable interface: a stable compiler gives them to who insists.
        env = {"CARGO_TARGET_DIR": built, **os.environ, "RUSTC_BOOTSTRAP": "1"}
        for package in _packages(root):
            for target in package["targets"]:
                if any(kind in _KINDS for kind in target["kind"]):
                    _ask(trees, package, target, env)
    traits = _Traits(trees)
    traits.gather()
    for path in sorted(wanted & trees.calls.keys()):
        calls: list[Any] = []
        for (line, _, name), (way, type_arguments) in sorted(trees.calls[path].items()):
            places = traits.places(way, type_arguments)
            if places is not None:
                calls.append([line, name, places, True])
        print(json.dumps({"path": path, "calls": calls}))


if __name__ == "__main__":
    main()
