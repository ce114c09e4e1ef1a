"""Scan a project: index its files, and write its facts to project.yaml."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import field, replace

from contextd.briefing.context_file import write_context_md
from contextd.codebase.index_limits import listed
from contextd.codebase.scan_lock import scan_turn
from contextd.codebase.symbol_weights import keep_weights
from contextd.domain.changes import CodeChange, WorkChanges
from contextd.domain.records import Clean
from contextd.domain.trust import UNTRUSTED
from contextd.knowledge.embedding import embedding_jobs
from contextd.policies.rule_file_sync import reconcile
from contextd.projects.checkout_shape import note_shape
from contextd.projects.model_facts import Essences, project_facts
from contextd.projects.project_model import project_model, unheeded
from contextd.projects.project_yaml import ProjectFacts, merge_scan
from contextd.redaction.cutting import redact_pieces
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.skills.skill_files import follow_skill_files
from contextd_code.git.git_queries import printable
from contextd_code.index.resolve import Resolver
from contextd_code.index.scan import ScanReport, Stamp, scan
from contextd_code.project.project_model import ProjectModel
from contextd_code.tree.walk import Walk, walk
from contextd_code.values.source import FileStamp, SourceFile
from contextd_common.dataclass import dataclass

_FILES_AT_ONCE, _BYTES_AT_ONCE = 250, 4_000_000
"""A commit holds at most this many files, and not much more than this many bytes."""

_ESSENCES_AT_ONCE = 2_000
_READINGS_AT_ONCE = _STAMPS_AT_ONCE = 4_000
_OWN = ".context/", ".git/"
_NO_FILES = "✓ There are no files yet. Run `contextd init` again when there are some."


def scan_project(
    runtime: Runtime,
    *,
    below: str = "",
    incremental: bool = True,
    walked: Walk | None = None,
    stamps: Mapping[str, Stamp] | None = None,
    resolver: Resolver | None = None,
    check: Callable[[], None] = lambda: None,
    seen: Callable[[SourceFile], object] = lambda _: None,
) -> ScanReport:
    """Bring files and lexical index up to date; vectors follow in the background.

    Some files are one commit: after a crash a file is either known and indexed, or looked at again;
    and no other writer waits for long. What made others lead elsewhere is written behind them, so
    that they are looked at again as well. More than a few files are read in another process, where
    others wait for answers of this one. `check` is called as files are read and before each commit,
    and may raise to end the scan. `seen` is told each file that is written.
    """
    walked = walked if walked is not None else listed(runtime)
    batch = _Batch(runtime, check, seen)

    def progress(step: str, done: int, total: int) -> None:
        check()
        if runtime.progress is not None:
            runtime.progress(step, done, total)

    # Of some files, the caller holds the lock of the index in this process and must not wait for a scan.
    with scan_turn(runtime, check) if stamps is None else nullcontext():
        if stamps is None:
            begin_index(runtime)
        report = scan(
            runtime.root,
            runtime.code_index,
            walked=walked,
            below=below,
            incremental=incremental,
            progress=progress,
            redact=lambda texts: list(map(Clean, redact_pieces(texts, runtime.redaction_key))),
            stamps=stamps,
            resolver=resolver,
            apart=not runtime.alone,
            keep=batch.put,
        )
        if report.put or report.removed:
            batch.commit(report.removed)
        for start in range(0, len(report.readings), _READINGS_AT_ONCE):
            some = report.readings[start : start + _READINGS_AT_ONCE]
            runtime.commit(code=[CodeChange(scope=runtime.scope, readings=some)])
        keep_stamps(runtime, report.stamps)
    return report


def begin_index(runtime: Runtime) -> None:
    """Start the index of a checkout from that of another checkout of its project. Contents are shared, so it
    costs a row per file; a comparison or a scan then finds the differences.
    """
    files, scope = runtime.files, runtime.scope
    known = files.checkouts(scope)
    mine = runtime.checkout_key
    if mine is None or not known or any(one.root == mine.root and one.files for one in known):
        return
    if runtime.caller.may("write", scope):
        runtime.commit(code=[CodeChange(scope=scope, begin=True)])


def keep_stamps(runtime: Runtime, stamps: Sequence[FileStamp]) -> None:
    """Store the stamps of files whose content is known, for a caller that may write here."""
    if not stamps or not runtime.caller.may("write", runtime.scope):
        return
    for start in range(0, len(stamps), _STAMPS_AT_ONCE):
        some = stamps[start : start + _STAMPS_AT_ONCE]
        runtime.commit(code=[CodeChange(scope=runtime.scope, stamps=some)])


@dataclass(slots=True)
class _Batch:
    """Scanned files that wait for their commit."""

    runtime: Runtime
    check: Callable[[], None]
    seen: Callable[[SourceFile], object]
    files: list[SourceFile] = field(default_factory=list[SourceFile])
    same_text: set[str] = field(default_factory=set[str])
    same_chunks: set[str] = field(default_factory=set[str])
    size: int = 0

    def put(
        self, files: Sequence[SourceFile], same_text: frozenset[str], same_chunks: frozenset[str]
    ) -> None:
        """Add some files, and commit when there are enough."""
        self.same_text |= same_text
        self.same_chunks |= same_chunks
        for file in files:
            self.seen(file)
            self.files.append(_with_clean_chunks(file, same_chunks))
            self.size += file.size
            if len(self.files) >= _FILES_AT_ONCE or self.size >= _BYTES_AT_ONCE:
                self.commit()

    def commit(self, remove: Sequence[str] = ()) -> None:
        """Commit the pending files."""
        self.check()
        some, self.files, self.size = self.files, [], 0
        change = CodeChange(
            scope=self.runtime.scope,
            put=some,
            same_text=frozenset(file.path for file in some) & self.same_text,
            same_chunks=frozenset(self.same_chunks),
            remove=remove,
        )
        self.runtime.commit(code=[change], work=WorkChanges(jobs=embedding_jobs(self.runtime)))
        self.same_chunks.clear()


def _with_clean_chunks(file: SourceFile, same: frozenset[str]) -> SourceFile:
    """The file; chunks that come from the index are marked as redacted, as they were when they were stored."""
    if same.isdisjoint(piece.id for piece in file.chunks):
        return file
    chunks = (replace(p, text=Clean(p.text)) if p.id in same else p for p in file.chunks)
    return replace(file, chunks=tuple(chunks))


@dataclass(frozen=True, slots=True)
class Initialised:
    """What `init` found and wrote."""

    project: str
    name: str
    type: str
    stack: list[str]
    runtime: str
    package_manager: str
    architecture: str
    reason: str
    modules: list[str]
    files: int
    code_files: int
    changed: int
    skipped: list[str]
    written: list[str]
    pending: int
    executables: list[str] = field(default_factory=list[str])
    testing: list[str] = field(default_factory=list[str])
    changes: list[str] = field(default_factory=list[str])
    warnings: list[str] = field(default_factory=list[str])
    broken: list[str] = field(default_factory=list[str])
    notice: str = ""
    news: list[str] = field(default_factory=list[str])

    def as_text(self) -> str:
        """The ✓ lines, and the next step."""
        if not self.files:
            return "\n".join([*self._files_written, *self._news, _NO_FILES])
        found = " + ".join(self.stack[:6]) or "no known framework"
        lines = [
            f"✓ Scanned {self.files} files ({self.code_files} parsed)",
            f"✓ Detected: {found}",
        ]
        tools = ", ".join(part for part in (self.runtime, self.package_manager) if part)
        lines += [f"✓ Runtime: {tools}"] if tools else []
        kind = "No type is sure" if self.type == "unknown" else self.type
        lines.append(f"✓ {kind}: {self.reason}")
        lines += [f"✓ Runs: {', '.join(self.executables[:6])}"] if self.executables else []
        lines += [f"✓ Tests: {', '.join(self.testing[:6])}"] if self.testing else []
        named = ", ".join(self.modules[:12]) + (" …" if len(self.modules) > 12 else "")
        lines += [f"! {problem}" for problem in self.broken[:10]]
        count = len(self.modules)
        lines.append(
            f"✓ Found {count} module{'s' * (count != 1)}: {named}"
            if count
            else "✓ No modules found"
        )
        lines += self._files_written
        lines += [f"! project.yaml, {warning}" for warning in self.warnings[:10]]
        dense = f"; {self.pending} get vectors in the background" if self.pending else ""
        lines.append(f"✓ Searchable now: {self.changed} files indexed{dense}")
        if self.skipped:
            shown = "; ".join(self.skipped[:5])
            more = f" and {len(self.skipped) - 5} more" if len(self.skipped) > 5 else ""
            lines.append(f"! Skipped: {shown}{more}")
        lines += self._news
        lines.append("✓ Context initialised. Next: `contextd install` connects an agent.")
        return "\n".join(lines)

    @property
    def _news(self) -> list[str]:
        return [f"! {one}" for one in self.news]

    @property
    def _files_written(self) -> list[str]:
        untouched = f"! {self.notice}" if self.notice else "✓ project.yaml is up to date"
        return [f"✓ Wrote {path}" for path in self.written] or [untouched]


def initialise(runtime: Runtime) -> Initialised:
    """Scan, model and index the checkout."""
    if not runtime.alone or not gc.isenabled():
        return _initialise(runtime)
    # What is read of a repository is in no circles, and a process of its own ends soon.
    gc.disable()
    try:
        return _initialise(runtime)
    finally:
        gc.enable()


def _initialise(runtime: Runtime) -> Initialised:
    root = runtime.root
    # An owner who runs `init` asks for all of it, and trusts the folder.
    walked = listed(runtime) if unheeded(runtime) else walk(root)
    begin_index(runtime)
    seen = Essences()
    report = scan_project(runtime, walked=walked, seen=seen.add)
    keep_weights(runtime)
    # After a first scan, what is stored is what it found, unless another process had indexed some of it.
    seen = seen if len(seen.files) == runtime.code_index.count() else _essences(runtime)
    files = seen.files
    facts, reason = project_facts(runtime, walked, files)
    yaml_path = root / ".context" / "project.yaml"
    # Into a stranger's `.context/` nothing is written: it may be a link, and none of it counts.
    merged = None
    if not unheeded(runtime):
        merged = merge_scan(
            yaml_path,
            facts,
            now=runtime.clock.now(),
            scrub=lambda text: redact(text, runtime.redaction_key).text,
        )
    model = project_model(runtime)
    _answer_to(runtime, model.name if model else facts.name)
    note_shape(runtime)
    broken = follow_skill_files(runtime, personal=False)
    written = [".context/project.yaml"] if merged and merged.changed else []
    if write_context_md(runtime):
        written.append(".context/CONTEXT.md")
    stats = runtime.view.index.stats(runtime.embedder.model)
    return Initialised(
        project=str(runtime.scope),
        name=model.name if model else facts.name,
        type=model.type if model else facts.type,
        stack=list(model.stack if model else facts.stack),
        runtime=model.runtime if model else facts.runtime,
        package_manager=model.package_manager if model else facts.package_manager,
        architecture=model.pattern if model else facts.pattern,
        reason=_reason(model, facts, reason),
        modules=list(model.modules) if model else [module.name for module in facts.modules],
        files=len(walked.files),
        code_files=seen.parsed,
        changed=report.put,
        skipped=[
            f"{printable(path, 120)} ({why})"
            for path, why in report.skipped
            if not path.startswith(_OWN)
        ],
        written=written,
        pending=stats.pending,
        executables=list(model.executables if model else facts.executables),
        testing=list(model.testing if model else facts.testing),
        changes=list(merged.lines) if merged else [],
        warnings=list(model.warnings) if model else [],
        notice="" if runtime.checkout and runtime.checkout.trusted else UNTRUSTED,
        broken=[str(problem) for problem in (*broken, *reconcile(runtime).problems)],
    )


def _essences(runtime: Runtime) -> Essences:
    found = Essences()
    paths = sorted(runtime.code_index.stamps())
    for start in range(0, len(paths), _ESSENCES_AT_ONCE):
        some = paths[start : start + _ESSENCES_AT_ONCE]
        for file in runtime.code_index.all(some):
            found.add(file)
    return found


def _reason(model: ProjectModel | None, facts: ProjectFacts, found: str) -> str:
    """The evidence for the project's type: the user's choice, or what the scan found."""
    if model is None or (model.type, model.pattern) == (facts.type, facts.pattern):
        return found
    return f"as project.yaml says; the scan found {facts.type}, {facts.pattern}"


def _answer_to(runtime: Runtime, name: str) -> None:
    """Rename the project to the name that its briefings use."""
    project = runtime.project
    if project is None or name in (project.name, project.scope.project, *project.aliases):
        return
    runtime.organisation.directory.save(replace(project, aliases=(*project.aliases, name)))
