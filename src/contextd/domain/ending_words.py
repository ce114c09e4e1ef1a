"""The words by which a user ends or replaces a rule, one row for each language (ADR 62)."""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

_RULE_EN = r"(?:rules?|polic(?:y|ies)|conventions?|requirements?|standards?|guidelines?|restrictions?|bans?|limits?|prohibitions?)"
_GONE_EN = (
    r"(?:gone|over|history|obsolete|out|dead|lifted|dropped|void|outdated|cancell?ed|withdrawn|off the table"
    r"|not (?:valid|in force|needed) any ?more)"
)
_END_EN = r"(?:drop|forget|ignore|scrap|remove|delete|cancel|lift|retire|disregard|abandon|revoke|withdraw|get rid of|do away with|never ?mind)"

NAMED = ByLanguage(
    {
        "en": r"(?<!don't )(?<!don’t )(?<!do not )(?<!never )(?<!not )\b(?:"
        + _END_EN
        + r"|(?:we|i)(?:['’]ve| have)? (?:dropped|scrapped|abandoned|lifted|retired|cancell?ed|removed|revoked)|(?:can|may) (?:forget|ignore|drop))"
        rf"\s+(?:about )?(?:the|that|this|my|our|your|any)\b[^,.;:]{{0,60}}?\b{_RULE_EN}\b(?! (?:files?|sets?|engines?|names?|ids?|entry|entries|configs?)\b)"
        rf"|\b{_RULE_EN}\b[^,;:]{{0,80}}?\b(?:(?:is|are|was|has been|have been)(?: now)? {_GONE_EN}|can go\b|(?:no longer|does ?n['’o]t|do ?n['’o]t) (?:appl(?:y|ies)|holds?|counts?|needed)(?: any ?more)?)"
        rf"|\b{_RULE_EN}\b[^,;:]{{0,60}}?\b(?:is|are) no longer (?:needed|necessary|required|valid|in force)",
        "de": r"(?:\b(?:streiche?|vergiss(?! nicht)|ignoriere?|lösche?|entferne|hebe?|verwirf|kippe?|lass)\b[^,.;:]{0,40}?\b(?:regel|vorgabe|konvention|pflicht|verbot|vorschrift)\w*"
        r"|\b\w*(?:regel|vorgabe|konvention|pflicht|verbot|vorschrift)\b[^,;:]{0,80}?\b(?:gilt (?:ab (?:jetzt|sofort) )?nicht mehr|(?:ist|sind|wird|entfällt) (?:ab (?:jetzt|sofort) )?(?:aufgehoben|gestrichen|hinfällig|weg|vom tisch|erledigt|abgeschafft|überholt)|entfällt))",
        "fr": r"(?:\b(?:oublie(?! pas)|ignore|supprime|abandonne|enlève|retire|laisse tomber|annule|lève)[rz]?\b[^,.;:]{0,30}?\b(?:règles?|consigne|convention|interdiction|obligation|exigence)"
        r"|\b(?:règle|consigne|convention|interdiction|obligation|exigence)\b[^,;:]{0,80}?\b(?:(?:ne s[’']applique|n[’']est|ne vaut) plus(?: valable| en vigueur)?|(?:est|a été) (?:levée|supprimée|abandonnée|caduque|annulée|obsolète)))",
        "es": r"(?:(?<!no )\b(?:olvida|ignora|quita|elimina|borra|descarta|abandona|cancela|se levanta|levanta)(?:mos)?\b[^,.;:]{0,30}?\b(?:regla|norma|convención|prohibición|obligación|requisito|restricción)"
        r"|\b(?:regla|norma|convención|prohibición|obligación|requisito|restricción)\b[^,;:]{0,80}?\b(?:ya no (?:aplica|vale|rige|se aplica|es válid[oa])|(?:queda|está|fue|ha sido) (?:sin efecto|eliminad[oa]|levantad[oa]|obsolet[oa]|anulad[oa]|descartad[oa])))",
        "ja": r"(?:ルール|規則|規約|決まり|方針|禁止|制限|制約)(?:は|を|も|については)?(?:もう|今後)?(?:、)?(?:廃止|撤廃|撤回|解除|取り消|なくし|やめ|忘れ|無視|不要|適用され(?:ません|ない)|当てはまりません|なし(?:です|に))",
        "zh": r"(?:取消|废除|去掉|忘掉|忽略|撤销|删除|解除|作废)[^，。；]{0,24}?(?:规则|规定|约定|规范|要求|禁令|限制)|(?:规则|规定|约定|规范|要求|禁令|限制)(?:已经|现在|就)?(?:不再适用|不适用了|作废|取消了?|废除|解除了?|失效|没有了|不算数)",
    }
)  # fmt: skip
"""A rule is named as one, and ended."""

