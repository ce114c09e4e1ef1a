"""Store an episode for each turn of a session, and its thread, while it runs."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from contextd.domain.changes import Put, WorkChanges
from contextd.domain.directives import is_directive, sentences
from contextd.domain.endings import restates, turns_a_word
from contextd.domain.kinds import EPISODE
from contextd.domain.language_bias import LanguageBias, bias_of
from contextd.domain.query import Vector
from contextd.domain.records import FOUND, Anchor, Record, Source, said_at, short_id
from contextd.domain.sessions import Event, Session, SessionChange
from contextd.domain.validity import TAKEN_BACK
from contextd.imports.transcripts import HEADLESS, catch_up
from contextd.knowledge.embedding import with_vectors
from contextd.knowledge.writing import Changed, change_all
from contextd.learning.ended_rules import end_rules
from contextd.learning.rewound import FollowedTurns, follow_line
from contextd.redaction.redact import redact
from contextd.runtime.runtime import Runtime
from contextd.sessions.dead_ends import dead_ends
from contextd.sessions.episode import digest_of
from contextd.sessions.ledger import ledger_of
from contextd.sessions.retractions import NEXT, mark_taken_back, takes_back
from contextd.sessions.session_binding import branch_of, place_of
from contextd.sessions.thread import THREAD, thread_of
from contextd.sessions.turns import Turn, all_turns
from contextd_common.dataclass import dataclass
from contextd_common.errors import Unavailable
from contextd_common.text.languages import languages_of
from contextd_common.text.words import comparable_words, one_line, unpunctuated

_NAMESPACE = uuid.UUID("b3a1d6c2-93a5-5c0f-8a53-1f5d1f0c7e42")
_SHORTEST = 60
"""Minimum characters of an answer for a turn without a file or a commit to be worth an episode."""

_COMMANDS, _FILES = 6, 20


def read_along(runtime: Runtime, session: Session, transcript: str = "") -> list[Turn]:
    """Update a running session from its transcript: events, episodes and thread. Returns its turns so far;
    none if a program runs it.
    """
    catch_up(runtime, session, transcript=transcript)
    session = runtime.view.sessions.get(session.id) or session
    if session.data.get(HEADLESS):
        return []
    return keep_turns(runtime, session, runtime.view.sessions.events(session.id))


def keep_turns(runtime: Runtime, session: Session, events: Sequence[Event]) -> list[Turn]:
    """Store new or changed episodes of a session's turns, and the session's thread. Idempotent.

    `events` are its whole history; what the user rewound is withdrawn, and not among the turns returned.
    """
    every = all_turns(events)
    turns = [turn for turn in every if not turn.left]
    retracted = mark_taken_back(turns, _likeness(runtime, turns))
    drafts = [_episode(runtime, session, turn) for turn in turns if _tells(turn)]
    if not _was_followed(session):
        drafts = []
    stored = runtime.view.records.get([draft.id for draft in drafts]) if drafts else []
    known = {record.id: record for record in stored}
    fresh = [draft for draft in drafts if draft.id not in known]
    puts = [Put(draft, "create") for draft in fresh if not _is_copied(runtime, draft)]
    for one in drafts:
        before = known.get(one.id)
        if before is None:
            continue
        # What another session took back stays taken back.
        draft = one.with_(data={**taken_back_in(before), **one.data})
        if _differs(before, draft):
            after = before.with_(title=draft.title, content=draft.content, data=draft.data)
            puts.append(Put(after.with_(updated_at=runtime.clock.now()), "update"))
    root = str(runtime.checkout.root) if runtime.checkout else session.cwd
    thread = thread_of(turns, branch=branch_of(session), root=root)
    session_data: dict[str, Any] = {THREAD: thread.as_data()} if thread is not None else {}
    if thread is None and session.data.get(THREAD) and len(every) > len(turns):
        session_data = {THREAD: {}}
    session_data |= {TAKEN_BACK: _stretches(session, turns)}
    retractions = _retractions(session, [turns[place] for place in retracted])
    session_data |= {
        RETRACTIONS: [[one.at.isoformat(), one.by, one.words, one.whole] for one in retractions]
    }
    news = {
        name: value for name, value in session_data.items() if session.data.get(name, []) != value
    }
    changes = [SessionChange(id=session.id, data=news)] if news else []
    if puts or changes:
        runtime.commit(knowledge=with_vectors(runtime, puts), work=WorkChanges(sessions=changes))
    take_back(runtime, retractions, session)
    _withdraw_statements(runtime, session, [turn for turn in turns if turn.taken_back])
    ids = [(_episode_id(session, turn.key), turn) for turn in every]
    follow_line(runtime, session, FollowedTurns(events, ids))
    end_rules(runtime, session, turns[-_JUST_SAID:], events)
    return turns


_JUST_SAID = 3
"""Last turns in which a running session is searched for words that end a rule; the end of learning reads all."""


def _withdraw_statements(runtime: Runtime, session: Session, turns: Sequence[Turn]) -> None:
    """Supersede what was learned from turns that the user later took back in this session."""
    if not turns:
        return
    query = runtime.query("discovery", level="project", session=session.id, statuses=FOUND)
    texts = [
        (turn, unpunctuated("\n".join((turn.prompt, *turn.answers, turn.answer)))) for turn in turns
    ]
    changes: list[Changed] = []
    for record in runtime.view.records.find(query).records:
        words = unpunctuated(record.content)
        by = next((turn.taken_back_by for turn, text in texts if words in text), None)
        again = by is not None and is_directive(record) and restates(by[1], record.content)
        if by is not None and record.trust == "extracted" and not again:
            after = _withdrawn(record, _episode_id(session, by[0]), by[1])
            changes.append(Changed(record, after, "retract", f"taken back later: {by[1]}"))
    if changes:
        change_all(runtime, changes)


def _stretches(session: Session, turns: Sequence[Turn]) -> list[list[Any]]:
    begins = (0, *(turn.last_seq for turn in turns))
    return [
        [after, turn.last_seq, _episode_id(session, turn.taken_back_by[0]), turn.taken_back_by[1]]
        for after, turn in zip(begins, turns, strict=False)
        if turn.taken_back
    ]


def taken_back_in(record: Record) -> dict[str, Any]:
    """The fields of an episode that mark it as taken back."""
    names = ("taken_back", "taken_back_by")
    return {name: record.data[name] for name in names if record.data.get(name)}


def _is_copied(runtime: Runtime, draft: Record) -> bool:
    """Whether another session has the same turn: a forked session begins with its parent's turns."""
    same = runtime.view.records.by_hash(draft.content_hash, draft.scope)
    return same is not None and same.session != draft.session


