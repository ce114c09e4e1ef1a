"""The words by which something ends, one row for each language: a reason to ask about a rule, never to end it."""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

_NOW_EN = r"(?:any ?more|any longer|no longer|going forward|from now on|from today|as of (?:today|now)|in (?:the )?future|henceforth|permanently|for good|again|now|effective immediately|starting (?:today|now))"
_GONE_EN = r"(?:gone|history|retired|obsolete|dead|dissolved|abolished|off the table|lifted|over|overruled|superseded|replaced|scrapped|dropped|revoked|withdrawn|void|optional|unnecessary|outdated)"
_END_EN = r"(?:kill|drop|scrap|ditch|abolish|lift|relax|loosen|revoke|withdraw|retire|dissolve|cancel|forget|disregard|never ?mind|get rid of|do away with|take back|dissolved|scrapped|lifted|abolished|dropped|retired|killed|revoked|cancell?ed|relaxed|loosened)"

ENDS = ByLanguage(
    {
        "en": r"\b(?:no longer|any ?more|any longer|no more|never ?mind|you can stop|stop \w+ing|not a thing|too strict|no need|leaving \w+ for good|decommissioned|deprecated)\b"
        rf"|\b(?:do(?:es)? ?n['’o]?t (?:have|need) to|needn['’]t)\b(?=.*\b{_NOW_EN}\b)"
        rf"|\b(?:is|are|was|has been|have been|['’]s)(?: now| officially| finally)? {_GONE_EN}\b|\b{_END_EN}\b (?:about )?(?:the|that|my|our|this|any|all)\b|\?\s*(?:gone|not any ?more|forget (?:it|that)|history|over|no longer)\b"
        r"|\b(?:allowed|fine|ok(?:ay)?|permitted|no problem|open|up to you) (?:again|any ?more|from now on|now)\b"
        r"|\btook \S+ place\b|\breplaces?\b|\b(?:in place|instead) of\b|\bwas a mistake\b|\bwere a mistake\b|\bturned out badly\b",
        "de": r"\b(?:nicht|keine?[nmrs]?|nichts|nie)\b[^.!?]{0,60}?\b(?:mehr|länger)\b|\b(?:ist|sind|wird|werden|wurden?|war)\b[^.!?]{0,40}?\b(?:geschichte|überflüssig|hinfällig|abgeschafft|aufgehoben|gestrichen|vom tisch|erledigt|überholt|passé|obsolet|raus|ersetzt|einmal)\b"
        r"|\b(?:streichen|streich|vergiss|vergessen|aufheben|hebe|nie wieder|hat ausgedient|haben ausgedient|fällt weg|fallen weg|lassen wir weg|tritt an die stelle|treten an die stelle|ersetzt|entfällt|entfallen)\b|\bstatt (?:wie )?bisher\b|\bdarfst (?:du )?(?:ab jetzt|wieder|künftig)\b|\b(?:ist|sind) wieder (?:erlaubt|ok)\b",
        "fr": r"\bn[e’'] ?\S+ (?:\S+ )?plus\b|\bplus (?:de|d[’']|besoin|rien)\b|\b(?:saute|annulée?|annule|levée?|abrogée?|supprimée?|abandonnée?|caduque?|oublie|oublier|oubliez|fini)\b|\bon arrête\b|\barrête de\b|\bje reviens sur\b|\bremplacent?\b|\b(?:au|à la) (?:lieu|place)\b|\bon (?:est passés?|passe|revient)\b|\bpermis à partir\b|\bpeux de nouveau\b",
        "es": r"\bya no\b|\bno\b[^.!?]{0,50}?\bmás\b|\b(?:queda|quedan) (?:sin efecto|anulad[oa]s?|eliminad[oa]s?|derogad[oa]s?)\b|\bno es obligatorio\b|\bse (?:acabó|quita|apaga)\b|\bno sigas\b|\bdeja de\b|\bdéjate de\b|\blevanto\b|\bnunca más\b|\bolvida\w*\b|\bhe cambiado de idea\b|\bsustitu\w+\b|\breempla\w+\b|\ben (?:lugar|vez) de\b|\banul\w+\b",
        "ja": r"もう|撤廃|廃止|解除|終了|終わり|なくなりました|不要|いりません|いらない|外す|やめ(?:ます|る|て|ました)|忘れて|なし[。で]|置き換え|改め|切り替わ|使用しない|使わない|ではなく|じゃなく|必要はな|必要ありません|なくて(?:も)?いい|自由に|任意",
        "zh": r"不再|不用|不必|别再|不要再|收回|去掉|取消|拿掉|作废|失效|废[除止弃]|删了|删掉|放开|放宽|忘掉|忘了|不强制|不限制|不是必须|不适用|退役|不要了|换成|改成|改为|改用|代替|取代|解除|算了|没(?:有)?必要|随(?:意|便)",
    }
)  # fmt: skip
"""Something holds no more."""
