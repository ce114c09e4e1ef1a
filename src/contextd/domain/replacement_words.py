"""The words by which a user puts something in the place of what a rule demands, one row for each language (ADR 72)."""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

_THING = r"(?:[^,.;:!?，。；]|\.(?=\w))"
_OLD, _OLD_1, _OLD_2 = (rf"(?P<old{name}>{_THING}{{1,70}}?)" for name in ("", "1", "2"))
_OLD_3, _OLD_4, _OLD_5, _OLD_6, _OLD_7 = (
    rf"(?P<old{name}>{_THING}{{1,40}}?)" for name in ("3", "4", "5", "6", "7")
)
_STOP = r"\s*[,.;!](?!\w)|\s+[–—-]\s|\s*$"

_END_EN = rf"(?= (?:for|in|on|when|because|since|everywhere|now|here|from now on|completely|we|you|please|always|to|if|and|to)\b|{_STOP})"
_HAVE_EN = r"\b(?:we|i)(?:['’]ve| have| are|['’]re)?(?: now| just| finally| recently| all)?"
_MOVED_EN = r"(?:switched|moved|migrated|changed|gone|went|switching|moving|migrating)"

_END_DE = rf"(?= (?:für|in|im|bei|beim|wenn|weil|ab jetzt|ab sofort|jetzt|künftig|zu|zum|mehr|wir|nehmen|nutzen|verwenden|benutzen)\b|{_STOP})"
_END_FR = rf"(?= (?:pour|dans|en|quand|lorsque|désormais|dorénavant|maintenant|chez|sur|parce|car)\b|{_STOP})"
_END_ES = rf"(?= (?:para|en|cuando|al|a partir|desde|ahora|porque|y)\b|{_STOP})"

_OLD_JA = r"(?:[A-Za-z0-9][A-Za-z0-9.+@/_`-]{0,30}|[^、。，！？はをがにの\s]{1,16})"
_OLD_ZH = r"[^，。；！？的了用]{1,20}"

REPLACES = ByLanguage(
    {
        "en": rf"{_HAVE_EN} {_MOVED_EN}\b[^,.;:]{{0,40}}? from {_OLD} to\b"
        rf"|{_HAVE_EN} {_MOVED_EN}\b[^,.;:]{{0,40}}? to [^,.;:]{{1,40}}? from {_OLD_2}{_END_EN}"
        rf"|{_HAVE_EN} {_MOVED_EN} (?:off|away from) {_OLD_5}{_END_EN}"
        rf"|{_HAVE_EN} replaced {_OLD_1} (?:with|by)\b|(?:^|[,;])\W*{_OLD_4} (?:(?:has|have) been|(?:is|are)(?: now)?) replaced (?:with|by)\b",
        "de": rf"\b(?:wir|ich) (?:sind|bin|haben|habe)\b[^,.;:]{{0,40}}? von {_OLD} (?:auf|zu|nach) [^,.;:]{{1,60}}? (?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen)\b"
        rf"|\b(?:wir haben|ich habe|haben wir) {_OLD_1} [^,.;:]{{0,40}}?durch [^,.;:]{{1,60}}? ersetzt\b|(?:^|[,;])\W*{_OLD_2} (?:wurden?|ist|sind) [^,.;:]{{0,30}}?durch [^,.;:]{{1,60}}? ersetzt\b",
        "fr": rf"\b(?:on est|nous sommes|je suis|on a|nous avons|j[’']ai) (?:maintenant |désormais )?(?:passée?s?|migrée?s?|basculée?s?)\b[^,.;:]{{0,40}}? (?:de |d[’']){_OLD} (?:à|vers|sur)\b"
        rf"|\b(?:on a|nous avons|j[’']ai) remplacé {_OLD_1} par\b|(?:^|[,;])\W*{_OLD_2} (?:a|ont) été remplacée?s? par\b",
        "es": rf"\b(?:hemos|he|nos) (?:pasado|cambiado|migrado|pasamos|cambiamos|movido)\b[^,.;:]{{0,40}}? de {_OLD} a\b"
        rf"|\b(?:hemos reemplazado|hemos sustituido|hemos cambiado|reemplazamos|sustituimos) {_OLD_1} (?:por|con)\b|\b(?:migramos|pasamos|cambiamos) (?:ya )?de {_OLD_4} a\b|(?:^|[,;])\W*{_OLD_2} (?:ha sido|fue) (?:reemplazad|sustituid)[oa] por\b",
        "ja": rf"(?P<old>{_OLD_JA})から[^、。]{{1,30}}?(?:に|へ)(?:移行|切り替え|変更|変え|変わり|乗り換え|移り)(?:しました|した|ました|ま)"
        rf"|(?P<old1>{_OLD_JA})を(?:(?!から)[^、。]){{1,30}}?(?:に|で)(?:置き換え|差し替え|切り替え|変更し|移行し)(?:ました|た[。！]|たので)",
        "zh": rf"(?:从|由)(?P<old>{_OLD_ZH}?)(?:换成|切换到|迁移到|改成|改用|改为|换到)"
        rf"|(?:把|将)(?:[^，。；]{{1,20}}的)?(?P<old1>{_OLD_ZH}?)(?:替换成|换成|替换为|改成|改为|迁移到)了"
        rf"|^(?P<old2>{_OLD_ZH}?)(?:已经|现在)?(?:被)?(?:替换成|换成|替换为|改成)(?:了|[^，。了]{{1,20}}了)",
    }
)  # fmt: skip
"""Something has taken the place of what a rule demands: `old…` names that."""