def _likeness(runtime: Runtime, turns: Sequence[Turn]) -> Callable[[int, int], float]:
    """The similarity of a turn and the user's later words: a cosine, if there is an embedder. Without one the turn before
    is just similar enough to be taken back by words that name nothing.
    """
    vectors: dict[str, Vector] = {}

    def embedded(text: str) -> Vector:
        if text not in vectors:
            vectors[text] = runtime.embedder.embed([text[:_READ]])[0]
        return vectors[text]

    def likeness(earlier: int, later: int) -> float:
        if not runtime.embedder.model:
            return NEXT if earlier == later - 1 else 0.0
        about = f"{turns[earlier].prompt[:300]}\n{turns[earlier].answer[:600]}"
        later_text = "\n".join((turns[later].prompt, *turns[later].answers))
        try:
            bias = bias_of(runtime.embedder.model, later_text)
            alike = float(embedded(about) @ embedded(later_text))
            return alike - (bias.of(about) if bias is not None else 0.0)
        except Unavailable:
            return NEXT if earlier == later - 1 else 0.0

    return likeness


@dataclass(frozen=True, slots=True)
class Retraction:
    """Words of the user that take something back, when they were said, and the episode `by` which. `whole` says that
    they are all that the user said in the turn.
    """

    at: datetime
    by: str
    words: str
    whole: bool = False


