"""`contextd bench redaction`: secrets found, false alarms, speed.

The secrets are made up: providers' token shapes in neutral text, passwords and keys beside a name.
They were written together with the rules, so their recall only shows that no rule is broken.
`--data DIR` measures files of other people: it counts everything redacted, and replaces values in
settings files by made-up secrets.
"""

from __future__ import annotations

import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import contextd
from contextd.redaction.redact import redact
from contextd_bench.data import SEED, hardware
from contextd_bench.secret_samples import (
    FORMS,
    FRAMES,
    KEYS,
    PASSWORDS,
    PLACES,
    SECRETS,
    fill,
    plain_lines,
    planted,
)
from contextd_bench.secret_shapes import SHAPES
from contextd_bench.weak_samples import WEAK, WEAK_FORMS

LARGEST = 1_000_000
"""Longer files of a data folder, in bytes, are skipped."""

MOST_PLANTED = 2_000
HOSTILE = (
    "token=",
    "auth:",
    "password is ",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "a",
    "sk-",
    '\\\\\\"',
    "db:5432:",
    ":*:",
    "$2a$10$",
    "login a password ",
    "npm a1b2c3d4e5f6g7h8i9j0 ",
    'const password = "a1", ',
    "{ password: ('",
)
"""Long lines without secrets: twice the length should take twice the time."""

_HOSTILE_SIZES = (50_000, 100_000)
_SETTINGS = re.compile(
    r"\.(?:ya?ml|env[\w.]*|toml|ini|conf|cfg|properties|json|sh|md|tf|hcl|xml|example|sample|template|dist)$"
    r"|Dockerfile|compose"
)
_VALUED = re.compile(
    r"(?P<name>[\w.\-]*(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key))"
    r"[\"']?\]?\s{0,3}(?:=|:=|:|=>)\s{0,3}[\"'`]?(?P<value>[^\s\"'`;&,)]{3,120})(?=[\"'`]?[,;]?[ \t]*(?:\n|$))",
    re.I,
)
_NO_VALUE = re.compile(
    r"(?:true|false|yes|no|string|boolean|null|none|bool|str|object|array|int|number|required|optional)$"
    r"|.*[($]$|\$\(|[\[|>:]|.*(?:::|->)",
    re.I,
)
_NO_SECRET = re.compile(r"csrf|public|allow_empty|show|hide|reset|forgot", re.I)


@dataclass(frozen=True, slots=True)
class Recall:
    """How many secrets of a group were found."""

    name: str
    n: int
    found: int

    @property
    def share(self) -> float:
        """Found of all, between 0 and 1."""
        return self.found / self.n if self.n else 0.0

    def row(self) -> str:
        """A line of a Markdown table."""
        return f"| {self.name} | {self.n} | {self.found} | {self.share:.3f} |"


