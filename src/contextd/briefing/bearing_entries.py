"""Which entries of a past session's ledger are relevant to a prompt: by meaning, and by rare words that they share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import log

from contextd.briefing.session_outcome import SessionOutcome, asks, is_idle, settling
from contextd.domain.generic_texts import USUAL_PROMPTS
from contextd.domain.kinds import EPISODE
from contextd.domain.language_bias import LanguageBias, bias_of
from contextd.domain.query import Vector
from contextd.domain.sessions import Session
from contextd.runtime.runtime import Runtime
from contextd.sessions.ledger import LedgerEntry
from contextd_common.dataclass import dataclass
from contextd_common.text.languages import ByLanguage, languages_of
from contextd_common.text.words import comparable_words, content_words

_ALIKE, _ALIKE_IN_WORDS = 0.5, 0.45
"""The lowest cosine between a prompt and an entry that is relevant to it, and between one and an entry that shares two
content words with it.
"""

_ALIKE_TURN, _ALIKE_SENTENCE = 0.36, 0.28
"""The lowest cosine between a prompt and a turn whose rules, corrections, refusals and recap are relevant to it, and between the
prompt and the nearest sentence of that turn: what settles a problem hardly repeats its words. In 13 chats that decided
one, the settling turn has 0.38 and more and its nearest sentence 0.28; half of the entries off the topic are in turns below.
"""

_SAME_SUBJECT, _RARE, _RARE_PROBLEM = 0.44, 2.0, 2.2
"""The cosine and how many rare words it shares, that one sentence of a session needs, be it the problem itself, before
any of them is told, and before one that does not resemble the prompt is: two prompts about `the Claude Code update` share
words that every prompt of the project has. Of 119 matched sessions of four projects 32 lack such a sentence; in 13 chats
that decided a problem the sentence that describes it shares 2.2 and more.
"""

_PER_COSINE = 5.0
"""What being 1 nearer in cosine adds to an entry's worth, from 0.35 on. With 0 the most certain sentences of a session
are told, whatever they are about; with 6 a decision of the past loses its exceptions.
"""
_EXPECTED = 0.35

_SAID = 0.8
"""The share of its words by which an entry repeats the prompt."""

_QUOTED = 0.6
"""The same for a text that stands in the agent's window."""

_EDITS = frozenset(("change", "report"))
"""Sorts of sentences about what an agent edited."""

_PASSING = _EDITS | {"remark"}
_ALIKE_PASSING = 0.6
"""Sorts of sentences that are rarely useful after their turn, because the code shows what was edited, and the lowest cosine at which
one is relevant: of 200 such sentences added to 73 prompts of one project, one in ten concerned the problem.
"""

_COMPARED, _READ = 48, 1_200
"""Entries of a session that are embedded, 1.6 ms each, and characters of a prompt."""

_TITLES = 200
"""Latest turns of the project that show which words are rare in it."""

_CACHED, _PER_ENTRY = 4_000, 300