RETRACTIONS = "retractions"
"""Session data: what its turns take back of other sessions, as `[at, by, words, whole]`."""


def _retractions(session: Session, turns: Sequence[Turn]) -> list[Retraction]:
    every = {_said_by_user(turn) for turn in turns}
    return [
        Retraction(turn.began, _episode_id(session, turn.key), words, words in every)
        for turn in turns
        for words in _retracting(turn)
    ]


def take_back(
    runtime: Runtime,
    retractions: Sequence[Retraction],
    session: Session,
    *,
    of: Session | None = None,
) -> None:
    """Withdraw what other sessions left earlier and this session takes back: an episode is marked, a learned
    record superseded; both can be undone. With `of`, only what that session left.
    """
    if not retractions or not runtime.embedder.model:
        return
    kinds = (EPISODE, "discovery")
    query = runtime.query(
        *kinds, level="project", statuses=FOUND, session=of.id if of is not None else ""
    )
    changes: dict[str, Changed] = {}
    try:
        vectors = runtime.embedder.embed([one.words for one in retractions])
    except Unavailable:
        return
    for one, vector in zip(retractions, vectors, strict=True):
        near = runtime.view.index.dense(vector, runtime.embedder.model, query, 8)
        bias = bias_of(runtime.embedder.model, one.words)
        least = SAME_SUBJECT if bias is None else _READ_ELSEWHERE
        cosines = {match.id: match.score for match in near if match.score >= least}
        for record in runtime.view.records.get(list(cosines)):
            if bias is not None and not _is_on(bias, one.words, record, cosines[record.id]):
                continue
            if not _may_be_taken_back(record, one, session):
                continue
            # A sentence alone is near to many turns: it takes back the one record that it names.
            if (not one.whole) if record.kind == EPISODE else not _denies(one.words, record):
                continue
            after = _withdrawn(record, one.by, one.words)
            reason = f"taken back in session {short_id(session.id)}: {one.words[:120]}"
            if after != record:
                changes.setdefault(record.id, Changed(record, after, "retract", reason))
            if not one.whole:
                break
    if changes:
        change_all(runtime, list(changes.values()))


def _may_be_taken_back(record: Record, by: Retraction, session: Session) -> bool:
    """Whether a retraction of `session` may concern a record: one of another session, that was said before."""
    if record.session == session.id or record.trust != "extracted":
        return False
    if record.kind == EPISODE:
        return record.created_at < by.at
    # `end_rules` decides about rules, but for a new one that names what holds no longer.
    return said_at(record) < by.at and (
        not is_directive(record) or turns_a_word(by.words, record.content)
    )


def taken_back_later(runtime: Runtime, session: Session) -> None:
    """Withdraw what a session left and later ones took back that were read before it."""
    for later in runtime.sessions(limit=_LATER):
        if later.id == session.id or later.last_seen_at <= session.started_at:
            continue
        retractions = [
            Retraction(datetime.fromisoformat(at), by, words, whole)
            for at, by, words, whole in later.data.get(RETRACTIONS, ())
        ]
        take_back(runtime, retractions, later, of=session)


_LATER = 60
"""Sessions whose retractions are known to one that is read after them."""


def _retracting(turn: Turn) -> list[str]:
    """The user's words in a turn, and each sentence that takes something back: the task that the same message
    orders would blur what it is about.
    """
    whole = _said_by_user(turn)
    return list(dict.fromkeys((whole, *filter(takes_back, sentences(whole)))))


def _said_by_user(turn: Turn) -> str:
    return "\n".join((turn.prompt, *turn.answers))[:_READ]


SAME_SUBJECT = 0.55
"""Minimum cosine between a retraction and a text of another session that it takes back."""

_READ = 1_000


_READ_ELSEWHERE = 0.4
"""The lowest cosine at which a record is compared with a retraction in a language that the embedder hardly knows."""