GONE = ByLanguage(
    {
        "en": rf"{_HAVE_EN} (?:dropped|ditched|abandoned) {_OLD}(?=[,;])|[,;]\s*(?:and |so )?(?:no more {_OLD_1}|{_OLD_2} (?:is|are) (?:out|gone|history|retired|no longer allowed))\s*[.!]*$"
        rf"|^\W*{_OLD_3} (?:is|are) (?:out|gone|history|retired)(?=[,;]| and)|^\W*(?:forget(?: about)?|no more|goodbye) {_OLD_4}(?=(?:\s*[,;:–—]|,? please\b).*\b(?:now|from now on|always|instead)\b)",
        "de": rf"^\W*{_OLD} (?:ist|sind) raus\b|^\W*(?:vergiss|schluss mit) {_OLD_1}(?=\s*[,;:–—].*\b(?:jetzt|ab sofort|immer|künftig|stattdessen)\b)",
        "fr": rf"^\W*{_OLD}[,]? c[’']est fini\b|^\W*(?:oublie[rz]?|fini|terminé) (?:les? |la |l[’'])?{_OLD_1}(?=\s*[,;:–—].*\b(?:maintenant|désormais|toujours)\b)",
        "es": rf"^\W*{_OLD} (?:queda|está) (?:fuera|descartad[oa])\b|^\W*(?:olvida|se acabó|adiós a) (?:el |la |los |las )?{_OLD_1}(?=\s*[,;:–—].*\b(?:ahora|siempre)\b)",
        "ja": rf"^(?P<old>{_OLD_JA})は(?:もう)?(?:終わり|やめ|廃止)[^、。]{{0,6}}[、。]",
        "zh": rf"^(?P<old>{_OLD_ZH}?)(?:已经)?(?:淘汰|废弃|弃用)了",
    }
)  # fmt: skip
"""What a rule demands is gone, in a sentence that states what holds instead (`ANEW`)."""

