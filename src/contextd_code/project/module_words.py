"""Describe a module by its manifest, its README or its first comment."""

from __future__ import annotations

import ast
import html
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from contextd_code.project.support_code import is_build_file
from contextd_code.tree.generated import UNWRITTEN
from contextd_code.values.source import SourceFile, Symbol

Read = Callable[[str], str]
"""Return the text of a file by its path, or an empty text."""

_NAMES = {
    "tsx": "TypeScript", "typescript": "TypeScript", "powershell": "PowerShell", "javascript": "JavaScript", "csharp": "C#",
    "cpp": "C++", "c-header": "C header", "cmake": "CMake", "notebook": "notebook",
     "php": "PHP", "sql": "SQL", "yaml": "YAML", "json": "JSON", "csv": "CSV", "html": "HTML", "css": "CSS", "toml": "TOML",
}  # fmt: skip
_LONGEST = 160
_READMES = "README.md", "readme.md", "README.rst", "README", "README.txt", "Readme.md"
_ENTRIES = (
    "__init__.py", "src/lib.rs", "lib.rs", "src/main.rs", "mod.rs", "main.rs", "doc.go",
    "package-info.java", "index.ts", "src/index.ts", "index.js", "src/index.js", "index.tsx",
)  # fmt: skip
_NOISE = re.compile(
    r"copyright|\(c\)\s|©|licen[cs]ed?\b|\b(?:mit|bsd|isc|apache|l?gpl|gnu)\b[^.]{0,30}\blicen[cs]e|\S@\S+\.\w|(?<!\d)(?:19|20)\d\d\s*[-–]\s*(?:(?:19|20)?\d\d\b|present)"
    r"|\b\d{1,2}\.? (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{4}\b|^version \d"
    r"|^(?:(?:written|created|made|maintained|developed|authored|designed) )?by\b|^(?:authors?|maintainers?|contributors?)\b\s*:"
    r"|\b(?:for|of|to|with|and|or|by|in|on|from|the|an?|including|following|are|is)$"
    r"|spdx|eslint|prettier|@ts-|auto-?generated|do not edit|https?://\S+$"
    r"|\(parent\)$|^parent (?:pom|project|module)\b|pom\.xml|^(?:see|click (?:here|on|the)|read|check|visit|star|join|follow|explore|view|note|important|warning|caution)\b"
    r"|\b(?:docs?|documentation|repository|project|code) (?:was|were|has|have) (?:been )?moved\b|\bmoved to\b"
    r"|^(?:initiali[sz]es?|imports?|exports?|re-?exports?|init)\b.*\b(?:package|module|submodule|namespace|space|API)s?\b|npm (?:install|run|i)\b|registry|^\$ "
    r"|^(?:please|for (?:more|further|full|detailed)|as per|refer to|to (?:install|get started|run|build|use))\b"
    r"|^(?:learn|show|run|buy|donate|sign up)\b|^a description of this package|\bsuch as$"
    r"|^\w[\w.-]* (?:was|were) (?:an?|the)\b|^this functionality\b|\bsubject to change\b|\bunder (?:heavy |active )?development\b"
    r"|^we(?: are|'re|'ve| have)\b|^this readme\b|^use (?:strict|client|server)|^todo\b|create[- ](?:next|react)-app|^this (?:is|starter) a? ?"
    r"(?:turborepo|template)"
    r"|: `(?:yarn|npm|npx|pnpm|bun|make|cargo|go|python3?|pip|docker|\./)\b"
    r"|\bwas generated (?:with|by|using)\b|^this website is built\b|^welcome\b|^[@\\\\](?:page|file|mainpage|brief)\b"
    r"|^a (?:sample|starting point|new flutter|simple command-line|basic)\b|^(?:add|enter) your\b|^my new\b"
    r"|^(?:short|project|package) description\b|^lorem ipsum\b|^default template\b|^an? (?:empty|example) project\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?:(?<=[a-z0-9)`\"'”])|(?<=[A-Za-z]{2}))[.!?](?:\s|$)"
)
_LEADS_ON = re.compile(
    r"\b(?:following|these|below|included|contains?|provides?|supports?|for)\b[^.!?]*:$"
)
_SHOWN_LINK = re.compile(
    r"<a\b(?:(?!</a>).){0,3000}<img\b(?:(?!</a>).){0,3000}</a>", re.IGNORECASE | re.DOTALL
)
"""A linked picture: a badge or a sponsor's logo."""

