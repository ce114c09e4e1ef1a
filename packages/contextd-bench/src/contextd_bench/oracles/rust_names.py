"""Every name of a Rust tree with what the compiler says it refers to, as a line of JSON per file.

Usage: python rust_names.py ROOT --names < paths. `cargo` has to find what the packages depend on, and builds
where `CARGO_TARGET_DIR` says; what does not build is left out and named on stderr. Read from the source pages
of rustdoc, which link each name that the compiler resolved to its definition. Not judged: names without a link
(fields, texts of macros, `#[cfg(test)]`), and names of methods that a trait declares, as the page does not say
which `impl` is meant. Tests and examples are not built.
"""

from __future__ import annotations

import json
import os
import posixpath
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

_KINDS = ("lib", "rlib", "bin", "proc-macro")
_WORD = re.compile(r"[A-Za-z_]\w*")
_LINE = re.compile(r"^(\d+)(?:-\d+)?$")
_DEFINES = re.compile(
    r"\b(?:fn|struct|enum|union|trait|type|const(?!(?:\s+unsafe|\s+async|\s+extern\s+\S+)*\s+fn\b)|static|mod|macro_rules!|macro)\s+(?:mut\s+)?(?:r#)?(\w+)"
)
_TRAIT = re.compile(r"\btrait\.\w+\.html")
_HEADER_LINES = 12
_NOT_NAMES = frozenset(("self", "Self", "super", "crate"))

Place = tuple[str, int, str]
"""(path, line, name) of a definition."""


class _Page(HTMLParser):
    """The words of a source page: (line, word, where it leads), without those of comments and strings."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[int, str, str | None]] = []
        self._line = 0
        self._inside = False
        self._open: list[tuple[str, bool, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an element."""
        given = dict(attrs)
        if "data-nosnippet" in given and (given.get("id") or "").isdigit():
            self._line, self._inside = int(given["id"] or 0), True
            self._open.append((tag, True, None))
        elif tag in ("a", "span"):
            kind = given.get("class") or ""
            silent = kind in ("comment", "doccomment", "string")
            self._open.append((tag, silent, given.get("href") if tag == "a" else None))

    def handle_endtag(self, tag: str) -> None:
        """Leave an element."""
        if tag in ("a", "span") and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Take in the words of a piece of text."""
        if not self._inside or any(silent for _, silent, _ in self._open):
            return
        leads = next((href for _, _, href in reversed(self._open) if href), None)
        words = [found[0] for found in _WORD.finditer(data)]
        for number, word in enumerate(words):
            # A whole path is one link: it leads where its last part does.
            self.words.append((self._line, word, leads if number == len(words) - 1 else None))


class SourcePages:
    """The source pages of a repository."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths: dict[str, str] = {}
        self.pages: dict[str, str] = {}
        self._texts: dict[str, list[str]] = {}

    def add(self, built: Path, target: Mapping[str, Any]) -> None:
        """The pages of a crate, by the files that they show."""
        crate = str(target["name"]).replace("-", "_")
        folder = Path(target["src_path"]).parent
        source = built / "doc" / "src" / crate
        for page in source.rglob("*.rs.html"):
            file = folder / page.relative_to(source).as_posix().removesuffix(".html")
            if file.is_file() and file.resolve().is_relative_to(self.root):
                path = file.resolve().relative_to(self.root).as_posix()
                name = page.relative_to(built / "doc").as_posix()
                self.paths[name] = path
                self.pages.setdefault(path, page.read_text("utf-8", "replace"))

    def text(self, path: str) -> list[str]:
        """The lines of a file."""
        if path not in self._texts:
            self._texts[path] = (self.root / path).read_text("utf-8", "replace").split("\n")
        return self._texts[path]

    def place(self, page: str, href: str, word: str) -> Place | None:
        """The definition on a source page that a link leads to, at line 0 what a function has for itself."""
        where, _, fragment = href.partition("#")
        line = _LINE.match(fragment)
        name = posixpath.normpath(posixpath.join(posixpath.dirname(page), where)) if where else page
        path = self.paths.get(name)
        if path is None or line is None:
            return None
        first = int(line[1])
        text = self.text(path)
        head = "\n".join(text[first - 1 : first - 1 + _HEADER_LINES])
        found = _DEFINES.search(head)
        variant = re.match(rf"[ \t]*{word}\s*(?:[,({{=/]|$)", text[first - 1])
        if variant is None and (found is None or head[: found.start()].count("\n") > 2):
            return path, 0, word
        if (
            variant is None
            and found is not None
            and not re.search(rf"\b{word}\b", head.split("{")[0])
        ):
            return path, first, found[1]
        is_local = variant is None and found is not None and found[1] != word
        return path, 0 if is_local else first, word

    def is_of_trait(self, place: Place) -> bool:
        """Whether a method or constant is declared by a trait, which many types may implement."""
        path, line, name = place
        text = self.text(path)
        head = "\n".join(text[line - 1 : line + _HEADER_LINES])
        if not re.search(rf"\b(?:fn|const)\s+{name}\b", head.split("{")[0]):
            return False
        indent = len(text[line - 1]) - len(text[line - 1].lstrip())
        for above in range(line - 2, -1, -1):
            one = text[above]
            shallow = one.strip() and len(one) - len(one.lstrip()) < indent
            if shallow and not one.lstrip().startswith(("#", "//", "where", "}", ")", "{", "*")):
                found = re.search(r"\b(trait|impl|fn|mod|extern)\b", one)
                if found is not None:
                    return found[1] == "trait" or (
                        found[1] == "impl" and bool(re.search(r"\bfor\b", one.split("where")[0]))
                    )
        return False

    def names(self, path: str, page: str) -> Iterator[list[Any]]:
        """[line, name, definition, whether rustdoc resolved it] for each word of a file."""
        parsed = _Page()
        parsed.feed(self.pages[path])
        for line, word, href in parsed.words:
            if word in _NOT_NAMES:
                continue
            place = self.place(page, href, word) if href else None
            if place is not None and place[1] == 0:
                yield [line, word, [], True]
            elif place is not None:
                # The name of a definition leads to the definition, in derived code for example.
                yield [line, word, [place] if (path, line) != place[:2] else [], True]
                if self.is_of_trait(place):
                    yield [line, word, [], False]
            elif href and href.startswith("http") and not _TRAIT.search(href):
                yield [line, word, [], True]
            else:
                yield [line, word, [], False]