SAID = ByLanguage(
    {
        "en": r"(?<!don't )(?<!don’t )(?<!do not )(?<!never )\b(?:forget|ignore|disregard|scratch|never ?mind|i take back|take back)\s+(?:everything |all )?(?:what|that) i (?:said|told you|wrote|asked)(?: you)?(?: about| on| regarding| concerning)?\b|\bi(?:['’]ve| have)? changed my mind (?:about|on)\b",
        "de": r"\b(?:vergiss|ignoriere?|streiche?)\b,? (?:alles, )?was ich (?:dir )?(?:über|zu[mr]?|wegen|von)\b|\bich nehme (?:das )?zurück,? was ich\b",
        "fr": r"\b(?:oublie|ignore)[rz]?\b ce que j[’'](?:ai|avais) dit (?:sur|à propos d[eu]s?|au sujet d[eu]s?)|\bje retire ce que j[’']ai dit (?:sur|à propos d[eu]s?)",
        "es": r"\b(?:olvida|ignora)\b lo que (?:te )?(?:dije|he dicho|había dicho) (?:sobre|acerca de|de)\b|\bretiro lo que dije (?:sobre|de)\b",
        "ja": r"(?:について|に関して)(?:前に|以前)?(?:言った|お願いした|伝えた|話した)(?:こと|件|の)は(?:もう)?(?:忘れて|無視して|なかったこと|取り消)",
        "zh": r"(?:忘掉|忘了|忽略|收回)(?:我)?(?:之前|刚才|以前)?(?:说|讲|提)过?的?(?:关于|有关)?|(?:我)(?:收回)",
    }
)  # fmt: skip
"""What the user said about something is taken back."""

LIFTED = ByLanguage(
    {
        "en": r"\b(?:do|does|did) ?(?:n['’]t|not) (?:need|have|bother)(?: to| with)?\b(?=.*\b(?:any ?more|any ?longer|from now on|in (?:the )?future)\b)|\bneed ?(?:n['’]t|not)\b(?=.*\b(?:any ?more|any ?longer)\b)"
        r"|\bno (?:more )?need (?:to|for)\b(?=.*\b(?:any ?more|any ?longer|from now on)\b)|\bno longer (?:has|have|need) to\b|\bno longer (?:have|need) to be\b|\b(?:is|are) no longer (?:needed|necessary|required|mandatory|obligatory|compulsory)\b"
        r"|\b(?:is|are)(?: not|n['’]t) (?:needed|necessary|required|mandatory|obligatory|compulsory) any ?(?:more|longer)\b|\b(?:is|are)(?: now)? optional (?:now|from now on)\b|\b(?:is|are) now optional\b"
        r"|\bwe(?:['’]re| are)? (?:do not|don['’]t|not)\b(?=.*\bany ?(?:more|longer)\b)|\bwe no longer\b|\bwe(?:['’]ve| have) stopped\b|\bwe(?:['’]ve| have)? (?:gave|given) up on\b|\bwe(?:['’]ve| have)? ditched\b",
        "de": r"\b(?:musst|müssen|müsst|muss|brauchst|brauchen|braucht)\b(?=.*\b(?:nicht|keine?n?) mehr\b)|\b(?:ist|sind) (?:ab (?:jetzt|sofort) )?nicht mehr (?:nötig|notwendig|erforderlich|pflicht|vorgeschrieben)\b"
        r"|\bwir\b(?=.*\b(?:nicht|keine?n?) mehr\b)|\b(?:nutzen|verwenden|benutzen|machen) wir\b(?=.*\b(?:nicht|keine?n?) mehr\b)",
        "fr": r"\b(?:n[’']as|n[’']avons|n[’']a|n[’']avez|n[’']ont) plus (?:besoin|à)\b|\bplus besoin d[e’']|\bn[’']est plus (?:nécessaire|obligatoire|requise?)\b|\bne sont plus (?:nécessaires|obligatoires|requise?s)\b|\bil ne faut plus\b(?= forcément)|\b(?:on|nous) n[’'e]\s?\w+ plus\b",
        "es": r"\bya no (?:hace falta|es necesario|es obligatorio|son necesari[oa]s|son obligatori[oa]s|tienes que|tenemos que|hay que|necesitas|necesitamos|debes)\b(?: que)?|\bya no (?:usamos|utilizamos|hacemos|escribimos|\w+mos)\b",
        "ja": r"(?:する|取る|書く|実行する|更新する|使う|聞く)?(?:必要(?:は|が)(?:もう)?(?:ありません|ない|なくなりました|なくなった))|もう(?:不要|必要ありません|必要ない|いりません|要りません|いらない)|(?:し|ら|か)?なくて(?:も)?(?:よく|良く|いい|良い|構い|かまい)|もう(?:使って(?:い)?ません|使いません|使っていない)",
        "zh": r"(?:不用|不必|不需要|无需)再|不再(?:需要|要求|使用|必须|用)|(?:不用|不必|不需要|无需)(?=.*了)",
    }
)  # fmt: skip
"""A duty ends: what the rule demands is no longer demanded."""