_HEADING = re.compile(r"<h(\d)>.*?</h\1>", re.IGNORECASE | re.DOTALL)
_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_LINK = re.compile(r"!?\[([^\]\n]*)\](?:\([^)\n]*\)|\[[^\]\n]*\])")
_BADGE = re.compile(r"\[?!\[[^\]\n]*\](?:\([^)\n]*\)|\[[^\]\n]*\])(?:\]\([^)\n]*\))?")
_HIDDEN = re.compile(r"<!--.*?-->|^(```|~~~).*?^\1", re.DOTALL | re.MULTILINE)
_SETEXT = re.compile(r"^[^\n]+\n(?:=+|-{3,}|~{3,})[ \t]*$", re.MULTILINE)
_REFERENCE = re.compile(r"^ {0,3}\[[^\]\n]+\]:[^\n]*$", re.MULTILINE)
_UNDERLINE = "=-~*_^#+ "
_ASIDE = re.compile(
    r"^#[ \t]+[^\n]*\b(?:install\w*|usage|getting started|quick ?start|sponsors?|backers|contribut\w*|licen[cs]e"
    r"|requirements|develop\w*|deploy\w*|documentation|contents|changelog|support)\b"
    r"|^##+[ \t]+(?![^\n]*\b(?:about|understanding|introduc\w*|overview|what|description|summary|why|features?|details|purpose)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A README heading after which it explains usage instead of purpose."""

_COMPILED = "c", "cc", "cpp", "h", "hpp"
_HIDDEN_NAME = re.compile(r"_|default$|preview$|main$|tests?$")
"""Names that a language hides from other files, or that occur in files of every kind."""

_PREPROCESSED = "c", "c-header", "cpp", "objc"
"""Languages whose macros guard headers and set switches; they do not say what a file is about."""

_SPACED = "c-header", "cpp", "typescript", "tsx"
"""Languages in which a module is a namespace, and never a thing of its own as in Ruby."""

_WITHIN = frozenset(("class", "interface", "module"))

_RUST = re.compile(r"^\s*//!\s?(.*)$")
_BLOCK = re.compile(r"\s*/\*\*(.*?)\*/", re.DOTALL)


def first_sentence(text: str) -> str:
    """The first sentence of a text in one line, at most 160 characters; empty for boilerplate."""
    sentence = " ".join(re.sub(r"``?([^`\n]*)``?", r"`\1`", _LINK.sub(r"\1", text)).split())
    sentence = re.sub(r"\*\*([^*]+)\*\*", r"\1", sentence)
    sentence = re.sub(r":\w+:`([^`]*)`", r"\1", sentence)
    if _LEADS_ON.search(sentence):
        # It ends before a list, without which it is incomplete.
        sentence = sentence[: sentence.rfind(". ") + 1]
    sentence = sentence.strip(" -–—:*_#>=|")
    found = _SENTENCE.search(sentence)
    if found:
        sentence = sentence[: found.start()]
    if len(sentence) > _LONGEST:
        sentence = sentence[:_LONGEST].rpartition(" ")[0].rstrip(",;:") + " …"
    return (
        ""
        if len(sentence) < 12
        or " " not in sentence
        or "](" in sentence
        or "][" in sentence
        or sentence.count("(") < sentence.count(")")
        or _NOISE.search(sentence)
        else sentence
    )


def readme_sentence(text: str) -> str:
    """The first meaningful sentence of a README; headings, badges and HTML are skipped."""
    cleaned = _REFERENCE.sub("", _HIDDEN.sub("", text[:20_000].replace("\r", "")))
    cleaned = _SETEXT.sub(
        "\n\n",
        html.unescape(_TAG.sub("", _BADGE.sub("", _BREAK.sub(" ", _SHOWN_LINK.sub(" ", cleaned))))),
    )
    aside = _ASIDE.search(cleaned)
    paragraphs = re.split(r"\n\s*\n", cleaned[: aside.start()] if aside else cleaned)
    for paragraph in paragraphs[:25]:
        lines = [line.strip() for line in paragraph.split("\n")]
        prose = [
            line
            for line in lines
            if line
            and not line.startswith(("#", "|", "- ", "* ", "..", "---", "===", ">", ":", "!["))
            and not set(line) <= set(_UNDERLINE)
        ]
        sentence = first_sentence(" ".join(prose))
        if sentence.count(" ") >= 2 and not re.search(r" [•|·] ", sentence.replace("\xa0", " ")):
            return sentence
    return ""


def description(
    folders: Sequence[str],
    members: Sequence[SourceFile],
    paths: Collection[str],
    read: Read,
    about: str,
) -> str:
    """One sentence from the module itself; empty where it says none."""
    if len(folders) > 1:
        # What one of several folders says of itself does not hold for the others.
        return ""
    sentence = first_sentence(about) if about else ""
    return sentence or next(_told(folders, members, paths, read), "")


def _told(
    folders: Sequence[str], members: Sequence[SourceFile], paths: Collection[str], read: Read
) -> Iterator[str]:
    endings = Counter(f.path.rpartition(".")[2] for f in members).most_common(1)
    # A crate inside a C++ module only describes itself.
    foreign = endings[0][0] if endings else ""
    for folder in folders[:2]:
        for name in _ENTRIES:
            path = f"{folder}/{name}" if folder else name
            if foreign in _COMPILED and not name.endswith(foreign):
                continue
            if path in paths and (sentence := comment_sentence(path, read(path))):
                yield sentence
        for name in _READMES:
            path = f"{folder}/{name}" if folder else name
            if folder and path in paths and (sentence := readme_sentence(read(path))):
                yield sentence
    for folder in folders[:1]:
        own = [f.path for f in members if f.path.rpartition("/")[0] == folder][:8]
        for path in own:
            if path.endswith(".go") and (sentence := comment_sentence(path, read(path))):
                yield sentence


def comment_sentence(path: str, text: str) -> str:
    """The first sentence of the comment that opens a file."""
    text = text[:20_000].lstrip("\ufeff").replace("\r", "")
    if path.endswith((".py", ".pyi")):
        return first_sentence(_docstring(text))
    if path.endswith(".rs"):
        lines: list[str] = []
        for line in text.split("\n"):
            found = _RUST.match(line)
            if found and lines and found[1].startswith(("- ", "* ", "1. ")):
                # The heading of a list is not a sentence.
                return ""
            if found and not (lines and not found[1].strip()):
                prose = found[1].strip() and not found[1].startswith(("#", "=", "-", "```"))
                lines += [found[1]] if prose else []
            elif lines:
                break
        return first_sentence(" ".join(lines))
    if path.endswith(".go"):
        found = re.search(r"(?:^//[^\n]*\n)+(?=package )", text, re.MULTILINE)
        comment = re.sub(r"^//\s?", "", found[0], flags=re.MULTILINE) if found else ""
        start = comment.find("Package ")
        sentence = first_sentence(comment[start:]) if start >= 0 else ""
        sentence = re.sub(r"^Package \w+ (?=\w)", "", sentence)
        return sentence[:1].upper() + sentence[1:]
    return _of_block(path, text)


def _of_block(path: str, text: str) -> str:
    java = path.endswith("package-info.java")
    found = _BLOCK.search(text) if java else _BLOCK.match(text)
    if found is None:
        return ""
    if java and _NOISE.search(found[1]):
        found = _BLOCK.search(text, found.end()) or found
    lines = [line.strip(" *\t") for line in found[1].split("\n")]
    comment = " ".join(line for line in lines if not line.startswith("@"))
    comment = _TAG.sub("", _HEADING.sub(" ", re.sub(r"\{@\w+ ([^}]*)\}", r"\1", comment)))
    return first_sentence(comment)


def _docstring(text: str) -> str:
    found = re.match(r"""(?:\s|#[^\n]*\n)*[rRuU]?(\"""|''')(.*?)\1""", text, re.DOTALL)
    if found is None:
        return ""
    try:
        docstring = ast.literal_eval(f"{found[1]}{found[2]}{found[1]}")
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    lines = str(docstring).strip().split("\n\n")[0].split("\n")
    return "\n".join(line for line in lines if not set(line.strip()) <= set(_UNDERLINE))


def counted(members: Sequence[SourceFile], rank: Mapping[str, float], left_out: str = "") -> str:
    """How many files of which languages, the one or two with most of them, and the names that stand for them.

    `left_out` names what lies in the same folders and is not counted.
    """
    languages = {f.path: _NAMES.get(f.language, f.language.capitalize()) for f in members}
    main = Counter(languages[f.path] for f in members)
    # What builds a module is counted, but names its language only if there is nothing else.
    written = {languages[f.path] for f in members if not is_build_file(f.path)}
    main = Counter({one: n for one, n in main.items() if one in written or not written})
    if len(main) > 1:
        main.pop("SQL", None)
    if "C++" in main:
        main["C++"] += main.pop("C header", 0)
    elif "C header" in main:
        main["C"] += main.pop("C header")
    (language, most), *others = main.most_common() or [("", 0)]
    names: dict[str, None] = {}
    shown = {language, others[0][0]} if others and 2 * most <= len(members) else {language}
    # Headers count as files of their language.
    shown |= {"C header"} if shown & {"C", "C++"} else set()
    named = [
        f
        for f in members
        if languages[f.path] in shown and f.error not in UNWRITTEN and not is_build_file(f.path)
    ]
    for file in sorted(named, key=lambda f: (-rank.get(f.path, 0), f.path)):
        for symbol in most_public(file)[:2]:
            names.setdefault(symbol.name)
    listed = ", ".join(list(names)[:5])
    count = f"{most} {language} file{'s' * (most != 1)}"
    if others and 2 * most <= len(members):
        second, some = others[0]
        count = f"{most} {language} and {some} {second} files"
    count += f" without {left_out}" * bool(left_out)
    return f"{count}: {listed}" if listed else count


def most_public(file: SourceFile) -> list[Symbol]:
    """The exported definitions of a file: classes and functions first, the largest of them. Those in a module
    that holds types, as namespaces do, stand for it.
    """
    holders = {s.parent for s in file.symbols if s.parent and s.kind in _WITHIN}
    spaces = {""}
    public: list[Symbol] = []
    for symbol in file.symbols:
        whole = f"{symbol.parent}.{symbol.name}" if symbol.parent else symbol.name
        if symbol.parent not in spaces or not symbol.exported:
            continue
        if symbol.kind == "module" and (whole in holders or file.language in _SPACED):
            spaces.add(whole)
        elif not _HIDDEN_NAME.match(symbol.name) and not (
            symbol.kind == "macro" and file.language in _PREPROCESSED
        ):
            public.append(symbol)
    return sorted(public, key=lambda s: (s.kind not in ("class", "function"), s.start - s.end))
