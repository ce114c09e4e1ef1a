"""Select the directives that every session gets, show them in full, and count those that do not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from math import ceil

from contextd.briefing.injection_tiers import always, rules_query
from contextd.claims.contradiction_test import conflict
from contextd.domain.applies_to import limit_in_words
from contextd.domain.directives import WORDED, is_directive, is_users
from contextd.domain.recent_activity import Lately
from contextd.domain.records import Record, short_id
from contextd.domain.scope import PERSON
from contextd.knowledge.told_here import is_told_here
from contextd.person.person import LONGEST_LINE, is_personal, personal_query, told_by
from contextd.policies.rule_file_sync import file_of
from contextd.policies.rule_folders import author_of
from contextd.policies.touched_paths import NOTHING, TouchedPaths, applies
from contextd.runtime.runtime import Runtime
from contextd.sessions.briefing_lines import ALWAYS, Line
from contextd_common.dataclass import dataclass
from contextd_common.text.tokens import count_tokens, trim_to_tokens
from contextd_common.text.words import content_words, one_line

_ALL = 1_000_000
"""More directives than any home has: all of them are read, because each one is counted."""

_RECORDED_READ = 2_000
"""The latest notes, memories and lessons that are searched for agents' directives. More would delay a call."""

_LONGEST = 160
"""Tokens of one directive. A longer one is a document; only its first sentences are shown."""

_SAME = 0.9
"""Two directives are duplicates if one has all words of the other and this share of them or more: two that differ in a
figure or a name state different things.
"""

_WEIGHT = 20.0
"""More than any other part of a briefing except the work's status."""

REST = "standards_get"
"""The operation that lists every directive in force."""

_SHORTEST_LINE = 12
"""Tokens of the shortest line: the kind and the id alone take this many."""

_SEVERITIES = {"critical": 0, "error": 1, "high": 1}


@dataclass(frozen=True, slots=True)
class ToldDirectives:
    """The directives for one reader, most important first: `lines` fit, `left_out` counts those that did
    not; `personal` are the lines of the person's own.
    """

    lines: list[Line] = field(default_factory=list[Line])
    personal: list[Line] = field(default_factory=list[Line])
    records: Mapping[str, Record] = field(default_factory=dict[str, Record])
    left_out: int = 0

    @property
    def texts(self) -> list[str]:
        """The text of each, as recorded."""
        lines = (*self.lines, *self.personal)
        return [said(self.records[line.id]) for line in lines if line.id in self.records]


def lines_tokens(lines: Iterable[Line]) -> int:
    """The number of tokens that lines of a briefing take."""
    return sum(count_tokens(f"- {line.text}\n") for line in lines)


def told_directives(
    runtime: Runtime,
    budget: int,
    *,
    work: str = "",
    lately: Lately | None = None,
    aged: bool = False,
    recorded: bool = False,
    of_person: bool = True,
    touched: TouchedPaths = NOTHING,
) -> ToldDirectives:
    """Select the directives in force here within `budget` tokens: critical ones first, then the user's,
    then standards, then, if `recorded`, those that agents recorded; among equals those relevant to the
    `work`. `lately` is what the caller has read already. Lines include their age if `aged`, unless they come
    from a file. Without `of_person` the person's directives are neither shown nor counted: the caller
    shows them elsewhere. Directives for some files are included if the work has `touched` such a file.
    """
    known = {
        id: found
        for id, found in directives_in_force(
            runtime, lately, recorded=recorded, touched=touched
        ).items()
        if of_person or not is_personal(found[0])
    }
    order = _order(runtime, known, work)
    lines: list[Line] = []
    personal: list[Line] = []
    left = budget - count_tokens(f"- {rest_line(99)}\n")
    left_out = 0
    for place, id in enumerate(order):
        record, reason = known[id]
        if left < _SHORTEST_LINE:
            left_out += len(order) - place
            break
        text = directive_line(record, runtime, aged=aged)
        line = Line(text, id, _WEIGHT - place / 1_000, ALWAYS, reason)
        cost = count_tokens(f"- {line.text}\n")
        if cost > left:
            left_out += 1
            continue
        left -= cost
        (personal if is_personal(record) else lines).append(line)
    if left_out and budget > 0:
        lines.append(Line(rest_line(left_out), weight=_WEIGHT - 1, tier=ALWAYS))
    records = {id: record for id, (record, _) in known.items()}
    return ToldDirectives(lines, personal, records, left_out)