STOPPED = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|please|and|also|now|so|from now on)\b\W*)*(?:(?:stop|quit) (?=\w+ing\b)|(?:do not|don['’]t)(?: bother)? (?=.*\bany ?(?:more|longer)\b)|no more\b)",
        "de": r"^\W*(?:(?:ok|okay|bitte|und|auch)\b\W*)*(?:hör(?:e|t)? (?:bitte )?auf\b|(?:mache?|schreibe?|führe?|frage?|nutze?|verwende)\b(?=[^,]*\b(?:nicht|keine?n?) mehr\b))",
        "fr": r"^\W*(?:(?:ok|et|stp|s[’']il te plaît)\b\W*)*(?:arrête[rz]? d(?:e\b|[’'])|ne \w+ plus\b)",
        "es": r"^\W*(?:(?:ok|y|por favor)\b\W*)*(?:deja de\b|no \w+ más\b)",
        "ja": r"(?:の|こと)は(?:もう|今後)?やめて(?:ください|くれ|ほしい|いい)?|を?やめ(?:ましょう|てください)",
        "zh": r"^(?:请|以后)*(?:别再|不要再|停止)",
    }
)  # fmt: skip
"""An order to stop what a rule demands."""

_FINE_EN = r"(?:fine|ok(?:ay)?|allowed|permitted|acceptable|welcome)"
_LASTING_EN = r"\b(?:again|from now on|any ?time)\W*$"

ALLOWED = ByLanguage(
    {
        "en": rf"\b(?:we|you|i) (?:can|may|are allowed to)\b(?=.*{_LASTING_EN})|\bfeel free to\b(?=.*{_LASTING_EN})|\b(?:we|you) (?:can|may|are allowed to)\b(?=(?:(?!\b(?:the|this|that|these|those|it|them|my|your)\b).)*\bnow\W*$)"
        rf"|\b(?:is|are) (?:(?:now|again) )?{_FINE_EN}(?: again| from now on)+\W*$|\b(?:is|are) (?:now|again) {_FINE_EN}\b|\b(?:is|are) {_FINE_EN}\b(?=.*\b(?:now|again|from now on)\W*$)"
        rf"|\bit(?:['’]s| is) (?:now |again )?{_FINE_EN} to\b(?=.*{_LASTING_EN})",
        "de": r"\b(?:dürfen|darfst|darf|dürft|können|kannst|könnt)\b(?=.*\b(?:wieder|ab (?:jetzt|sofort)|künftig|in zukunft)\b)|\b(?:ist|sind)\b(?=.*\b(?:wieder|ab (?:jetzt|sofort)|jetzt)\b.{0,16}\b(?:erlaubt|okay|ok|in ordnung|zulässig|gestattet)\b)",
        "fr": r"\b(?:peux|peut|pouvons|pouvez)\b(?=.*\b(?:de nouveau|à nouveau|désormais|maintenant)\b)|\b(?:est|sont)\b(?=.{0,8}\b(?:de nouveau|à nouveau|désormais|maintenant)\b.{0,12}\b(?:autorisée?s?|permise?s?|ok|acceptée?s?)\b)",
        "es": r"\b(?:podemos|puedes|puede|podéis) (?:volver a\b|(?=.*\b(?:de nuevo|otra vez|a partir de ahora|desde ahora)\b))|\b(?:vuelven?) a estar (?:permitid[oa]s?|autorizad[oa]s?)|\b(?:está|están)\b(?=.{0,12}\b(?:de nuevo|otra vez|ahora)\b.{0,12}\bpermitid)",
        "ja": r"(?:また|今後は?|これからは?)(?=.*(?:ても?(?:いい|良い|よい|構い|かまい)|可能|許可|大丈夫|OK))|(?=.*(?:また|再び).*(?:ても?(?:いい|良い|よい|構い|かまい)))(?:ても?(?:いい|良い|よい|構い|かまい))|再び(?:許可|使え)",
        "zh": r"(?:又|重新|再次)(?:可以|能|允许)|(?:以后|现在|今后)(?:又)?(?:可以|允许)(?:再)?",
    }
)  # fmt: skip
"""A ban ends: what the rule forbids may be done."""

_OLD, _NEW = r"(?P<old>[^,.;:!?]{1,50}?)", r"(?P<new>[^,;:!?]{1,60}?)"
_OLD_1, _NEW_1 = r"(?P<old1>[^,.;:!?]{1,40}?)", r"(?P<new1>[^,;:!?]{1,60}?)"
_OLD_2, _NEW_2 = r"(?P<old2>[^,.;:!?]{1,40}?)", r"(?P<new2>[^,;:!?]{1,60}?)"
_OLD_3, _NEW_3 = r"(?P<old3>[^,.;:!?]{1,40}?)", r"(?P<new3>[^,;:!?]{1,60}?)"
_TO_EN = r"(?= (?:for|in|on|when|because|since|everywhere|now|here|from now on|completely)\b|[\s]*[,.;!—–-]|\s*$)"

REPLACES = ByLanguage(
    {
        "en": rf"\b(?:we|i)(?:['’]ve| have| are|['’]re)?(?: now| just| finally)? (?:switched|moved|migrated|changed|gone|went|switching|moving|migrating)\b[^,.;:]{{0,40}}? from {_OLD} to {_NEW}{_TO_EN}"
        rf"|\b(?:we|i)(?:['’]ve| have)?(?: now| just)? replaced {_OLD_1} (?:with|by) {_NEW_1}{_TO_EN}"
        rf"|\b(?:use|using|prefer|take|go with|want) {_NEW_2} (?:instead of|rather than|in place of) {_OLD_2}{_TO_EN}"
        rf"|^\W*(?:(?:no|nope|ok|actually)\b\W*)*(?P<new4>[^\s,;:!?]+) instead of (?P<old4>[^\s,;:!?]+)(?= from now on| now\b)|^\W*{_OLD_3} (?:is|are) out(?:[,;]| and) {_NEW_3}(?: is in| are in)?(?=,? from now on|\W*$)",
        "de": rf"\b(?:wir|ich) (?:sind|bin|haben|habe)\b[^,.;:]{{0,20}}? von {_OLD} (?:auf|zu) {_NEW} (?:umgestiegen|gewechselt|umgestellt|migriert)\b"
        rf"|\b(?:wir haben|ich habe) {_OLD_1} durch {_NEW_1} ersetzt\b"
        rf"|\b(?:nutze?n?|verwenden?|benutzen?|nimm|nehmen)(?: wir| bitte| ab jetzt| künftig)* {_NEW_2} (?:statt|anstatt|anstelle von|an stelle von) {_OLD_2}(?= (?:für|in|bei)\b|\W*$|,)"
        rf"|^\W*{_OLD_3} (?:ist|sind) raus[,;]?(?: und)?(?: ab jetzt| ab sofort| jetzt)? {_NEW_3}(?= ab jetzt|\W*$)",
        "fr": rf"\b(?:on est|nous sommes|je suis|on a) (?:maintenant |désormais )?(?:passée?s?|migrée?s?|migré) (?:de |d[’'])?{_OLD} (?:à|vers|sur) {_NEW}(?=\W*$|,| pour\b)"
        rf"|\b(?:on a|nous avons|j[’']ai) remplacé {_OLD_1} par {_NEW_1}(?=\W*$|,| pour\b)"
        rf"|\b(?:utilise[rz]?|utilisons|prends|préfère)(?: désormais| maintenant| plutôt)* {_NEW_2} (?:au lieu d[e’']|à la place d[e’']|plutôt que) ?{_OLD_2}(?= pour\b|\W*$|,)"
        rf"|^\W*{_OLD_3}[,]? c[’']est fini[,;]? {_NEW_3}(?= désormais|\W*$)",
        "es": rf"\b(?:hemos|he|nos) (?:pasado|cambiado|migrado|pasamos|cambiamos) de {_OLD} a {_NEW}(?=\W*$|,| para\b)"
        rf"|\b(?:hemos reemplazado|hemos sustituido|reemplazamos|sustituimos) {_OLD_1} (?:por|con) {_NEW_1}(?=\W*$|,| para\b)"
        rf"|\b(?:usa|utiliza|usamos|usar|prefiere)(?: ahora)? {_NEW_2} (?:en lugar de|en vez de) {_OLD_2}(?= para\b|\W*$|,)"
        rf"|^\W*{_OLD_3} (?:queda|está) fuera[,;]? {_NEW_3}(?= a partir|\W*$)",
        "ja": r"(?P<old>[\w.+@/`-]{1,30}?)から(?P<new>[\w.+@/`-]{1,30}?)(?:に|へ)(?:移行|切り替え|変更|乗り換え)(?:しました|した|ました)"
        r"|(?:今後は?|これからは?|以後は?|もう|今は)?(?P<old2>[\w.+@/`-]{1,30}?)(?:の代わりに|ではなく(?:て)?|じゃなく(?:て)?|をやめて)[、]?(?P<new2>[\w.+@/`-]{1,30}?)(?:を使|を利用|にして|で(?:お願い|いき))",
        "zh": r"(?:从|由)(?P<old>[^，。；从]{1,20}?)(?:换成|切换到|迁移到|改成|改用|改为|换到)了?(?P<new>[^，。；了]{1,20})"
        r"|用(?P<new2>[^，。；用]{1,20}?)(?:代替|取代|替代|替换)(?P<old2>[^，。；了]{1,20})|(?:不用|不再用)(?P<old3>[^，。；了]{1,20}?)了?[，,](?:而?是?)?(?:改用|用|换成)(?P<new3>[^，。；了]{1,20})",
    }
)  # fmt: skip
"""Something takes the place of what a rule demands: `old…` and `new…` name both."""

SWITCHED = ByLanguage(
    {
        "en": r"\b(?:we|i)(?:['’]ve| have| are|['’]re)?(?: now| just| finally)? (?:switched|moved|migrated|changed|gone|went|switching|moving|migrating|replaced|use|prefer)\b|\bis out\b|\bare out\b|\bnow\b|\bfrom now on\b|^\W*no\b|\bany ?more\b",
        "de": r"\b(?:umgestiegen|gewechselt|umgestellt|migriert|ersetzt)\b|\braus\b|\b(?:ab (?:jetzt|sofort)|jetzt|künftig|nun)\b|^\W*nein\b|\bwir (?:nutzen|verwenden)\b",
        "fr": r"\b(?:passée?s?|migrée?s?|remplacé)\b|\b(?:désormais|maintenant|dorénavant)\b|c[’']est fini|^\W*non\b",
        "es": r"\b(?:pasado|cambiado|migrado|pasamos|cambiamos|reemplaza\w*|sustitui\w*)\b|\b(?:ahora|a partir de|desde ahora)\b|^\W*no\b|\bfuera\b",
        "ja": r"移行|切り替え|乗り換え|変更|今後|これから|以後|もう|今は",
        "zh": r"已经|换成|切换|迁移|以后|今后|现在|从今|改用|不再",
    }
)  # fmt: skip
"""What replaces does so from now on: `use vitest instead of jest here` is a task."""

SUPPOSES = ByLanguage(
    {
        "en": r"^\W*(?:(?:and|but|so|what happens)\b\W*)*(?:if|when|once|should|suppose|imagine|assuming|why|how|what|translate|write|say|print)\b|\b(?:maybe|perhaps|might|would|could|probably|unless|until|next (?:week|month|year)|someday|one day|soon|eventually|i (?:wonder|wish|hope|guess)|they|he|she|says?|wrote|the (?:docs?|readme|article|customer|user|text))\b",
        "de": r"^\W*(?:(?:und|aber|was passiert)\b\W*)*(?:wenn|falls|sobald|angenommen|warum|wieso|wie|übersetze?|schreib)\b|\b(?:vielleicht|eventuell|womöglich|wahrscheinlich|würden?|könnten?|wäre|hätten?|nächste (?:woche|monat)|bald|irgendwann|ob)\b",
        "fr": r"^\W*(?:(?:et|mais)\b\W*)*(?:si|quand|lorsque|pourquoi|comment|traduis|écris)\b|\b(?:peut-être|sans doute|probablement|pourrait|pourrions|serait|bientôt|un jour|le mois prochain)\b",
        "es": r"^\W*(?:(?:y|pero)\b\W*)*(?:si|cuando|por qué|cómo|traduce|escribe)\b|\b(?:quizás?|tal vez|probablemente|podría\w*|sería|pronto|algún día|el mes que viene)\b",
        "ja": r"もし|たら|れば(?!なりません)|なら(?!な)|かも|でしょう|と思|翻訳|来月|来週|いつか",
        "zh": r"如果|要是|假如|也许|可能|或许|应该会|翻译|下个月|下周|将来",
    }
)  # fmt: skip
"""A supposition, a plan and the words of others end nothing."""

NO_SUBJECT = ByLanguage(
    {
        "en": r"\b(?:scrap(?:ped)?|drop(?:ped)?|forget|ignore[ds]?|remove[ds]?|delete the|abandon(?:ed)?|appl(?:y|ies)|get rid|rid|obsolete|cancel(?:led)?|retired?|limit|unnecessary|always|never|ever|use[ds]?|using|using|make|making|put|putting|write|writing|must|keep|any ?more|any ?longer|longer|again|now|from now on|needs?|needed|necessary|require[ds]?|bother|allowed|fine|okay|ok|free|feel|said|told|please"
        r"|rules?|polic(?:y|ies)|conventions?|requirements?|standards?|guidelines?|restrictions?|bans?|limits?|prohibitions?|against|about|every|each|directly|back|take|have|gone|us|me|let'?s|anything|want|lifted|history|ve|re)\b",
        "de": r"\b(?:immer|nie(?:mals)?|stets|verwenden?|benutzen?|nutzen?|mache?n?|schreiben?|müssen|musst|mehr|wieder|ab jetzt|ab sofort|künftig|nötig|notwendig|erlaubt|okay|gesagt|\w*regel\w*|vorgabe|konvention|pflicht|verbot|aufgehoben|jede[rmn]?|direkt|ausgeführt|ausführen|führe?|aus|auf|vor|habe?|werden|dürfen|hör|streich\w*|vergiss|ignorier\w*)\b",
        "fr": r"\b(?:toujours|jamais|utilise[rz]?|fai[st]|faire|mets|mettre|écri[st]|écrire|désormais|plus|nouveau|besoin|nécessaires?|autorisée?s?|permise?s?|dit|règles?|consigne|convention|interdiction|levée|chaque|directement|peut|arrête|oublie|jour|sont|as)\b",
        "es": r"\b(?:siempre|nunca|usa[rs]?|uses|haz|haga[sn]?|hacer|pon(?:gas|er)?|escrib\w+|ahora|partir|ya|falta|necesari[oa]s?|permitid[oa]s?|estar|vuelven?|volver|podemos|dije|regla|norma|prohibición|levanta|cada|directamente|deja|olvida|tienes|hace)\b",
        "ja": r"必ず|絶対に?|常に|今後は?|これからは?|また|もう|ください|使って|使わない|使い?|使う|使|必要|不要|ルール|規則|規約|禁止|廃止|解除|適用|言った|忘れて|忘れ|実行|直接|入れない|書いて|書かない|書|取って|取る|取|構いません|構|更新|超える|超|私|関して|要",
        "zh": r"必须|始终|永远|绝对|以后|今后|现在|每次|每个|使用|用|不再|不必|不用|需要|可以|取消|关于|规则|规定|适用|忘掉|说过|说|禁令|解除|直接|再|又|换成|已经|我们|运行|放|写|做|先|超过",
    }
)  # fmt: skip
"""Words of rules and of their endings that name no subject of theirs."""

TURNS = ByLanguage(
    {
        "en": r"(?P<flip>\bwithout\b)|(?P<aside>\b(?:before|after) (?:an?|any|each|every) \w+)|(?P<no>\b(?:never|not|do ?n['’o]t|does ?n['’o]t|no|avoid|stop|instead of|rather than|forbid\w*|must ?n['’o]t|against)\b)"
        r"|(?P<when>\b(?:before|after|when(?:ever)?|if|unless|while|until|once|except)\b)|(?P<on>\bbut\b)",
        "de": r"(?P<flip>\bohne\b)|(?P<aside>\b(?:vor|nach|bei) (?:jede[rm]|dem|der|eine[rm]) \w+)|(?P<no>\b(?:statt|anstatt|vermeide)\b)|(?P<when>\b(?:bevor|wenn|falls|sobald|während|bis)\b)|(?P<on>\bsondern\b)",
        "fr": r"(?P<flip>\bsans\b)|(?P<aside>\b(?:avant|après) (?:une?|chaque|la|le) \w+)|(?P<no>\b(?:ne|jamais|pas|au lieu de|plutôt que|évite|interdit)\b|\bn[’'])|(?P<when>\b(?:avant|après|quand|lorsque|si|sauf)\b)|(?P<on>\bmais\b)",
        "es": r"(?P<flip>\bsin\b)|(?P<aside>\b(?:antes|después) de (?:una?|cada|la|el) \w+)|(?P<no>\b(?:nunca|jamás|no|en lugar de|en vez de|evita|prohibido)\b)|(?P<when>\b(?:antes de|después de|cuando|si|salvo|al)\b)|(?P<on>\bsino\b)",
    },
    without=dict.fromkeys(("ja", "zh"), "the predicate comes last or the clause says it: FORBIDS"),
)  # fmt: skip
"""Where a clause turns from what it demands to what it forbids, or to when it holds."""

FORBIDS = ByLanguage(
    {
        "de": r"\b(?:nie|niemals|nicht|keine?[nmrs]?|verboten|untersagt)\b",
        "ja": r"ない(?:で|こと|ように)|禁止|厳禁|べからず|せず|なりません|だめ|不可",
        "zh": r"不要|别|不许|不准|禁止|严禁|不得|不能|切勿|不可",
    },
    without=dict.fromkeys(("en", "fr", "es"), "the words say where they begin: TURNS"),
)
"""A clause that forbids as a whole: its verb comes before the word that forbids."""

CONDITION = ByLanguage(
    {
        "ja": r"^.*?(?:前に(?:は)?|後に(?:は)?|場合(?:は|に)?|とき(?:は|に)?|際(?:は|に)?)",
        "zh": r"^.*?(?:之前|之后|以前|前|时候?|后)",
    },
    without=dict.fromkeys(("en", "de", "fr", "es"), "the words say where they begin: TURNS"),
)
"""The part of a clause that says when it holds."""

NO_LONGER = ByLanguage(
    {
        "en": r"\bno longer\b|\bany ?(?:more|longer)\b",
        "de": r"\b(?:nicht|keine?[nmrs]?)\b(?=[^,;]*\bmehr\b)|\bmehr\b",
        "fr": r"\b(?:ne|n[’']en)\b(?=[^,;]*\bplus\b)|\bn[’'](?=[^,;]*\bplus\b)|\bplus\b",
        "es": r"\bya no\b|\bno\b(?=[^,;]*\bmás\b)|\bmás\b",
        "ja": r"もう|(?:し|ら|か)?なくて",
        "zh": r"不再|(?:不用|不必|不需要|无需|不要|别)再?",
    }
)
"""Words of an ending that forbid nothing themselves."""

CHOOSES = ByLanguage(
    {
        "en": r"\b(?:use|using|prefer|stick to|go with|with)\b",
        "de": r"\b(?:verwende\w*|benutze\w*|nutze\w*|nimm|nehmen|bevorzuge\w*|mit)\b",
        "fr": r"\b(?:utilise\w*|emploie\w*|préfère\w*|prends|avec)\b",
        "es": r"\b(?:usa\w*|utiliza\w*|prefiere\w*|emplea\w*|con)\b",
        "ja": r"を?使|を?利用|で統一",
        "zh": r"使用|采用|用",
    }
)
"""A rule that chooses one thing among several: only such a rule is replaced with the thing."""

DENIAL = ByLanguage(
    {
        "en": r"^\W*(?:(?:no|nope|nah|wait|sorry|actually)\b[\s,.:!–—-]*)+",
        "de": r"^\W*(?:(?:nein|nee|halt|moment)\b[\s,.:!–—-]*)+",
        "fr": r"^\W*(?:(?:non|attends|pardon)\b[\s,.:!–—-]*)+",
        "es": r"^\W*(?:(?:no,|espera|perdón)[\s,.:!–—-]*)+",
        "ja": r"^(?:(?:いや|いいえ|やっぱり?)[、,\s]*)+",
        "zh": r"^(?:(?:不|不对|等等)[，,、\s]+)+",
    }
)
"""The denial before what holds instead."""