INSTEAD = ByLanguage(
    {
        "en": rf"\b(?:instead of|rather than|in place of) (?:(?:in|with|as|by|on|via) )?{_OLD}{_END_EN}"
        rf"|(?:[,;–—]|\band\b)\s*(?:(?:and|but) )?(?:no longer|not) (?:(?:in|with|as|by|on|via|to|for|from) )?{_OLD_1}(?=,? any ?(?:more|longer)\b|{_END_EN[3:]}"
        rf"|(?<!\bis )(?<!\bare )\bno longer {_OLD_2}(?=[,;][^.]*\b(?:from now on|always)\b)",
        "de": rf"\b(?:statt|anstatt|anstelle von|an stelle von|anstelle) (?:(?:in|mit|als|auf|bei|über) (?:der |dem |den )?)?{_OLD}{_END_DE}"
        rf"|(?:[,;–—]|\bund\b)\s*(?:(?:und|aber) )?nicht (?:mehr )?(?:(?:in|mit|als|auf|bei|über) (?:der |dem |den )?)?{_OLD_1}{_END_DE}"
        rf"|\bnicht mehr {_OLD_2}(?=[,;] (?:sondern|ab jetzt|künftig)\b)",
        "fr": rf"\b(?:au lieu d(?:e |es |u |[’'])|à la place d(?:e |es |u |[’'])|plutôt qu(?:e |[’']))(?:(?:dans|avec|en) )?{_OLD}{_END_FR}"
        rf"|(?:[,;–—]|\bet\b)\s*(?:(?:et|mais) )?(?:non plus|plus|pas|non) (?:(?:dans|avec|en|sur|de) )?{_OLD_1}{_END_FR}"
        rf"|^\W*(?:plus d(?:e |[’'])){_OLD_2}(?=\s*[:,;])",
        "es": rf"\b(?:en lugar del?|en vez del?) (?:(?:en|con) )?{_OLD}{_END_ES}"
        rf"|(?:[,;–—]|\by\b)\s*(?:(?:y|pero) )?(?:ya no|no) (?:(?:en|con|a|de|por) )?{_OLD_1}(?=,? más\b|{_END_ES[3:]}",
        "ja": rf"(?P<old>{_OLD_JA})(?:の代わりに|ではなく|じゃなく|でなく)"
        rf"|(?P<old1>{_OLD_JA})(?:は|を)?(?:もう)?(?:やめて|やめました[、，]|使わず|使わないで|廃止して|廃止し、)(?=.*(?:使|ください|にし|書|今は|今後|これから))",
        "zh": rf"用[^，。；用]{{1,20}}?(?:代替|取代|替代|替换)了?(?P<old>{_OLD_ZH})"
        r"|(?:不用|不再用|别再用|别用)(?P<old1>[^，。；]{1,20}?)了?[，,](?:而?是?)?(?:改用|用|换成|改成|必须|统一用)"
        r"|(?:不用|不必|不再|不需要|不要|别)(?P<old3>[^，。；]{1,20}?)了?[，,](?:而?是|必须|改为)"
        r"|[，,](?:而)?(?:不再|不要?|别)(?:再|是)?用(?P<old2>[^，。；]{1,20}?)了?(?=[，。；！!]|\s*$)|而不是(?P<old4>[^，。；]{1,20})",
    }
)  # fmt: skip
"""Something is to take the place of `old…`."""

SWITCHED = ByLanguage(
    {
        "en": rf"{_HAVE_EN} (?:{_MOVED_EN}|replaced|use|prefer)\b|\b(?:is|are) (?:out|gone|history)\b|\bbeen replaced\b|(?:(?<=\w )|(?<=, ))now\b|\b(?:from now on|as of (?:now|today)|starting (?:now|today))\b|\balways\b|\bno more\b|^\W*(?:new )?rule:|^\W*no\b|\bany ?more\b|\bno longer\b",
        "de": r"\b(?:umgestiegen|gewechselt|umgestellt|migriert|umgezogen|ersetzt)\b|\braus\b|\b(?:ab (?:jetzt|sofort)|(?<!^)jetzt|künftig|nun|immer)\b|^\W*nein\b|\bwir (?:nutzen|verwenden)\b|\bnicht mehr\b",
        "fr": r"\b(?:passée?s?|migrée?s?|basculée?s?|remplacée?s?)\b|\b(?:désormais|maintenant|dorénavant|toujours)\b|c[’']est fini|^\W*non\b|\bon utilise\b",
        "es": r"\b(?:pasado|cambiado|migrado|movido|pasamos|cambiamos|migramos|reemplaza\w*|sustitui\w*)\b|\b(?:ahora|a partir de|desde ahora|siempre)\b|^\W*no\b|\bfuera\b|\bya no\b",
        "ja": r"移行|切り替え|乗り換え|変更し|置き換え|差し替え|移り|今後|これから|以後|もう|今は|必ず|やめました|次から|ようになりました|ことになりました|ことにしました|変えました|変わりました",
        "zh": r"已经|换成了|替换成了|改成了|切换|迁移到了|以后|今后|现在|从今|改用|不再|必须|始终|替换了|(?:换成|改成|替换成|迁移到)[^，。了]{1,20}了",
    }
)  # fmt: skip
"""What replaces does so from now on: `use vitest instead of jest here` is a task."""