def directives_in_force(
    runtime: Runtime,
    lately: Lately | None = None,
    *,
    recorded: bool = False,
    touched: TouchedPaths | None = NOTHING,
) -> dict[str, tuple[Record, str]]:
    """Every directive that each session here gets, by id, with the reason; empty if tier 0 is turned off.
    With `recorded` also the latest that agents recorded in notes, memories and lessons. Of the directives for
    some files, those for what is `touched`; all if it is None.
    """
    if not runtime.settings.flag("injection.tier0"):
        return {}
    found_rules = runtime.view.records.find(rules_query(runtime)) if lately is None else None
    rules = found_rules.records if found_rules else lately.rules if lately else []
    by_id = {rule.id: rule for rule in rules}
    found = {id: (by_id[id], reason) for id, reason in always(runtime, rules).items()}
    person = lately.person.records if lately else None
    for record in users_directives(runtime, person):
        reason = "the person's word" if is_personal(record) else "the user's word"
        found.setdefault(record.id, (record, reason))
    for record in _recorded_directives(runtime) if recorded else ():
        found.setdefault(record.id, (record, _RECORDED))
    if touched is not None:
        found = {id: one for id, one in found.items() if applies(one[0], touched)}
    return _once(found)


_RECORDED = "recorded as a directive"


def _recorded_directives(runtime: Runtime) -> list[Record]:
    now = runtime.clock.now()
    query = runtime.query(*WORDED, valid_at=now, limit=_RECORDED_READ)
    return [
        record
        for record in runtime.view.records.find(query).records
        if is_directive(record) and not is_personal(record) and is_told_here(runtime, record)
    ]


def ranked_directives(runtime: Runtime, touched: TouchedPaths | None = None) -> list[Record]:
    """Every directive in force, most important first, those that agents recorded last. If it is known what is
    `touched`, without those for other files.
    """
    known = directives_in_force(runtime, recorded=True, touched=touched)
    return [known[id][0] for id in _order(runtime, known, "")]


def users_directives(runtime: Runtime, of_person: Sequence[Record] | None = None) -> list[Record]:
    """The user's directives: learned from prompts, typed, or stored in the person's layer; newest first.
    `of_person` are the records of that layer, if the caller has them.
    """
    now = runtime.clock.now()
    learned = runtime.query("discovery", valid_at=now, where={"type": "rule"}, limit=_ALL)
    typed = runtime.query("context", "memory", "discovery", valid_at=now, trust="human", limit=_ALL)
    find = runtime.view.records.find
    records = [*find(learned).records, *find(typed).records]
    if of_person is None and PERSON in runtime.cascade:
        of_person = find(personal_query(runtime)).records
    records += [record for record in of_person or () if is_personal(record)]
    directing = [
        one for one in records if is_users(one) or (is_personal(one) and is_directive(one))
    ]
    return [one for one in directing if is_told_here(runtime, one)]


def said(record: Record) -> str:
    """The text of a directive in one line, without the template of its kind."""
    if is_personal(record):
        return told_by(record)
    body = str(record.data.get("requirement") or record.data.get("rule") or record.content)
    body = " ".join(body.split())
    title = " ".join(record.title.split()).rstrip("… ")
    mine, theirs = set(content_words(title)), set(content_words(body))
    text = body if not title or mine <= theirs else f"{title}: {body}"
    instead = " ".join(str(record.data.get("instead") or record.data.get("way_out") or "").split())
    return f"{text} (instead: {instead})" if instead and instead not in text else text