def run(data: Path | None = None, out: TextIO = sys.stdout) -> dict[str, Any]:
    """Print recall by group, false alarms and speed; `data` is a folder of text files."""
    print(f"\n## redaction\nhardware: {hardware()}", file=out)
    print("| secrets | n | found | recall |\n|---|---|---|---|", file=out)
    groups = made_up()
    for group in groups:
        print(group.row(), file=out)
    lines = [line for seed in range(10) for line in plain_lines(random.Random(seed))]
    alarms = sum(bool(redact(line).findings) for line in lines)
    print(f"false alarms on lines made to mislead: {alarms} of {len(lines)}", file=out)
    figures: dict[str, Any] = {group.name: group.share for group in groups}
    figures["false alarms"] = alarms / len(lines)
    own = [path.read_text(encoding="utf-8") for path in Path(contextd.__path__[0]).rglob("*.py")]
    figures["MB/s"] = _speed("the source of contextd", own, out)
    if data is not None:
        figures |= _elsewhere(data, out)
    for piece in HOSTILE:
        short, long = (_seconds([piece * (size // len(piece))]) for size in _HOSTILE_SIZES)
        print(
            f"hostile line of {piece!r}: {long / short:.1f} times as long for twice the length",
            file=out,
        )
    out.flush()
    return figures


def made_up(per_frame: int = 3) -> list[Recall]:
    """Recall on generated secrets: those of providers, then passwords and keys by their form."""
    rng = random.Random(SEED)
    shapes = [shape for shapes in SHAPES.values() for shape in shapes]
    groups = [_recall("of providers, by shape", shapes, FRAMES, rng, per_frame)]
    rows = [Recall("", 1, _found(frame, fill(shape, rng))) for frame, _, shape in PLACES]
    groups.append(Recall("told by their place", len(rows), sum(row.found for row in rows)))
    for name, frames in FORMS.items():
        groups.append(_recall(f"passwords: {name}", PASSWORDS, frames, rng, per_frame))
    groups.append(_recall("passwords: a word and a number", WEAK, WEAK_FORMS, rng, 1))
    for name, frames in KEYS.items():
        groups.append(_recall(f"keys: {name}", SECRETS, frames, rng, per_frame))
    return groups


def _recall(
    name: str, shapes: Sequence[str], frames: Sequence[str], rng: random.Random, times: int
) -> Recall:
    hits = [
        _found(frame, fill(shape, rng))
        for shape in shapes
        for frame in frames
        for _ in range(times)
    ]
    return Recall(name, len(hits), sum(hits))


def _found(frame: str, secret: str) -> bool:
    return secret not in redact(planted(frame, secret)).text


def _elsewhere(data: Path, out: TextIO) -> dict[str, Any]:
    """False alarms in the files of a folder, and recall of secrets planted there."""
    texts = dict(_files(data))
    size = sum(map(len, texts.values())) / 1e6
    types = Counter(finding.type for text in texts.values() for finding in redact(text).findings)
    total = sum(types.values())
    print(f"data: {len(texts)} files, {size:.1f} MB", file=out)
    print(
        f"redacted there: {total}, {total / size if size else 0:.2f} per MB: "
        + ", ".join(f"{kind} {count}" for kind, count in types.most_common()),
        file=out,
    )
    rng = random.Random(SEED)
    frames = [frame for path, text in texts.items() for frame in _frames(path, text)]
    rng.shuffle(frames)
    hits: list[bool] = []
    for before, name, after in frames[:MOST_PLANTED]:
        human = re.search("pass|pwd", name, re.I)
        secret = fill(rng.choice(PASSWORDS if human else SECRETS), rng)
        hits.append(secret not in redact(f"{before}{secret}{after}").text)
    planted_there = Recall("planted into its files of settings", len(hits), sum(hits))
    print(planted_there.row(), file=out)
    return {
        "redacted per MB": total / size if size else 0.0,
        "planted": planted_there.share,
        "MB/s, data": _speed("the data", list(texts.values()), out),
    }


def _files(data: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(data.rglob("*")):
        if not path.is_file() or path.is_symlink() or path.stat().st_size > LARGEST:
            continue
        content = path.read_bytes()
        if b"\0" not in content[:4_000]:
            yield str(path), content.decode("utf-8", "replace")


def _frames(path: str, text: str) -> Iterator[tuple[str, str, str]]:
    """(before, name, after) of values in a file that could be secrets, three at most."""
    if not _SETTINGS.search(Path(path).name):
        return
    left = 3
    for match in _VALUED.finditer(text):
        if left and not _NO_VALUE.match(match["value"]) and not _NO_SECRET.search(match["name"]):
            left -= 1
            start, end = match.span("value")
            yield text[max(0, start - 200) : start], match["name"], text[end : end + 100]


def _speed(name: str, texts: Sequence[str], out: TextIO) -> float:
    size = sum(len(text.encode()) for text in texts) / 1e6
    speed = size / min(_seconds(texts) for _ in range(3))
    print(f"speed on {name}, {size:.1f} MB: {speed:.1f} MB/s of CPU", file=out)
    return speed


def _seconds(texts: Iterable[str]) -> float:
    began = time.process_time()
    for text in texts:
        redact(text)
    return time.process_time() - began