FIRMLY = ByLanguage(
    {
        "en": r"\b(?:from now on|as of (?:now|today)|henceforth|(?:going|moving) forward|always|must|no longer|any ?more)\b|^\W*(?:new )?rule:",
        "de": r"\b(?:ab (?:jetzt|sofort)|künftig|in zukunft|immer|muss|müssen|mehr)\b",
        "fr": r"\b(?:désormais|dorénavant|à partir de maintenant|toujours|doi(?:t|vent)|plus)\b",
        "es": r"\b(?:a partir de ahora|desde ahora|en adelante|siempre|deben?|ya no)\b",
        "ja": r"今後|これから|以後|必ず|常に|もう|次から",
        "zh": r"以后|今后|从现在|从今|必须|始终|一律|不再",
    }
)
"""Without one of these words only a rule that chooses the thing is replaced: `the rows are sorted by date now, not by
name` says how things are.
"""

LABEL = ByLanguage(
    {
        "en": r"^\W*(?:(?:new|one more|another) )?(?:rule|policy|convention|change of plans?|plan change|correction|important|decision|update)\s*:",
        "de": r"^\W*(?:neue )?(?:regel|planänderung|korrektur|wichtig|entscheidung)\s*:",
        "fr": r"^\W*(?:nouvelle )?(?:règle|changement de plan|correction|important|décision)\s*:",
        "es": r"^\W*(?:nueva )?(?:regla|cambio de planes?|corrección|importante|decisión)\s*:",
        "ja": r"^(?:新しい)?(?:ルール|方針変更|変更|重要|訂正)\s*[:：]",
        "zh": r"^(?:新)?(?:规则|规定|计划有变|更正|重要|决定)\s*[:：]",
    }
)
"""What introduces the user's own rule: behind any other colon stands a text for something."""

THEN = ByLanguage(
    {
        "en": r"\band (?=(?:please |always |now |from now on )*(?:use|take|prefer|go with|write)\b)",
        "de": r"\bund (?=(?:bitte |ab jetzt |jetzt )*(?:nutze?|verwende|benutze|nimm|schreibe?)\b)",
        "fr": r"\bet (?=(?:désormais |toujours )*(?:utilise|prends|écris)\b)",
        "es": r"\by (?=(?:ahora |siempre )*(?:usa|utiliza|escribe)\b)",
    },
    without=dict.fromkeys(("ja", "zh"), "a comma separates the clauses"),
)
"""Where the order that replaces an ended one begins without a comma."""

ANEW = ByLanguage(
    {
        "en": r"\b(?:we|i)(?:['’]re)? (?:now |always |only )*(?:use|using|go with|take|prefer)\b(?! (?:what|any))|\balways (?!been|had|was)\w+|\b(?:use|prefer) (?!what|any)[^,.;]{1,60}\b(?:always|now|from now on|instead)\b|\bfrom now on,? (?!you\b|it\b)\w+|\bfrom now on\b(?=\W*$|,)|\b(?:standardi[sz]ed|settled) on\b|\b(?:is|are) in\W*$",
        "de": r"\b(?:wir|ab jetzt|künftig|jetzt)\b[^,.;]{0,20}?\b(?:nutzen|verwenden|benutzen|nehmen)\b|\b(?:nutzen|verwenden|benutzen|nehmen) wir\b|\b(?:nutze?|verwende|benutze|nimm|schreibe?|mach)\b[^,.;]{0,40}\b(?:immer|jetzt|ab jetzt|künftig|stattdessen)\b|\b(?:ab jetzt|künftig|stattdessen) (?:nutze?|verwende|benutze|nimm|schreibe?|mach)\b|\b(?:ab jetzt|künftig)\b[^.;]*\b(?:immer|nur noch)\b|^\W*sondern\b|\b(?:ab jetzt|ab sofort) \S+\W*$|\b(?:ist|sind) (?:drin|rein)\W*$",
        "fr": r"\b(?:on|nous) (?:utilise|utilisons|prend|prenons)\b|\b(?:utilise|prends|écris|fais|mets)[rz]?\b[^,.;]{0,40}\b(?:toujours|désormais|dorénavant|maintenant|plutôt)\b|\b(?:désormais|dorénavant|toujours) (?:utilise|prends|écris|fais|mets)\b|\bdésormais(?: \w+|\W*$)",
        "es": r"\b(?:usamos|utilizamos)\b|\b(?:usa|utiliza|escribe|pon|haz)\b[^,.;]{0,40}\b(?:siempre|ahora|a partir de ahora|en su lugar)\b|\b(?:siempre|ahora|a partir de ahora) (?:usa|utiliza|escribe|pon|haz)\b",
        "ja": r"(?:今後|これから|今は|必ず|常に|代わりに).*(?:使|書|利用)",
        "zh": r"(?:以后|今后|现在|必须|统一|始终|我们|一律)[^，。]{0,12}(?:改?用|使用|采用|写)",
    }
)  # fmt: skip
"""A clause behind an ending that states what holds instead."""

