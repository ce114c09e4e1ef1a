"""Whether the globs of a rule match a file: the one place that decides it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from contextd.domain.applies_to import LONGEST_GLOB, MOST_GLOBS, parted
from contextd.policies.patterns import Pattern, compiled_globs
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid

_WILD = re.compile(r"[*?\[{]")


@dataclass(frozen=True, slots=True)
class _Globs:
    """Compiled globs. With `every`, all files are taken that are not left out."""

    wanted: tuple[Pattern, ...]
    unwanted: tuple[Pattern, ...]
    every: bool


def matches(globs: Sequence[str], path: str) -> bool:
    """Whether globs match a file, relative to the root. Those with `!` take files out, whatever their place in the
    list; without others they leave the rest. Case is ignored, since some file systems do. What is no glob matches
    nothing.
    """
    made = _compiled(globs)
    if not (made.every or any(one.search(path) for one in made.wanted)):
        return False
    return not any(one.search(path) for one in made.unwanted)


def say_something_of(globs: Sequence[str], folder: str) -> bool:
    """Whether globs name a folder or one above it: `web/**/*.css` names `web`, `**/*.sql` names none."""
    if any(one.search(f"{folder}/-") for one in _compiled(globs).unwanted):
        return False
    return any(_names(glob, folder) for glob in parted(globs[:MOST_GLOBS])[0])


def _compiled(globs: Sequence[str]) -> _Globs:
    some = [glob for glob in globs[:MOST_GLOBS] if len(glob) <= LONGEST_GLOB]
    wanted, unwanted = parted(some)
    every = bool(unwanted) and not wanted and len(some) == len(globs)
    return _Globs(_patterns(wanted), _patterns(unwanted), every)


def _patterns(globs: Sequence[str]) -> tuple[Pattern, ...]:
    found: list[Pattern] = []
    for glob in globs:
        plain = glob.replace("\\", "/").rstrip()
        last = plain.rstrip("/").rpartition("/")[2]
        # A folder named without a slash at its end stands for what it contains.
        either = (plain,) if _WILD.search(last) or plain.endswith("/") else (plain, f"{plain}/**")
        try:
            found.append(compiled_globs(either, ignore_case=True))
        except Invalid:
            continue
    return tuple(found)


def _names(glob: str, folder: str) -> bool:
    plain = glob.replace("\\", "/").removeprefix("./").removeprefix("/").rstrip("/")
    parts = plain.casefold().split("/")
    wild = next((at for at, part in enumerate(parts) if _WILD.search(part)), len(parts))
    named, rest, here = "/".join(parts[:wild]), parts[wild:], folder.casefold()
    if not named:
        return False
    return here == named or (here.startswith(f"{named}/") and (not rest or "**" in rest))