def _packages(root: Path) -> list[Mapping[str, Any]]:
    asked = ["cargo", "metadata", "--no-deps", "--offline", "--format-version", "1"]
    done = subprocess.run(asked, cwd=root, capture_output=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr.decode("utf-8", "replace"))
        return []
    found: list[Mapping[str, Any]] = json.loads(done.stdout)["packages"]
    return found


def main() -> None:
    """Print what the compiler says of the files that are named on stdin."""
    root = Path(sys.argv[1]).resolve()
    wanted = {line for line in sys.stdin.read().splitlines() if line.endswith(".rs")}
    pages = SourcePages(root)
    with tempfile.TemporaryDirectory() as built:
        # Links in source pages belong to no stable interface: a stable compiler gives them to who insists.
        env = {"CARGO_TARGET_DIR": built, **os.environ, "RUSTC_BOOTSTRAP": "1"}
        for package in _packages(root):
            for target in package["targets"]:
                if not any(kind in _KINDS for kind in target["kind"]):
                    continue
                kind = f"--bin={target['name']}" if "bin" in target["kind"] else "--lib"
                asked = [
                    "cargo",
                    "rustdoc",
                    "--offline",
                    f"--package={package['name']}",
                    kind,
                    "--",
                ]
                asked += ["-Zunstable-options", "--generate-link-to-definition"]
                asked += ["--document-private-items", "--cap-lints=allow"]
                done = subprocess.run(asked, cwd=root, env=env, capture_output=True, check=False)
                if done.returncode:
                    words = done.stderr.decode("utf-8", "replace")[-1000:]
                    sys.stderr.write(f"{package['name']} does not build:\n{words}\n")
                    continue
                pages.add(Path(env["CARGO_TARGET_DIR"]), target)
    by_path: dict[str, str] = defaultdict(str)
    for page, path in pages.paths.items():
        by_path[path] = page
    for path in sorted(wanted & by_path.keys()):
        print(json.dumps({"path": path, "calls": list(pages.names(path, by_path[path]))}))


if __name__ == "__main__":
    main()