NARROW = ByLanguage(
    {
        "en": r"\b(?:here|this (?:file|function|test|class|module|method|page|component|script|one|case|line|example|step)|lines? \d+)\b"
        r"|\b(?:it|you|he|she|they|this|that|which|claude|the (?!api\b)\w+)(?:['’]ve)? (?:now |still |just |always |only |also )*(?:used|uses|is|was|has|had|did|does|shows?|returns?|prints?|says?|gets?|\w{3,}(?<!s)s)\b(?=.*\b(?:instead of|rather than|not)\b)|\b(?:it|that|he|she)['’]s (?:now |still |always )*\w+ing\b|\b(?:looks like|seems|i (?:see|saw|noticed)|you (?:have|are))\b|\b(?:let['’]s (?:see|try)|try|can you|could you|bug|broken|wrong|mistake|by accident|revert|undo|once|back then|years? ago|previously|in the past|(?:it|this|that) back)\b",
        "de": r"\b(?:hier|(?:diese[rmns]?|in der) (?:datei|funktion|test|klasse|modul|methode|seite|komponente|skript|fall|zeile))\b|\b(?:du hast|hast du|es (?:wird|ist|zeigt|nutzt|verwendet|gibt)|(?:das|er|sie) (?:wird|ist|zeigt|nutzt|verwendet)|kannst du|ich sehe|versuche?|probiere?|fehler|falsch|kaputt|versehentlich|rückgängig|damals|früher|einmal|mal)\b",
        "fr": r"\b(?:ici|(?:ce|cette|cet) (?:fichier|fonction|test|classe|module|méthode|page|composant|script|cas|ligne))\b|\b(?:tu as|as-tu|il (?:affiche|utilise|est|a)|ça|elle (?:affiche|utilise|est|a)|peux-tu|je vois|essaie|essayons|bug|cassée?|erreur|annule|autrefois|une fois)\b",
        "es": r"\b(?:aquí|(?:este|esta) (?:archivo|fichero|función|prueba|test|clase|módulo|método|página|componente|script|caso|línea))\b|\b(?:has (?:usado|puesto|hecho)|se (?:muestra|ve)|puedes|veo que|aparece|muestra|prueba|probemos|error|fallo|roto|deshaz|revierte|antes usábamos|una vez)\b",
        "ja": r"ここ(?:で|は|を)|この(?:ファイル|関数|テスト|クラス|モジュール|メソッド|ページ|コンポーネント|場合|行)|になって(?:い)?(?:る|ます|た)|てしまっ|されて(?:い)?(?:る|ます)|見える|表示されて|バグ|間違|試し|元に戻|以前は",
        "zh": r"这里|这个(?:文件|函数|测试|类|模块|方法|页面|组件|脚本|例子|行)|怎么|变成|显示|你(?:刚才|把)|为什么|试试|错误|撤销|改回|以前",
    }
)  # fmt: skip
"""A replacement in one place, or a report of how something is: no rule is replaced."""
