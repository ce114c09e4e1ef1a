"""What a change may break, and the review context of a branch in one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated

from contextd.codebase.changed_code import in_diff
from contextd.codebase.code_graphs import calls_of
from contextd.codebase.code_uses import use_counts_in_time
from contextd.codebase.freshness import steady
from contextd.codebase.impact_queue import turn
from contextd.codebase.impact_text import TextSection, by_file, packed, without
from contextd.codebase.past_fixes import changed_along, fixes_of, writers_of
from contextd.domain.details import RENDERED
from contextd.domain.limits import Grammar, Range
from contextd.domain.records import Record
from contextd.domain.result_display import text_form
from contextd.domain.time import iso
from contextd.knowledge.record_views import shortened
from contextd.policies.actions import changes_in, is_diff, told
from contextd.policies.rule_check import ViolationView, violation_views
from contextd.policies.rules_in_force import checked, with_root
from contextd.projects.file_records import attached_to
from contextd.runtime.gc_pause import building
from contextd.runtime.given_arguments import CodePlace
from contextd.runtime.operation import operation
from contextd.runtime.runtime import Runtime
from contextd_code.calls.call_graph import CallGraph
from contextd_code.git import diffs
from contextd_code.queries.changed_code import ChangedCode, ChangedFile, named
from contextd_code.queries.impact import CodeReach, DependentPlace, TestOfCode, reach
from contextd_code.queries.use_counts import UseCount, meant_by_name
from contextd_code.symbols.sources import Sources
from contextd_code.symbols.symbol_graph import Definition, SymbolGraph
from contextd_common.dataclass import dataclass
from contextd_common.errors import Invalid, NotFound, TooLarge, Unavailable
from contextd_common.text.remainder import cut_note

BUDGET, REVIEW_BUDGET = 1_500, 2_000
_DEEPEST = 5
_Budget = Annotated[int, Range(100, 50_000)]
_LISTED, _TESTS_LISTED = 1_000, 100
"""Places and tests in the lists; as many places as a page of `find_references` has lines."""
_KNOWN, _KNOWN_EACH = 12, 4
_FIXES = 8
_COUNT_SECONDS = 2.0
"""Seconds to count uses when choosing one of several definitions of a name."""
_FILES_ASKED = 25
"""Changed files whose records are looked up; beyond that only the first ones count."""
_LONGEST = 8_000_000


@dataclass(frozen=True, slots=True)
class KnownOfCode:
    """A record about changed code, and the file it was found for."""

    id: str
    kind: str
    title: str
    path: str

    def as_text(self) -> str:
        """One line."""
        return f"  {self.title} [{self.kind} {self.id[:8]}]"


@dataclass(frozen=True, slots=True)
class PastFix:
    """A commit or a remediation that fixed something here. `wrote` says that it wrote lines of the changed code
    that still exist.
    """

    id: str
    title: str
    at: str = ""
    wrote: bool = False

    def as_text(self) -> str:
        """One line."""
        here = " · wrote these lines" if self.wrote else ""
        day = f" · {self.at[:10]}" if self.at else ""
        return f"  {self.id[:9]} {self.title}{day}{here}"


@dataclass(frozen=True, slots=True)
class Impact:
    """What may break, the tests that cover it, and related records. `targets` are the definitions queried,
    `text` is everything within the budget, for the model; the lists are cut at 1,000 and 100.
    """

    targets: list[str]
    breaks: list[DependentPlace]
    tests: list[TestOfCode]
    knowledge: list[KnownOfCode]
    fixes: list[PastFix]
    files: int
    text: Annotated[str, RENDERED]
    notice: str = ""

    def as_text(self) -> str:
        """The text within the budget."""
        return f"{self.text}\n({self.notice})" if self.notice else self.text


@operation("GET /api/code/impact", profile="core", needs="checkout")
def impact(
    runtime: Runtime,
    path: Annotated[str | None, CodePlace()] = None,
    diff: Annotated[str, Grammar("diff", "a diff or a revision")] | None = None,
    depth: Annotated[int, Range(1, _DEEPEST)] = 2,
    budget: _Budget = BUDGET,
) -> Impact:
    """Show what a change may break: callers across files, tests covering it, related records, past fixes.

    Args:
        path: A file, file:Class.method, file:line, or a name. Or a unified diff.
        diff: A unified diff, a revision, or a range A..B; with a path, only what it changes there.
        depth: Calls to follow.
        budget: Most tokens of the text.
    """
    if path and is_diff(path):
        path, diff = None, path
    with building():
        return _told(runtime, path, diff if path else diff or "HEAD", depth, budget)


def _told(runtime: Runtime, path: str | None, diff: str | None, depth: int, budget: int) -> Impact:
    text, base = _diff_of(runtime, diff) if diff else ("", "")
    wanted = [one.path for one in changes_in(text)] if diff else [str(path).partition(":")[0]]
    with turn(runtime, "following"), steady(runtime, wanted=wanted) as lag:
        calls = calls_of(runtime)
        graph = calls.graph
        meant = _MeantByName(runtime, calls)
        changed = _changed(runtime, graph, path, meant, (text, base) if diff else None)
        along = changed_along(runtime, [one.path for one in changed.files])
        found = reach(calls, _sources(runtime), changed, depth, along)
    knowledge, remedies = _known(runtime, changed)
    fixes = [*remedies, *_fixes(runtime, changed)]
    cuts = _cuts(places=found.broken, tests=found.tests)
    answer = replace(
        _impact(changed, found, knowledge, fixes, budget),
        notice=_notice(lag.notice, calls.notice, found, meant.notice, *cuts),
    )
    runtime.trace.read([one.path for one in answer.breaks], type="symbol", query=path or "")
    return answer


def _changed(
    runtime: Runtime,
    graph: SymbolGraph,
    path: str | None,
    meant: _MeantByName,
    diff: tuple[str, str] | None,
) -> ChangedCode:
    """The code that a path names or a diff touches; with both, the parts of the diff below the path."""
    if diff is None:
        return named(graph, str(path), meant)
    changed = in_diff(runtime, graph, *diff)
    if not path:
        return changed
    place = path.partition(":")[0].strip("/")
    files = [one for one in changed.files if f"{one.path}/".startswith(f"{place}/")]
    if not files:
        raise NotFound(f"the diff changes nothing in {place!r}", "leave out the path or the diff")
    return replace(changed, files=files)


def _sources(runtime: Runtime) -> Sources:
    return Sources(runtime.root, runtime.code_index)


def _diff_of(runtime: Runtime, change: str) -> tuple[str, str]:
    """(the unified diff, the revision it starts from where that is known)."""
    if len(change) > _LONGEST:
        raise TooLarge(f"a diff of {len(change):,} characters", "give a part of it")
    if is_diff(change):
        return change, ""
    if "\n" in change.strip():
        raise Invalid("this is no unified diff", "give the output of `git diff`, or a revision")
    return diffs.diff(runtime.root, change.strip()), change.strip()


def _notice(behind: str, of_index: str, found: CodeReach, *more: str) -> str:
    """What an answer may lack, and how to get it."""
    return "; ".join(filter(None, (behind, of_index, found.lack, *more)))


def _cuts(**lists: Sequence[object]) -> Iterator[str]:
    """What the lists of the data leave out, by their names; the text counts its own omissions."""
    for things, whole in lists.items():
        most = _TESTS_LISTED if things == "tests" else _LISTED
        yield cut_note(min(most, len(whole)), len(whole), things, "name a part of it")


@dataclass(slots=True)
class _MeantByName:
    """Choose the definition of a bare name as `find_references` does, including nested ones such as a
    constructor.
    """

    runtime: Runtime
    calls: CallGraph
    notice: str = ""

    def __call__(self, found: Sequence[Definition]) -> Sequence[Definition]:
        def count(some: Sequence[Definition]) -> Mapping[Definition, UseCount]:
            return use_counts_in_time(self.runtime, some, _COUNT_SECONDS)

        meant, self.notice = meant_by_name(self.calls, found, count)
        return meant


def _impact(
    changed: ChangedCode,
    found: CodeReach,
    knowledge: list[KnownOfCode],
    fixes: list[PastFix],
    budget: int,
) -> Impact:
    targets = [f"{one.path}:{one.qualified}" for one in changed.symbols]
    paths = {one.path for one in found.broken}
    about = targets[0] if len(targets) == 1 else f"{len(targets)} definitions in {_files(changed)}"
    sure = [one.path for one in found.broken if one.certain]
    least = "at least " if found.lack else ""
    title = (
        f"{about}: {least}{_counted(len(sure), 'place')} in {_counted(len(set(sure)), 'file')} use it, "
        f"{_tests_counted(found)}"
    )
    if not changed.files:
        title = "nothing changed"
    perhaps = len(found.broken) - len(sure)
    title += f"; {perhaps} more perhaps" if perhaps else ""
    title += f"; {_counted(found.inside, 'line')} inside use it too" if found.inside else ""
    text = packed(
        title,
        [
            TextSection("May break:", by_file(found.broken), 0.5),
            TextSection("Tests:", _test_lines(found.tests), 0.2),
            TextSection("Known:", [text_form(one) for one in knowledge], 0.15),
            TextSection("Past fixes:", [text_form(one) for one in fixes], 0.15),
        ],
        budget,
    )
    return Impact(
        targets=targets[:_LISTED],
        breaks=found.broken[:_LISTED],
        tests=found.tests[:_TESTS_LISTED],
        knowledge=knowledge,
        fixes=fixes,
        files=len(paths),
        text=text,
    )


def _some(names: Sequence[str], most: int) -> str:
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def _tests_counted(found: CodeReach) -> str:
    """The number of tests listed, and of test files that name the code where not all of them are listed."""
    files = len({one.path for one in found.tests})
    more = f" in {files} of {found.naming} test files that name it" if found.naming > files else ""
    return _counted(len(found.tests), "test") + more


def _files(changed: ChangedCode) -> str:
    count = len(changed.files)
    return changed.files[0].path if count == 1 else f"{count} files"


def _test_lines(tests: Sequence[TestOfCode]) -> list[str]:
    """A line per file, with its tests that certainly cover the change."""
    by_path: dict[str, list[TestOfCode]] = {}
    for one in tests:
        by_path.setdefault(one.path, []).append(one)
    lines = []
    for path, some in by_path.items():
        names = ", ".join(one.symbol.replace(".", "::") for one in some if one.symbol)
        doubt = "" if any(one.certain for one in some) else " (perhaps)"
        lines.append(f"  {path}{'::' * bool(names)}{names} · {some[0].why}{doubt}")
    return lines


def _known(runtime: Runtime, changed: ChangedCode) -> tuple[list[KnownOfCode], list[PastFix]]:
    """(records about the files that change, those that name changed code first, and the remediations among
    them).
    """
    names = {one.symbol.name for one in changed.symbols}
    found: dict[str, tuple[Record, str]] = {}
    for file in changed.files[:_FILES_ASKED]:
        for record in attached_to(runtime, file.path, limit=_KNOWN_EACH * 2):
            found.setdefault(record.id, (record, file.path))
    every = sorted(
        found.values(),
        key=lambda pair: (
            not any(name in pair[0].text for name in names if len(name) > 2),
            -pair[0].confidence,
        ),
    )
    knowledge = [
        KnownOfCode(one.id, one.kind, shortened(one.title or one.content), path)
        for one, path in every
        if one.kind != "remediation"
    ][:_KNOWN]
    remedies = [
        PastFix(one.id, shortened(one.title or one.content), iso(one.created_at))
        for one, _ in every
        if one.kind == "remediation"
    ][:_FIXES]
    return knowledge, remedies


def _fixes(runtime: Runtime, changed: ChangedCode) -> list[PastFix]:
    paths = [file.path for file in changed.files[:_FILES_ASKED]]
    commits = fixes_of(runtime, paths, _FIXES * 3)
    if not commits:
        return []
    wrote: set[str] = set()
    for one in changed.symbols[:3]:
        wrote |= writers_of(runtime, one)
    commits = sorted(commits, key=lambda commit: commit.sha not in wrote)
    return [
        PastFix(one.sha, one.subject, iso(one.at), one.sha in wrote) for one in commits[:_FIXES]
    ]


@dataclass(frozen=True, slots=True)
class FileOfChange:
    """A changed file with its changed definitions, its removed ones, and its earlier path `was`."""

    path: str
    change: str
    symbols: list[str]
    gone: list[str]
    added: int
    removed: int
    was: str = ""
    binary: bool = False

    def as_text(self) -> str:
        """One line."""
        names = _some(self.symbols, 8)
        lost = f"; gone: {_some(self.gone, 5)}" if self.gone else ""
        kinds = [] if self.change == "edit" else [self.change]
        kinds += [f"moved from {self.was}"] if self.was else []
        kinds += ["binary"] if self.binary else []
        what = f" ({', '.join(kinds)})" if kinds else ""
        return (
            f"  {self.path}{what} +{self.added} -{self.removed}{': ' if names else ''}{names}{lost}"
        )


@dataclass(frozen=True, slots=True)
class DiffContext:
    """The review context of a branch: changes since it left `base`, callers outside of it, the tests to run,
    the rules it breaks and related records. `text` is all of it within the budget.
    """

    base: str
    files: list[FileOfChange]
    callers: list[DependentPlace]
    tests: list[TestOfCode]
    violations: list[ViolationView]
    knowledge: list[KnownOfCode]
    text: Annotated[str, RENDERED]
    fixes: list[PastFix] = field(default_factory=list[PastFix])
    notice: str = ""

    def as_text(self) -> str:
        """The text within the budget."""
        return f"{self.text}\n({self.notice})" if self.notice else self.text


@operation("GET /api/code/diff", profile="standard", needs="checkout")
def diff_context(
    runtime: Runtime,
    base: Annotated[str, Grammar("revision", "a branch or a commit")] | None = None,
    budget: _Budget = REVIEW_BUDGET,
) -> DiffContext:
    """Gather what a review of the current branch needs: changed definitions, their callers outside the diff,
    tests to run, relevant policies and decisions.

    Args:
        base: The branch or commit to compare with; the main branch when empty.
        budget: Most tokens of the text.
    """
    with building():
        return _gathered(runtime, base, budget)


def _gathered(runtime: Runtime, base: str | None, budget: int) -> DiffContext:
    name, commit = diffs.fork(runtime.root, base or "")
    text = diffs.diff(runtime.root, commit)
    wanted = [one.path for one in changes_in(text)]
    with turn(runtime, "following"), steady(runtime, wanted=wanted) as lag:
        calls = calls_of(runtime)
        changed = in_diff(runtime, calls.graph, text, commit)
        fresh, lack = _untracked(runtime, calls.graph.files, changed)
        changed = ChangedCode([*changed.files, *fresh])
        along = changed_along(runtime, [one.path for one in changed.files])
        found = reach(calls, _sources(runtime), changed, 1, along)
    outside = without(found.broken, [file.path for file in changed.files])
    violations = violation_views(checked(runtime, with_root(told(text), runtime))) if text else []
    knowledge, remedies = _known(runtime, changed)
    files = [
        FileOfChange(
            one.path,
            one.change,
            [symbol.qualified for symbol in one.symbols],
            list(one.removed_names),
            one.added,
            one.removed,
            one.was,
            one.binary,
        )
        for one in changed.files
    ]
    fixes = [*remedies, *_fixes(runtime, changed)]
    changes = f"{_counted(len(files), 'file')} changed" if files else "nothing changed"
    whole = packed(
        f"{changes} since {name}",
        [
            TextSection("Changed:", [text_form(one) for one in files], 0.3),
            TextSection("Breaks rules:", [f"  {text_form(one)}" for one in violations], 0.15),
            TextSection("Depends on it, outside the diff:", by_file(outside), 0.25),
            TextSection("Tests to run:", _test_lines(found.tests), 0.15),
            TextSection("Known:", [text_form(one) for one in knowledge], 0.1),
            TextSection("Past fixes:", [text_form(one) for one in fixes], 0.05),
        ],
        budget,
    )
    runtime.trace.read([one.path for one in files], type="symbol", query="")
    cuts = _cuts(files=files, places=outside, tests=found.tests)
    notice = _notice(lag.notice, calls.notice, found, lack, *cuts)
    return DiffContext(
        base=name,
        files=files[:_LISTED],
        callers=outside[:_LISTED],
        tests=found.tests[:_TESTS_LISTED],
        violations=violations,
        knowledge=knowledge,
        fixes=fixes,
        text=whole,
        notice=notice,
    )


def _untracked(
    runtime: Runtime, known: Iterable[str], changed: ChangedCode
) -> tuple[list[ChangedFile], str]:
    """The untracked files, and a note where git did not list them."""
    try:
        listed = diffs.untracked(runtime.root)
    except Unavailable as error:
        return [], f"untracked files are missing: {error.message}"
    told_of = {file.path for file in changed.files}
    indexed = set(known)
    return [
        ChangedFile(path, "create") for path in listed if path in indexed and path not in told_of
    ], ""
