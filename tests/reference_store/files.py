"""The code index in dictionaries: the files of each checkout."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from contextd.domain.changes import CodeChange
from contextd.domain.checkout_keys import CheckoutKey, IndexedCheckout
from contextd.domain.documents import code_documents
from contextd.domain.scope import Scope
from contextd.stores import codec
from contextd.stores.granted_rows import GrantedRows
from contextd_code.values.definition_queries import Defining, Naming, folded_names
from contextd_code.values.imports import Importing, has_wordless, import_words
from contextd_code.values.source import (
    Chunk,
    FileCalls,
    FileChanges,
    FileWeight,
    Import,
    KeptReading,
    SourceFile,
)
from reference_store import index
from reference_store.space import FileKey, Space, State


def _concerns(file: SourceFile, asked: Importing) -> bool:
    folder = posixpath.dirname(file.path)
    around = {"", folder, *(folder[:at] for at, mark in enumerate(folder) if mark == "/")}
    return (
        not asked.words.isdisjoint(import_words(file.imports))
        or not asked.targets.isdisjoint(one.target for one in file.imports)
        or (asked.wordless and has_wordless(file.imports))
        or folder in asked.folders
        or not asked.below.isdisjoint(around)
    )


class MemoryFiles:
    """`Files`, limited to a grant."""

    def __init__(self, space: Space, granted: GrantedRows, standing: CheckoutKey | None) -> None:
        self._space, self._granted, self._standing = space, granted, standing

    def of(self, scope: Scope) -> MemoryCodeIndex:
        """See `Files.of`."""
        return MemoryCodeIndex(self._space, self._granted, self._standing, scope)

    def chunks(self, ids: Sequence[str]) -> list[Chunk]:
        """See `Files.chunks`."""
        scopes = sorted(map(Scope.parse, self._granted.everywhere()), key=str, reverse=True)
        known = {
            chunk.id: chunk
            for scope in scopes
            for file in self.of(scope).files()
            for chunk in file.chunks
        }
        return [known[id_] for id_ in ids if id_ in known]

    def holding(self, scope: Scope, ids: Sequence[str]) -> list[SourceFile]:
        """See `Files.holding`."""
        if not self._granted.reads(scope):
            return []
        with self._space.lock:
            rows = [f for (place, _), f in self._space.state.files.items() if place.scope == scope]
        contents = {
            codec.dumps(codec.file_to_json(file, stamped=False)): replace(file, size=0, mtime_ns=0)
            for file in rows
            if not set(ids).isdisjoint(chunk.id for chunk in file.chunks)
        }
        return sorted(contents.values(), key=lambda file: file.path)

    def checkouts(self, scope: Scope) -> list[IndexedCheckout]:
        """See `Files.checkouts`."""
        if not self._granted.reads(scope):
            return []
        with self._space.lock:
            state = self._space.state
            mine = sorted(
                (at, place) for place, at in state.indexed.items() if place.scope == scope
            )
            return [
                IndexedCheckout(place.root, sum(where == place for where, _ in state.files))
                for _, place in mine
            ]


class MemoryCodeIndex:
    """The `CodeIndex` of one project."""

    def __init__(
        self, space: Space, granted: GrantedRows, standing: CheckoutKey | None, scope: Scope
    ) -> None:
        self._space, self._granted, self._standing, self._scope = space, granted, standing, scope

    @property
    def owner(self) -> str:
        """See `CodeIndex.owner`."""
        return str(self._scope)

    def _place(self) -> CheckoutKey | None:
        if not self._granted.reads(self._scope):
            return None
        return self._space.state.place(self._scope, self._standing)

    def files(self) -> list[SourceFile]:
        with self._space.lock:
            place, rows = self._place(), list(self._space.state.files.items())
        mine = [file for (where, _), file in rows if where == place]
        return sorted(mine, key=lambda file: file.path)

    def get(self, paths: Sequence[str]) -> list[SourceFile]:
        """See `CodeIndex.get`."""
        known = {file.path: file for file in self.files()}
        return [known[path] for path in paths if path in known]

    def all(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `CodeIndex.all`."""
        wanted = None if paths is None else frozenset(paths)
        found = (file for file in self.files() if wanted is None or file.path in wanted)
        return [codec.file_from_json(codec.file_to_json(file)) for file in found]

    def linked(self, paths: Sequence[str] | None = None) -> list[SourceFile]:
        """See `CodeIndex.linked`."""
        some = (file for file in self.all(paths) if file.symbols or file.imports or file.exports)
        return [replace(file, chunks=()) for file in some]

    def linking(self) -> list[str]:
        """See `CodeIndex.linking`."""
        return [file.path for file in self.linked()]

    def imports(self, paths: Sequence[str]) -> list[tuple[str, str, tuple[Import, ...]]]:
        """See `CodeIndex.imports`."""
        return [(file.path, file.language, file.imports) for file in self.all(paths)]

    def importing(self, asked: Importing) -> set[str]:
        """See `CodeIndex.importing`."""
        return {file.path for file in self.files() if file.imports and _concerns(file, asked)}

    def defining(self, asked: Defining) -> list[tuple[str, float]]:
        """See `CodeIndex.defining`."""
        found = [file.path for file in self.files() if asked.is_of(file)]
        known = self.weights(found)
        return [(path, known[path].top if path in known else 0.0) for path in found]

    def naming(self, asked: Naming) -> set[str]:
        """See `CodeIndex.naming`."""
        return {file.path for file in self.files() if asked.is_of(file)}

    def names(self, prefix: str, limit: int) -> list[str]:
        """See `CodeIndex.names`."""
        names = {name for file in self.files() for name in folded_names(file)}
        return sorted(name for name in names if name.startswith(prefix))[:limit]

    def weights(self, paths: Sequence[str]) -> dict[str, FileWeight]:
        """See `CodeIndex.weights`."""
        with self._space.lock:
            place, known = self._place(), self._space.state.weights
            return {path: known[place, path] for path in paths if place and (place, path) in known}

    def weighed(self) -> int:
        """See `CodeIndex.weighed`."""
        with self._space.lock:
            place = self._place()
            return self._space.state.weighed.get(place, 0) if place else 0

    def stamps(self, paths: Sequence[str] | None = None) -> dict[str, tuple[int, int, str]]:
        """See `CodeIndex.stamps`."""
        wanted = None if paths is None else frozenset(paths)
        found = (f for f in self.files() if wanted is None or f.path in wanted)
        return {f.path: (f.size, f.mtime_ns, f.digest) for f in found}

    def changes(self, since: int) -> FileChanges:
        """See `CodeIndex.changes`."""
        with self._space.lock:
            state, place = self._space.state, self._place()
            if place is None:
                return FileChanges(0)
            put = sorted(
                path for (where, path), at in state.written.items() if where == place and at > since
            )
            return FileChanges(state.seq, tuple(put), state.thinned.get(place, 0) > since)

    def count(self) -> int:
        """See `CodeIndex.count`."""
        return len(self.files())

    def errors(self) -> list[tuple[str, str]]:
        """See `CodeIndex.errors`."""
        return [(file.path, file.error) for file in self.files() if file.error]

    def _calls(self, reader: str) -> list[FileCalls]:
        digests = {file.path: file.digest for file in self.files()}
        with self._space.lock:
            place = self._place()
            rows = [
                one for (where, _), one in self._space.state.file_calls.items() if where == place
            ]
        return [r for r in rows if r.reader == reader and digests.get(r.path) == r.digest]

    def calling(self, reader: str) -> dict[str, tuple[str, str]]:
        """See `CodeIndex.calling`."""
        return {one.path: (one.digest, one.names) for one in self._calls(reader)}

    def calls(self, reader: str, paths: Sequence[str]) -> dict[str, tuple[str, tuple[Any, ...]]]:
        """See `CodeIndex.calls`."""
        wanted = set(paths)
        found = (one for one in self._calls(reader) if one.path in wanted)
        return {one.path: (one.digest, one.facts) for one in found}

    def readings(self, reader: str) -> list[KeptReading]:
        """See `CodeIndex.readings`."""
        files = {file.path: file for file in self.files()}
        with self._space.lock:
            place, rows = self._place(), list(self._space.state.readings.items())
        return [
            replace(one, size=files[path].size, mtime_ns=files[path].mtime_ns)
            for (where, by, path), (digest, one) in rows
            if (where, by) == (place, reader) and path in files and files[path].digest == digest
        ]


