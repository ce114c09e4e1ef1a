"""Judgements on the words of a text, with one row of words for each language.

A table maps a language to its pattern. Only the rows of the languages that a text may be written in run, so a
new language costs nothing for texts in others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from contextd_common.text.regex import regex

LANGUAGES = ("en", "de", "fr", "es", "ja", "zh")
"""Languages that every judgement on prompts and answers has a row for."""

FUNCTION_WORDS = {
    "en": """a about above after again all also always am an and any are as at be because been before being below
    between both but by can could did do does doing don down during each ever every few for from further had has
    have having he her here hers him his how i if in into is it its itself just let like me mine more most must my no
    nor not now of off on once one only or other our ours out over own per please same shall she should so some such
    sure than that the their theirs them then there these they this those through to too two under until up us very
    was we were what when where which while who whom why will with would you your yours s t m d ll ve re didn
    doesn isn aren couldn won""",
    "de": """aber alle allem allen aller alles als also am an ans auch auf aus bei beim bin bis da daher damit dann
    das dass dein deine dem den denn der des die dich dies diese diesem diesen dieser dieses dir doch dort du durch
    ein eine einem einen einer eines er es euch für fuer ganz gar gegen gibt hab habe haben hast hat hatte hatten hier
    ich ihm ihn ihr ihre im in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinem keinen
    keiner können könnt könnte koennen könntest mal man mein meine meinem meinen mich mir mit muss musst müssen
    muessen nach nicht noch nun nur ob oder ohne schon sehr sein seine seinen seit sich sie sind so soll sollen sollst
    sollte sonst über ueber um und uns unser unsere unserem unter vom von vor wann war waren warum was wegen weil
    welche welchem welchen welcher welches wem wen wenn wer werden wie wieder wieso will wir wird wo woher wohin
    wurde wurden zu zum zur zwischen bitte danke nein nee""",
    "fr": """à a afin ai ainsi après as au aucun aucune aussi aux avant avec avoir car ce ceci cela celle celui ces cet
    cette ceux chaque chez comme comment c ça ca d dans de depuis des dois doit doivent donc du elle elles en encore
    entre es est et était été être eu fait faire faut il ils j je l la le les leur leurs lors lui m ma mais me mes moi
    mon n ne ni non nos notre nous on ont ou où par parce pas peu peut peux plus pour pourquoi puis qu quand que quel
    quelle quelles quels qui quoi s sa sans se sera ses si soit son sont sous suis sur t ta te tes toi ton tous tout
    toute toutes très tu un une vers veux voici vos votre vous y merci oui stp svp combien""",
    "es": """a al algo ante antes aquí así aún aunque cada como cómo con cual cuál cuando cuándo cuánto cuánta de del
    desde donde dónde dos e el él ella ellos en entre era es esa ese eso esta está están estas este esto estos fue ha
    han hasta hay he la las le les lo los más mas me mi mientras mis mucho muy nada ni no nos nosotros nuestra nuestro
    o os otra otro para pero poco por porque pues que qué quien quién se sea según ser si sí sin sobre solo son su sus
    también tan te ti tiene tienen todo todos tras tu tú tus u un una unas uno unos usted y ya yo favor porfa gracias""",
    "it": """a al alla anche che chi come con cosa cui da dal dei del della delle di dove e è gli ha ho i il in io la
    le lo ma me mi nel nella no noi non o per perché più quale quando quella quello questa questo se si sono su sul
    sulla tra tu un una uno voi favore""",
    "pt": """a ao as com como da das de do dos e é ela ele em entre era essa esse esta este eu foi há isso isto já mais
    mas me meu minha na não nas no nos o onde os ou para pela pelo por porque quando que quem se sem ser seu sua são
    também um uma você favor""",
    "nl": """aan als bij dat de deze die dit door een en er geen had heb hebben hebt heeft het hij hoe ik in is ja je
    jij kan maar met mijn moet moeten naar niet nog of om onder onze ook op over te tot uit van veel voor waar wanneer
    waarom wat we werd wie wij worden wordt ze zijn zo zou""",
}
"""Words that carry no subject, of the languages in Latin script."""

_CUES = {
    "en": "never because instead use run fix make make art rate plus sale hat son pour van come bin war",
    "de": """nie niemals immer stets falsch regel künftig kuenftig zukünftig zukuenftig ab statt anstatt sondern
    vergiss lass mach nimm nutze nutzen verwende verwenden benutze schreib schreibe grundsätzlich ausschließlich gut
    läuft lädt klappt funktioniert geht perfekt genau super passt nächste nächster nächstes zwei drei müssten darf
    dürfen duerfen darfst mehr""",
    "fr": """jamais toujours rien désormais desormais dorénavant règle regle utilise utiliser évite evite enlève oublie
    arrête arrete laisse mets remets plutôt plutot faux finalement bon parfait marche vient contient gère gere etait
    etre apres tres""",
    "es": """nunca jamás jamas siempre nadie ningún ningun ninguna debe deben debes hace hacer haz usa usar uses usamos
    use pon quiero puedes regla hagas toques añadas anadas crees borres subas cambies evita quita deja olvida mejor
    bien ahora falso perfecto funciona decisión quedan estan tambien cuanto sino asi""",
    "it": "mai sempre devi usa scrivi regola annulla",
    "pt": "nunca sempre use deve regra agora desfaça esquece",
    "nl": "nooit altijd graag gebruik onthoud vergeet regel alstublieft voortaan want",
}
"""Further words by which a language is recognised: those that its rules, corrections and answers use."""

_LATIN = tuple(FUNCTION_WORDS)


def _languages_by_word() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for language, marked in FUNCTION_WORDS.items():
        for word in dict.fromkeys(f"{marked} {_CUES[language]}".split()):
            found[word] = (*found.get(word, ()), language)
    return found


_BY_WORD = _languages_by_word()
_FUNCTION = {language: frozenset(words.split()) for language, words in FUNCTION_WORDS.items()}

_HIRAGANA = frozenset(map(chr, range(0x3041, 0x30A0)))
_CHINESE = frozenset(
    "的了是在怎么什哪个吗呢为何多少我们你他它有没不会要就都也和与或把被给对从到这那之其还很再吧着过所以能可"
)
FUNCTION_CHARACTERS = {"ja": _HIRAGANA, "zh": _CHINESE}
"""Characters of which function words consist, in scripts without spaces."""

_WORD, _ASCII_WORD = regex(r"[^\W\d_]+"), regex(r"[a-z]+")
_HAN = regex(r"[\u3400-\u9fff\uf900-\ufaff]")
_KANA = regex(r"[\u3040-\u30ff]")
_HANGUL = regex(r"[\uac00-\ud7af]")

_OTHER_SCRIPTS = {
    "ru": regex(r"[\u0400-\u052f]"),
    "el": regex(r"[\u0370-\u03ff]"),
    "he": regex(r"[\u0590-\u05ff]"),
    "ar": regex(r"[\u0600-\u06ff\u0750-\u077f]"),
    "hi": regex(r"[\u0900-\u0dff]"),
    "th": regex(r"[\u0e00-\u0e7f]"),
}
"""Scripts that no judgement has a row for, by a language written in each: `ru` stands for Ukrainian too, `ar` for Persian."""

_WRITTEN_IN = 0.4
"""The share of its letters by which a text is written in such a script, whatever names it has in another."""

_READ = 400
"""Characters of a text from which its languages are read."""


@lru_cache(maxsize=512)
def languages_of(text: str) -> tuple[str, ...]:
    """The languages that a text may be written in, as two letters each; several where its words belong to
    several, or where it mixes them. Every language in Latin script where no word shows one.
    """
    start = text[:_READ]
    wide: tuple[str, ...] = ()
    if not start.isascii():
        if other := _other_script(start):
            return (other,)
        if _KANA.search(start):
            wide = ("ja",)
        elif _HAN.search(start):
            wide = ("zh",)
        if _HANGUL.search(start):
            wide = (*wide, "ko")
    folded = start.casefold()
    words = set((_ASCII_WORD if start.isascii() else _WORD).findall(folded))
    found: dict[str, set[str]] = {}
    for word in words & _BY_WORD.keys():
        for language in _BY_WORD[word]:
            found.setdefault(language, set()).add(word)
    if not found and not wide:
        return _LATIN
    # `No, it is fine` has a word that Spanish shares; Spanish explains none that English does not.
    shown = (
        one for one in _LATIN if one in found and not any(map(found[one].__lt__, found.values()))
    )
    return (*shown, *wide)


def _other_script(text: str) -> str:
    """The language that stands for the script of most of a text, if no judgement has a row for it; else empty."""
    letters = sum(map(len, _WORD.findall(text)))
    return next(
        (
            language
            for language, pattern in _OTHER_SCRIPTS.items()
            if len(pattern.findall(text)) > _WRITTEN_IN * letters
        ),
        "",
    )


@lru_cache(maxsize=512)
def function_words(text: str) -> frozenset[str]:
    """The words of a text in another language than English that name no subject, and the characters of which such
    words consist in a script without spaces. Empty if one word alone shows the language: `MIT licence`.
    """
    languages = languages_of(text)
    if "en" in languages or len(languages) == len(_LATIN):
        return frozenset()
    found: set[str] = set()
    for language in languages:
        found |= FUNCTION_CHARACTERS.get(language, frozenset())
        known = _FUNCTION.get(language, frozenset())
        used = known.intersection(_WORD.findall(text[:_READ].casefold()))
        found |= used if len(used) > 1 else set()
    return frozenset(found)


class ByLanguage:
    """A judgement on words: a pattern for each language. `without` says why it lacks one of `LANGUAGES`."""

    def __init__(
        self,
        rows: Mapping[str, str],
        flags: int = re.I,
        *,
        without: Mapping[str, str] | None = None,
    ) -> None:
        self.rows = dict(rows)
        self.languages = tuple(rows)
        self.without = dict(without or {})
        self._patterns = {language: regex(pattern, flags) for language, pattern in rows.items()}

    def search(self, text: str) -> re.Match[str] | None:
        """The first match anywhere in a text, of a language that it may be written in."""
        for language in languages_of(text):
            pattern = self._patterns.get(language)
            if pattern is not None and (found := pattern.search(text)):
                return found
        return None

    def match(self, text: str) -> re.Match[str] | None:
        """The same at the start of a text."""
        for language in languages_of(text):
            pattern = self._patterns.get(language)
            if pattern is not None and (found := pattern.match(text)):
                return found
        return None

    def matches(self, text: str) -> list[re.Match[str]]:
        """Every match in a text, of every language that it may be written in, in their order."""
        patterns = filter(None, map(self._patterns.get, languages_of(text)))
        found = [match for pattern in patterns for match in pattern.finditer(text)]
        return sorted(found, key=lambda match: match.span())

    def sub(self, replacement: str, text: str, language: str = "") -> str:
        """The text with every match replaced, of every language that it may be written in. A few words of a longer text
        may not show its `language`.
        """
        for one in dict.fromkeys((*languages_of(text), language)):
            pattern = self._patterns.get(one)
            if pattern is not None:
                text = pattern.sub(replacement, text)
        return text