def directive_line(record: Record, runtime: Runtime, *, aged: bool = True) -> str:
    """Format a directive for injection: its text, kind, id and severity, or its source and age if `aged`, and
    which files it is for. A rule from a file of the repository names the file and who changed it last.
    """
    text = said(record)
    limit = limit_in_words(record)
    if is_personal(record):
        short = trim_to_tokens(text, LONGEST_LINE) or _shortened(text)
        return f"{short} ({limit})" if limit else short
    text = _shortened(text)
    severity = str(record.data.get("severity") or "")
    named = record.data.get("type") if record.kind == "discovery" else record.kind
    marks = [f"{named} {short_id(record.id)}", severity or str(record.source)]
    marks += [runtime.ago(record.created_at)] if aged and not severity else []
    by = author_of(runtime, file_of(record))
    marks += [f"{record.source}, last changed by {by}"] if by else []
    marks += [limit] if limit else []
    return f"{text} [{' · '.join(marks)}]"


def _shortened(text: str) -> str:
    if count_tokens(text) <= _LONGEST:
        return text
    return trim_to_tokens(text, _LONGEST) or one_line(text, 4 * _LONGEST)


def rest_line(count: int) -> str:
    """The number of directives that did not fit, and the operation that lists them."""
    return f"{count} more: `{REST}`"


def _order(runtime: Runtime, known: Mapping[str, tuple[Record, str]], work: str) -> list[str]:
    about = set(content_words(work))

    def rank(id: str) -> tuple[float, ...]:
        record, reason = known[id]
        mine = set(content_words(said(record)))
        bearing = len(mine & about) / len(mine) if mine else 0.0
        where = runtime.cascade.index(record.scope) if record.scope in runtime.cascade else 9
        return (
            reason == _RECORDED,
            _severity(record),
            -bearing,
            where,
            -record.created_at.timestamp(),
        )

    return sorted(known, key=lambda id: (rank(id), id))


def _severity(record: Record) -> int:
    if record.kind == "coding_standard":
        return _SEVERITIES.get(str(record.data.get("severity") or ""), 2)
    return _SEVERITIES.get(str(record.data.get("severity") or ""), 1)


def _once(found: Mapping[str, tuple[Record, str]]) -> dict[str, tuple[Record, str]]:
    """Drop directives that repeat another one in the same words."""
    texts = {id: said(record) for id, (record, _) in found.items()}
    words = {id: set(content_words(text)) for id, text in texts.items()}
    common = Counter(word for mine in words.values() for word in mine)
    having: dict[str, list[str]] = {}
    chosen: dict[str, tuple[Record, str]] = {}
    for id, one in found.items():
        # Duplicates share all but a tenth of the words, so they share one of the rarest of just over a tenth.
        rarest = sorted(words[id], key=lambda word: (common[word], word))
        few = rarest[: len(rarest) - ceil(_SAME * len(rarest)) + 1]
        near = {other for word in few for other in having.get(word, ())}
        same = (other for other in near if _are_the_same(words[id], words[other]))
        if any(not conflict(texts[id], texts[other]) for other in same):
            continue
        for word in words[id]:
            having.setdefault(word, []).append(id)
        chosen[id] = one
    return chosen


def _are_the_same(words: set[str], other: set[str]) -> bool:
    smaller, larger = sorted((words, other), key=len)
    return bool(larger) and smaller <= larger and len(smaller) >= _SAME * len(larger)


def without_told(line: str, texts: Iterable[str]) -> str:
    """Remove directives from a line that are shown elsewhere; empty if nothing remains."""
    rest = line
    for text in texts:
        start = rest.find(text[:_RECOGNISED])
        if start < 0:
            continue
        tail = rest[start:]
        if tail.startswith(text):
            rest = rest[:start] + tail[len(text) :]
        elif tail.endswith("…") and text.startswith(tail.rstrip(" …")):
            rest = rest[:start].rstrip()
    if rest == line:
        return line
    rest = " ".join(rest.split())
    if rest.endswith(":"):  # Only labels are left: `Asked last:`, `Open: Not answered yet:`.
        return ""
    return rest if content_words(rest.partition(": ")[2] or rest) else ""


_RECOGNISED = 40
"""Characters of a directive's beginning that identify it in a line that may be cut off."""