def write_code(state: State, code: CodeChange, standing: CheckoutKey | None) -> None:
    """Write a change of code to the checkout of a view."""
    stands = standing is not None and standing.scope == code.scope
    removed_ids: set[str] = set()
    for root in code.lost_roots:
        removed_ids |= _forget_checkout(state, CheckoutKey(code.scope, root))
    places = [place for place in state.indexed if place.scope == code.scope]
    if not stands and code.remove:
        for place in places:
            removed_ids |= _remove(state, place, code.remove)
    written = code.put or code.calls or code.readings or code.stamps or code.weighed
    if stands or written:
        place = standing if standing is not None and stands else CheckoutKey(code.scope, "")
        state.indexed[place] = state.next_seq()
        if code.begin:
            _begin(state, place)
        if stands and code.remove:
            removed_ids |= _remove(state, place, code.remove)
        removed_ids |= _write(state, place, code)
    index.forget(state, code.scope, sorted(removed_ids - _held(state, code.scope)))
    for file in code.put:
        if file.path not in code.same_text:
            index.put(state, code_documents(code.scope, file))


def _held(state: State, scope: Scope) -> set[str]:
    files = (file for (place, _), file in state.files.items() if place.scope == scope)
    return {chunk.id for file in files for chunk in file.chunks}