def _is_on(bias: LanguageBias, words: str, record: Record, cosine: float) -> bool:
    """Whether such a retraction is about the subject of a record."""
    language = languages_of(words)[0]
    named, known = (comparable_words(text, language) for text in (words, record.text))
    share = len(named & known) / (min(len(named), len(known)) + 1)
    return bias.relevance(record.text, cosine, share, 0.0) >= SAME_SUBJECT


def _denies(words: str, record: Record) -> bool:
    """Whether words are close enough to a record to take it back: they use the names it uses."""
    language = languages_of(words)[0]
    named = comparable_words(record.content, language)
    return len(named & comparable_words(words, language)) >= min(3, max(1, len(named) // 3))


def _withdrawn(record: Record, by: str, words: str) -> Record:
    if record.kind != EPISODE:
        return record.with_(status="superseded", canonical_id=by)
    if record.data.get("taken_back"):
        return record
    mark = {"taken_back": True, "taken_back_by": [by, one_line(words, _QUOTED)]}
    return record.with_(data={**record.data, **mark})


_QUOTED = 120


def _was_followed(session: Session) -> bool:
    """Whether a session has hooks or a transcript. If its agent logged the messages, those are searchable
    themselves.
    """
    return bool(session.data.get("hooked") or session.data.get("transcript"))


def _tells(turn: Turn) -> bool:
    """Whether a turn is worth an episode: it has an answer or an action, a way that failed, or was taken back."""
    words = (turn.answer or turn.plan or turn.summary, *turn.reports.values())
    answered = any(len(one) >= _SHORTEST for one in words)
    if answered or turn.answers or turn.commits or turn.pull_requests or turn.taken_back:
        return True
    return takes_back(turn.prompt) or bool(dead_ends(ledger_of([turn])))


def _episode(runtime: Runtime, session: Session, turn: Turn) -> Record:
    digest = digest_of(turn)
    root = str(runtime.checkout.root) + "/" if runtime.checkout else ""
    commit, branch = place_of(session, turn.ended)
    data = {
        "turn": turn.key,
        "prompt": digest.prompt if len(digest.prompt) > len(digest.asked) else "",
        "answer": digest.whole if len(digest.whole) > len(digest.text) else "",
        "branch": branch,
        "files": [path.removeprefix(root) for path in list(turn.files)[-_FILES:]],
        "commands": [command[:200] for command, _ in _ran(turn)],
        "commits": turn.commits[-5:],
        "taken_back": turn.taken_back,
        "taken_back_by": _taken_back_by(session, turn),
    }
    return Record(
        id=_episode_id(session, turn.key),
        kind=EPISODE,
        scope=session.scope,
        title=_clean(runtime, digest.asked),
        content=_clean(runtime, digest.text),
        data={name: value for name, value in data.items() if value},
        source=Source(client=session.client, operation=runtime.surface),
        session=session.id,
        trust="extracted",
        confidence=0.5,
        valid_from=turn.began,
        anchor=Anchor(commit, branch),
        created_at=turn.began,
        updated_at=turn.ended,
    )


def _episode_id(session: Session, key: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, f"{session.scope}:{session.id}:{key}"))


def _taken_back_by(session: Session, turn: Turn) -> list[str]:
    key, words = turn.taken_back_by
    return [_episode_id(session, key), words] if turn.taken_back else []


def _ran(turn: Turn) -> list[tuple[str, bool]]:
    """The last commands of a turn, at most half of them by sub-agents."""
    delegated = turn.delegated[-_COMMANDS // 2 :] if turn.commands else turn.delegated[-_COMMANDS:]
    return [*delegated, *turn.commands][-_COMMANDS:]


def _clean(runtime: Runtime, text: str) -> str:
    return redact(text, runtime.redaction_key).text


def _differs(before: Record, draft: Record) -> bool:
    fields = (before.title, before.content, dict(before.data))
    return fields != (draft.title, draft.content, dict(draft.data))