class BearingTest:
    """Selects the entries that are relevant to a prompt. `window` are the words of each text that was injected and stands in the
    agent's window, `whole` is the prompt with the output that it pastes.
    """

    def __init__(
        self,
        runtime: Runtime,
        session: Session,
        prompt: str,
        window: Sequence[set[str]],
        whole: str,
    ) -> None:
        self._runtime, self._window = runtime, window
        read = prompt[:_READ]
        self._language = languages_of(read)[0]
        self._asked = comparable_words(read, self._language)
        self._pasted = set(content_words(whole))
        self._vector = runtime.embedder.embed([read])[0]
        self._bias = bias_of(runtime.embedder.model, read)
        self._rarity = _rarity(runtime, session, self._language)

    def passing(
        self, outcome: SessionOutcome, amends: SessionOutcome | None = None
    ) -> SessionOutcome:
        """The outcome with its relevant entries, each with its worth for the prompt; none if no sentence of the session
        is about the same. Entries that amend a relevant outcome need not resemble the prompt.
        """
        shared = [self._shared(entry.text) for entry in outcome.entries]
        rarity = [sum(map(self._rarity, words)) for words in shared]
        if amends is None and max(rarity, default=0.0) < _RARE:
            return replace(outcome, entries=())
        turns = self._turns(outcome)
        settles = settling(outcome.entries)
        candidates = [
            amends is not None
            or (bool(words) or (turns.get(entry.turn, 0.0) >= _ALIKE_TURN and settled))
            for entry, words, settled in zip(outcome.entries, shared, settles, strict=True)
        ]
        places = sorted(
            (place for place, one in enumerate(candidates) if one),
            key=lambda place: (-rarity[place] - outcome.entries[place].worth, place),
        )[:_COMPARED]
        cosines = self._cosines([outcome.entries[place].text for place in sorted(places)])
        near = dict(zip(sorted(places), cosines, strict=True))
        lasting = {
            n
            for n, one in near.items()
            if settles[n] or outcome.entries[n].sort not in _PASSING or one >= _ALIKE_PASSING
        }
        subjects = lasting | _problems(outcome.entries, near)
        same = max((rarity[n] for n in subjects if near[n] >= _SAME_SUBJECT), default=0.0)
        if amends is None and same < _RARE:
            return replace(outcome, entries=())
        on_topic = {
            outcome.entries[place].turn
            for place, cosine in near.items()
            if cosine >= _ALIKE_SENTENCE and same >= _RARE_PROBLEM
        }
        on_topic &= {turn for turn, cosine in turns.items() if cosine >= _ALIKE_TURN}
        bearing: list[LedgerEntry] = []
        for place, cosine in near.items():
            entry = outcome.entries[place]
            passes = cosine >= _ALIKE or (cosine >= _ALIKE_IN_WORDS and len(shared[place]) >= 2)
            passes = passes or (settles[place] and entry.turn in on_topic)
            lasts = place in lasting and not _points_at_another(entry, settles[place])
            lasts = lasts and (settles[place] or not is_idle(entry)) and not _wishes(entry)
            if (passes or amends is not None) and lasts and not self._is_known(entry):
                worth = entry.worth + _PER_COSINE * (cosine - _EXPECTED)
                bearing.append(replace(entry, worth=worth))
        return replace(outcome, entries=bearing)

    def _shared(self, text: str) -> frozenset[str]:
        return self._asked & comparable_words(text, self._language)

    def _is_known(self, entry: LedgerEntry) -> bool:
        """Whether the prompt or the window says it, or it only asks."""
        if asks(entry):
            return True
        words = set(content_words(entry.text))
        if len(words & self._pasted) >= _SAID * len(words):
            return True
        return any(len(words & known) >= _QUOTED * len(words) for known in self._window)

    def _turns(self, outcome: SessionOutcome) -> Mapping[int, float]:
        """The cosine of the prompt and each turn of the outcome whose vector is known, by its number."""
        numbers = {id: number for number, id in enumerate(outcome.turns)}
        query = self._runtime.query(EPISODE, session=outcome.record.session)
        model = self._runtime.embedder.model
        near = self._runtime.view.near(self._vector, model, query, len(numbers) + _MORE)
        return {
            numbers[record.id]: cosine - self._bias_of(record.text)
            for record, cosine in near
            if record.id in numbers
        }

    def _cosines(self, texts: Sequence[str]) -> list[float]:
        cache = self._runtime.organisation.caches.of(
            "vectors of entries", _CACHED, weigh=lambda vector: _PER_ENTRY + vector.nbytes
        )
        model = self._runtime.embedder.model
        found: dict[str, Vector | None] = {text: cache.get((model, text)) for text in texts}
        missing = [text for text, vector in found.items() if vector is None]
        if missing:
            fresh = self._runtime.embedder.embed(missing)
            for text, vector in zip(missing, fresh, strict=True):
                found[text] = vector
                cache.put((model, text), vector)
        return [
            float(vector @ self._vector) - self._bias_of(text)
            for text in texts
            if (vector := found[text]) is not None
        ]

    def _bias_of(self, text: str) -> float:
        bias: LanguageBias | None = self._bias
        return bias.of(text) if bias is not None else 0.0


def _problems(entries: Sequence[LedgerEntry], near: Mapping[int, float]) -> set[int]:
    """The places in `near` of sentences that may describe the prompt's problem: those of the user, and what the agent answered to
    one that resembles the prompt. Reports of edits do not count: two tasks may edit the same place.
    """
    of_user = {n for n in near if entries[n].speaker == "user"}
    asked = {entries[n].turn for n in of_user if near[n] >= _SAME_SUBJECT}
    return of_user | {n for n in near if entries[n].turn in asked and entries[n].sort not in _EDITS}


def _points_at_another(entry: LedgerEntry, settles: bool) -> bool:
    """Whether a sentence only refers to another one (`this is better`, `ignore that`) and says nothing alone. Sentences of a
    recap count as a whole.
    """
    return bool(_POINTS.search(entry.text)) and not (settles and entry.speaker == "agent")