def _write(state: State, place: CheckoutKey, code: CodeChange) -> set[str]:
    removed_ids: set[str] = set()
    for file in code.put:
        codec.dumps([codec.file_to_json(file), [chunk.text for chunk in file.chunks]])
        before = state.files.get((place, file.path))
        removed_ids |= {chunk.id for chunk in before.chunks} if before else set()
        state.files[place, file.path] = file
        state.written[place, file.path] = state.next_seq()
        if before is not None and before.digest != file.digest:
            state.file_calls.pop((place, file.path), None)
    for stamp in code.stamps:
        if (place, stamp.path) in state.files:
            known = state.files[place, stamp.path]
            now = replace(known, size=stamp.size, mtime_ns=stamp.mtime_ns)
            state.files[place, stamp.path] = now
    for one in code.calls:
        of = state.files.get((place, one.path))
        if of is not None and of.digest == one.digest:
            state.file_calls[place, one.path] = one
    for reading in code.readings:
        of = state.files.get((place, reading.path))
        if of is not None and (of.size, of.mtime_ns) == (reading.size, reading.mtime_ns):
            state.readings[place, reading.reader, reading.path] = of.digest, reading
    if code.weighed:
        _weigh(state, place, code)
    return removed_ids


def _weigh(state: State, place: CheckoutKey, code: CodeChange) -> None:
    for key in [key for key in state.weights if key[0] == place]:
        del state.weights[key]
    for one in code.weights:
        if (place, one.path) in state.files:
            state.weights[place, one.path] = one
    state.weighed[place] = code.weighed


def _begin(state: State, place: CheckoutKey) -> None:
    others = [one for one in state.indexed if one.scope == place.scope and one != place]
    if any(where == place for where, _ in state.files) or not others:
        return
    latest = max(others, key=lambda one: state.indexed[one])
    for table in (state.files, state.file_calls, state.weights):
        mine = {(place, path): value for (where, path), value in table.items() if where == latest}
        table.update(mine)  # type: ignore[arg-type]
    for (where, path), file in list(state.files.items()):
        if where == place:
            state.files[place, path] = replace(file, mtime_ns=0)
            state.written[place, path] = state.next_seq()
    if latest in state.weighed:
        state.weighed[place] = state.seq


def _remove(state: State, place: CheckoutKey, paths: Sequence[str]) -> set[str]:
    state.thinned[place] = state.next_seq()
    keys: list[FileKey] = [(place, path) for path in paths]
    removed = [state.files.pop(key) for key in keys if key in state.files]
    for key in keys:
        state.written.pop(key, None)
        state.file_calls.pop(key, None)
        state.weights.pop(key, None)
    return {chunk.id for file in removed for chunk in file.chunks}


def _forget_checkout(state: State, place: CheckoutKey) -> set[str]:
    removed_ids = _remove(state, place, [path for where, path in state.files if where == place])
    state.indexed.pop(place, None)
    return removed_ids