_POINTS = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|no|nope|yes|so|and|but|please|well)\b\W*)*(?:(?:it|this|that|they|these|those) (?:is|are|was|were|has|have|had|did|does|do|will|would|should|can|could|sounds?|looks?|works?|seems?|gives?|makes?|means?|happens?|broke)\b"
        r"|(?:ignore|forget|skip|drop|implement|apply|do|try|use|take|keep|leave|revert|undo|fix|change|remove) (?:it|this|that|these|those)(?: (?:for|in|to|as|again|please|approach|way|change|idea|one)\b|[\s.,!]*$))",
        "de": r"^\W*(?:(?:ok|nein|ja|so|und|aber|bitte)\b\W*)*(?:(?:das|es|dies) (?:ist|war|hat|hatte|funktioniert\w*|geht|ging|klingt|sieht|wird|würde|sollte?)\b|(?:ignorier\w*|vergiss|lass|mach|nimm|nutze|behalte|ändere) (?:das|es|dies)\b)",
        "fr": r"^\W*(?:(?:ok|non|oui|et|mais|donc|stp)\b\W*)*(?:c[’'](?:est|était)\b|(?:ça|cela|ceci) \w+|(?:ignore|oublie|laisse|fais|utilise|garde|change|annule)[- ](?:ça|cela|le|la)\b)",
        "es": r"^\W*(?:(?:ok|no|s[íi]|y|pero|vale|por favor)\b\W*)*(?:(?:eso|esto) (?:es|est[áa]|era|fue|ha|no|parece|funciona|suena|debe)\b|(?:ignora|olvida|deja|haz|usa|cambia|quita) (?:eso|esto)\b)",
        "ja": r"^(?:それ|これ|あれ|この件|その件)(?:は|が|を|も|で)",
        "zh": r"^(?:这个?|那个?|它)(?:是|不|没|已|可以|看起来|应该|先)|^(?:忽略|忘掉|跳过|保留|改掉)(?:这个|那个|它)",
    }
)  # fmt: skip


def _wishes(entry: LedgerEntry) -> bool:
    """Whether the user only says what they want or miss at the moment, in words of a constraint or a refusal: `we need to
    get the guest in`, `I don't see the seats`.
    """
    return entry.speaker == "user" and entry.sort in _WEAK and _WISH.search(entry.text) is not None


_WEAK = frozenset(("constraint", "refused", "preference"))
_WISH = ByLanguage(
    {
        "en": r"\b(?:i|we) (?:\w+ ){0,2}(?:want|need)\b|\b(?:i|we)(?:[’']d| would) (?:\w+ )?(?:like|love)\b|\blet[’']?s\b|\b(?:can|could) (?:you|we)\b|\b(?:i|we) (?:do(?:n[’']?t| not)|dont|can(?:not|n?[’']?t)|cant|still|haven[’']?t) (?:[\w’']+ ){0,2}(?:see|get|got|find|have|even)\b",
        "de": r"\b(?:ich|wir) (?:will|wollen|möchten?|brauchen?|hätten?)\b|\b(?:kannst|könntest) du\b|\b(?:ich|wir) (?:sehen?|bekommen?|finden?) (?:immer noch |noch )?(?:nicht|kein\w*)\b",
        "fr": r"\b(?:je|nous) (?:veux|voulons|voudrais|souhaite|ai besoin)\b|\bj[’'](?:aimerais|ai besoin)\b|\b(?:peux|pourrais)[- ]tu\b|\bje ne (?:vois|trouve) (?:pas|rien)\b",
        "es": r"\b(?:quiero|queremos|necesito|necesitamos|quisiera|me gustar[íi]a)\b|\b(?:puedes|podr[íi]as)\b|\bno (?:veo|encuentro|me (?:gusta|sale))\b",
        "ja": r"(?:したい|してほしい|して欲しい|してもらえ|(?:見え|表示され|出)(?:ない|ません))",
        "zh": r"我(?:想|需要|希望)|帮我|能不能|可不可以|(?:看|找)不到",
    }
)  # fmt: skip

_MORE = 20
"""Turns of a session that may be nearer to the prompt than those of the outcome."""


@dataclass(frozen=True, slots=True)
class WordRarity:
    """How rare words are: in how many of `count` common prompts and prompts of the project each one stands; at least two."""

    having: Mapping[str, int]
    count: int

    def __call__(self, word: str) -> float:
        """1 for a word that stands in one of them, 0 for one that stands in all."""
        return log((1 + self.count) / (1 + self.having.get(word, 0))) / log((1 + self.count) / 2)


def _rarity(runtime: Runtime, session: Session, language: str) -> WordRarity:
    cache = runtime.organisation.caches.of(
        "rarity of words", _SESSIONS, weigh=lambda one: _PER_WORD * len(one.having)
    )

    def counted() -> WordRarity:
        query = replace(runtime.query(EPISODE, level="project"), limit=_TITLES)
        titles = [record.title for record in runtime.view.records.find(query).records]
        texts = [*USUAL_PROMPTS.get(language, USUAL_PROMPTS["en"]).splitlines(), *titles]
        having = Counter(word for text in texts for word in comparable_words(text, language))
        return WordRarity(having, len(texts))

    found: WordRarity = cache.made((runtime.scope, session.id, language), counted)
    return found


_SESSIONS, _PER_WORD = 64, 120
