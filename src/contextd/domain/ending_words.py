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
        rf"|\b{_RULE_EN}\b[^,;:]{{0,60}}?\b(?:(?:is|are) no longer|(?:is|are)(?: not|n['’]t)(?=.*\bany ?(?:more|longer)\b)) (?:needed|necessary|required|valid|in force)"
        rf"|\b(?:no more|there is no|there['’]s no|(?:do not|don['’]t) (?:have|need|want|follow|keep) (?:the|that|this|our|a)) [^,.;:]{{0,60}}?\b{_RULE_EN}\b(?=.*\bany ?(?:more|longer)\b)",
        "de": r"(?:\b(?:streiche?|vergiss(?! nicht)|ignoriere?|lösche?|entferne|hebe?|verwirf|kippe?|lass)\b[^,.;:]{0,40}?\b(?:regel|vorgabe|konvention|pflicht|verbot|vorschrift)\w*"
        r"|\b\w*(?:regel|vorgabe|konvention|pflicht|verbot|vorschrift)\b(?:[^,;:]{0,80}?|,[^,;:]{0,80},[^,;:]{0,20}?)\b(?:gilt (?:ab (?:jetzt|sofort) )?nicht mehr|(?:ist|sind|wird|entfällt) (?:ab (?:jetzt|sofort) )?(?:aufgehoben|gestrichen|hinfällig|weg|vom tisch|erledigt|abgeschafft|überholt)|entfällt))",
        "fr": r"(?:\b(?:oublie(?! pas)|ignore|supprime|abandonne|enlève|retire|laisse tomber|annule|lève)[rz]?\b[^,.;:]{0,30}?\b(?:règles?|consigne|convention|interdiction|obligation|exigence)"
        r"|\b(?:règle|consigne|convention|interdiction|obligation|exigence)\b[^,;:]{0,80}?\b(?:(?:ne s[’']applique|n[’']est|ne vaut) plus(?: valable| en vigueur)?|(?:est|a été) (?:levée|supprimée|abandonnée|caduque|annulée|obsolète)))",
        "es": r"(?:(?<!no )\b(?:olvida|ignora|quita|elimina|borra|descarta|abandona|cancela|se levanta|levanta)(?:mos)?\b[^,.;:]{0,30}?\b(?:regla|norma|convención|prohibición|obligación|requisito|restricción)"
        r"|\b(?:regla|norma|convención|prohibición|obligación|requisito|restricción)\b[^,;:]{0,80}?\b(?:ya no (?:aplica|vale|rige|se aplica|es válid[oa])|(?:queda|está|fue|ha sido) (?:sin efecto|eliminad[oa]|levantad[oa]|obsolet[oa]|anulad[oa]|descartad[oa])))",
        "ja": r"(?:ルール|規則|規約|決まり|方針|禁止|制限|制約)(?:は|を|も|については)?(?:もう|今後)?(?:、)?(?:廃止|撤廃|撤回|解除|取り消|なくし|なくな(?:り|っ)|やめ|忘れ|無視|不要|適用され(?:ません|ない)|当てはまりません|なし(?:です|に))",
        "zh": r"(?:取消|废除|去掉|忘掉|忽略|撤销|删除|解除|作废)[^，。；]{0,24}?(?:规则|规定|约定|规范|要求|禁令|限制)|(?:规则|规定|约定|规范|要求|禁令|限制)(?:已经|现在|就)?(?:不再适用|不适用了|作废|取消了?|废除|解除了?|失效|没有了|不算数)",
    }
)  # fmt: skip
"""A rule is named as one, and ended."""

SAID = ByLanguage(
    {
        "en": r"(?<!don't )(?<!don’t )(?<!do not )(?<!never )\b(?:forget|ignore|disregard|scratch|never ?mind|i take back|take back)\s+(?:about )?(?:(?:everything |all )?(?:what|that) i (?:said|told you|wrote|asked)(?: you)?(?: earlier| before)?(?: about| on| regarding| concerning)?|my (?:\w+ )?(?:instructions?|requests?|demands?|orders?|wish) (?:to|about|on|that|for|regarding))\b"
        r"|\bwhat i (?:said|told you|wrote)(?: earlier| before)?\b(?=[^,;:]{0,80}\b(?:no longer (?:applies|holds|counts)|does ?n['’o]t (?:apply|hold|count) any ?(?:more|longer)))|\bi(?:['’]ve| have)? changed my mind (?:about|on)\b",
        "de": r"\b(?:vergiss|ignoriere?|streiche?)\b,? (?:alles, )?(?:was ich (?:dir )?(?:vorhin |früher )?(?:über|zu[mr]?|wegen|von)|meine (?:\w+ )?(?:anweisung|anforderung|bitte|ansage))\b|\bich nehme (?:das )?zurück,? was ich\b",
        "fr": r"\b(?:oublie|ignore)[rz]?\b (?:ce que j[’'](?:ai|avais) dit (?:sur|à propos d[eu]s?|au sujet d[eu]s?)|ma (?:\w+ )?(?:demande|instruction)\b(?: d[e’'])?)|\bje retire ce que j[’']ai dit (?:sur|à propos d[eu]s?)",
        "es": r"\b(?:olvida|ignora)\b (?:lo que (?:te )?(?:dije|he dicho|había dicho) (?:sobre|acerca de|de)|mi (?:\w+ )?(?:instrucción|petición|orden)(?: de| sobre)?)\b|\bretiro lo que dije (?:sobre|de)\b",
        "ja": r"(?:について|に関して)(?:前に|以前)?(?:言った|お願いした|伝えた|話した)(?:こと|件|の)は(?:もう)?(?:忘れて|無視して|なかったこと|取り消)|(?:という|との|って)(?:話|指示|お願い|件|約束)は(?:もう)?(?:忘れて|無視して|なかったこと|なし(?:で|に)|取り消)",
        "zh": r"(?:忘掉|忘了|忽略|收回|无视|别管)(?:我)?(?:之前|刚才|以前|上次)?(?:说|讲|提|要求|让你|叫你)过?的?(?:关于|有关)?|(?:我)(?:收回)",
    }
)  # fmt: skip
"""What the user said about something is taken back."""

LIFTED = ByLanguage(
    {
        "en": r"\b(?:do|does|did) ?(?:n['’]t|not) (?:need|have|bother)(?: to| with)?\b(?=.*\b(?:any ?more|any ?longer|from now on|in (?:the )?future)\b)|\bneed ?(?:n['’]t|not)\b(?=.*\b(?:any ?more|any ?longer)\b)"
        r"|\bno (?:more )?need (?:to|for)\b(?=.*\b(?:any ?more|any ?longer|from now on)\b)|\bno longer (?:has|have|need) to\b|\bno longer (?:have|need) to be\b|\b(?:is|are) no longer (?:needed|necessary|required|mandatory|obligatory|compulsory)\b"
        r"|\b(?:is|are)(?: not|n['’]t) (?:needed|necessary|required|mandatory|obligatory|compulsory|used|a must)\b(?=[^,;]*\bany ?(?:more|longer)\b)|\b(?:is|are) no longer (?:used|enforced|expected|demanded|a must)\b|\b(?:is|are)(?: now)? optional (?:now|from now on)\b|\b(?:is|are) now optional\b"
        r"|\bwe(?:['’]re| are)? (?:do not|don['’]t|not)\b(?=.*\bany ?(?:more|longer)\b)|\bwe no longer\b|\bi no longer (?:want|need)\b|\bi (?:do not|don['’]t) (?:want|need)\b(?=.*\bany ?(?:more|longer)\b)|\bwe(?:['’]ve| have) stopped\b|\bwe stopped (?=\w+ing\b)|\bwe(?:['’]ve| have)? (?:gave|given) up on\b|\bwe(?:['’]ve| have)? ditched\b",
        "de": r"\b(?:musst|müssen|müsst|muss|brauchst|brauchen|braucht)\b(?=[^,;]*\b(?:nicht|keine?[nmrs]?)\b[^,;]{0,50}\bmehr\b)|\b(?:musst|müssen|müsst|muss|brauchst|brauchen|braucht)\b(?=.*\bnicht mehr\b)|\b(?:ist|sind) (?:ab (?:jetzt|sofort) )?nicht mehr (?:nötig|notwendig|erforderlich|pflicht|vorgeschrieben)\b"
        r"|\b(?:wird|werden)\b[^,;]{0,40}?\bnicht mehr (?:verwendet|genutzt|benutzt|benötigt|gebraucht|verlangt|gefordert)\b"
        r"|\bich (?:will|möchte|brauche)\b(?=[^,;]*\b(?:nicht|keine?[nmrs]?)\b[^,;]{0,50}\bmehr\b)|\bwir\b(?=.*\b(?:nicht|keine?n?) mehr\b)|\b(?:nutzen|verwenden|benutzen|machen) wir\b(?=.*\b(?:nicht|keine?n?) mehr\b)",
        "fr": r"\b(?:n[’']as|n[’']avons|n[’']a|n[’']avez|n[’']ont) plus (?:besoin|à)\b|\bpas besoin d[e’'](?=.*\b(?:désormais|à partir de maintenant)\b)|\bplus besoin d[e’']|\b(?:n[’']est|ce n[’']est) plus (?:nécessaire|obligatoire|requise?|utilisée?|exigée?|la peine)\b|\bne sont plus (?:nécessaires|obligatoires|requise?s|utilisée?s|exigée?s)\b|\bn[’']es plus obligée? d[e’']|\bje ne veux plus\b|\bne doi(?:s|t|vent) plus (?:forcément|obligatoirement|nécessairement)\b|\bne s[’']utilisent? plus\b|\bil ne faut plus\b(?= forcément)|\b(?:on|nous) n[’'e]\s?\w+ plus\b",
        "es": r"\bno (?:es necesario|hace falta|tienes que|hay que)\b(?: que)?(?=.*\ba partir de ahora\b)|\bya no (?:hace falta|es necesario|es obligatorio|son necesari[oa]s|son obligatori[oa]s|tienen? que|tienes que|tenemos que|hay que|(?:está|están) obligad[oa]s? a|se (?:usan?|utilizan?|exigen?|requieren?)|necesitas|necesitamos|quiero|debes)\b(?: que)?|\bya no (?:usamos|utilizamos|hacemos|escribimos|\w+mos)\b",
        "ja": r"(?:する|取る|書く|実行する|更新する|使う|聞く)?(?:必要(?:は|が)(?:もう)?(?:ありません|ない|なくなりました|なくなった))|もう(?:不要|必要ありません|必要ない|いりません|要りません|いらない)|(?:し|ら|か)?なくて(?:も)?(?:よく|良く|いい|良い|構い|かまい)|もう(?:使って(?:い)?ません|使いません|使っていない|(?:し|やり|行い)ません)|しないことに(?:し|なり)|不要(?:になり|となり|とし)",
        "zh": r"(?:不用|不必|不需要|无需|没必要)再|不再(?:需要|要求|使用|必须|用|强制)|可以不(?:用|必|再)|(?:不用|不必|不需要|无需)(?=.*了)",
    }
)  # fmt: skip
"""A duty ends: what the rule demands is no longer demanded."""

STOPPED = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|please|and|also|now|so|from now on)\b\W*)*(?:(?:stop|quit) (?=\w+ing\b)|(?:do not|don['’]t)(?: bother)? (?=.*\bany ?(?:more|longer)\b)|no more\b|no (?=[^,;:]{2,40}? any ?(?:more|longer)\s*[:,;—–]))",
        "de": r"^\W*(?:(?:ok|okay|bitte|und|auch)\b\W*)*(?:hör(?:e|t)? (?:bitte )?auf\b|(?:mache?|schreibe?|führe?|frage?|nutze?|verwende)\b(?=[^,]*\b(?:nicht|keine?[nmrs]?)\b[^,]{0,40}\bmehr\b)|nicht mehr (?=[\w -]{2,40}[:,;–])|keine?[nmrs]? (?=[^,;:]{2,40}? mehr\s*[,:;–]))",
        "fr": r"^\W*(?:(?:ok|et|stp|s[’']il te plaît)\b\W*)*(?:arrête[rz]? d(?:e\b|[’'])|n(?:e |[’'])\w+ plus\b(?! jamais))",
        "es": r"^\W*(?:(?:ok|y|por favor)\b\W*)*(?:deja de\b|no \w+ más\b)",
        "ja": r"(?:の|こと)は(?:もう|今後)?やめて(?:ください|くれ|ほしい|いい)?|を?やめ(?:ましょう|てください)",
        "zh": r"^(?:请|以后)*(?:别再|不要再|停止)",
    }
)  # fmt: skip
"""An order to stop what a rule demands."""

_FINE_EN = r"(?:fine|ok(?:ay)?|allowed|permitted|acceptable|welcome)"
_THEN_EN = r"(?=\W*$|\s*[,;—–]|\s+(?:because|since|so)\b)"
_LASTING_EN = rf"\b(?:again|from now on|any ?time){_THEN_EN}"

ALLOWED = ByLanguage(
    {
        "en": rf"\b(?:we|you|i) (?:can|may|are allowed to)\b(?=.*{_LASTING_EN})|\bfeel free to\b(?=.*{_LASTING_EN})|\b(?:we|you) (?:can|may|are allowed to)\b(?=(?:(?!\b(?:the|this|that|these|those|it|them|my|your)\b).)*\bnow\W*$)"
        rf"|\b(?:is|are) (?:(?:now|again) )?{_FINE_EN}(?: again| from now on)+{_THEN_EN}|\b(?:is|are) (?:now|again) {_FINE_EN}\b|\b(?:is|are) {_FINE_EN}\b(?=[^,;]*\b(?:now|again|from now on){_THEN_EN})"
        rf"|\bit(?:['’]s| is) (?:now |again )?{_FINE_EN} to\b(?=.*{_LASTING_EN})|\b(?:is|are) (?:no longer|not(?=[^,;]*\bany ?more\b)) (?:forbidden|banned|prohibited|off limits|taboo)\b"
        r"|^\W*(?:ok(?:ay)?\W+)?(?:from now on|henceforth|(?:going|moving) forward),? (?:(?:we|you|i) (?:can|may|are allowed to)|it(?:['’]s| is) (?:fine|ok(?:ay)?|allowed) to|feel free to)\b(?! (?:only|no|not)\b)",
        "de": r"\b(?:ab (?:jetzt|sofort)|künftig|in zukunft|wieder)\b[^,.;:]{0,40}?\b(?:dürfen|darfst|darf|dürft|können|kannst|könnt)\b(?! (?:\w+ ){0,3}(?:nur|nicht|kein\w*)\b)|\b(?:ist|sind)\b[^,;]{0,40}?\b(?:nicht mehr|nicht länger) (?:verboten|untersagt|tabu)\b|\b(?:ist|sind) (?:wieder |jetzt |ab jetzt )?(?:erlaubt|zulässig|gestattet|okay|ok|in ordnung) (?:ab (?:jetzt|sofort)|wieder)\b|\b(?:dürfen|darfst|darf|dürft|können|kannst|könnt)\b(?=.*\b(?:wieder|ab (?:jetzt|sofort)|künftig|in zukunft)\b)|\b(?:ist|sind)\b(?=.*\b(?:wieder|ab (?:jetzt|sofort)|jetzt)\b.{0,16}\b(?:erlaubt|okay|ok|in ordnung|zulässig|gestattet)\b)",
        "fr": r"\b(?:n[’']est|ne sont) plus interdite?s?\b|\b(?:as|avons|a|avez) (?:de nouveau |à nouveau |désormais |maintenant )le droit\b|\b(?:est|sont) (?:autorisée?s?|permise?s?|acceptée?s?) (?:de nouveau|à nouveau|désormais|maintenant)\b|\b(?:désormais|dorénavant|à partir de maintenant),? (?:tu|on|nous|vous) (?:peux|peut|pouvons|pouvez)\b|\b(?:peux|peut|pouvons|pouvez)\b(?=.*\b(?:de nouveau|à nouveau|désormais|maintenant)\b)|\b(?:est|sont)\b(?=.{0,8}\b(?:de nouveau|à nouveau|désormais|maintenant)\b.{0,12}\b(?:autorisée?s?|permise?s?|ok|acceptée?s?)\b)",
        "es": r"\bya no (?:está|están) prohibid[oa]s?\b|\b(?:está|están|queda|quedan) permitid[oa]s? (?:de nuevo|otra vez|a partir de ahora|desde ahora|ahora)\b|\b(?:a partir de ahora|desde ahora|de ahora en adelante),? (?:ya )?(?:se )?(?:puedes?|podemos|podéis|pueden)\b(?! (?:solo|sólo)\b)|\b(?:podemos|puedes|puede|podéis|pueden) (?:volver a\b|(?=.*\b(?:de nuevo|otra vez|a partir de ahora|desde ahora)\b))|\b(?:vuelven?) a estar (?:permitid[oa]s?|autorizad[oa]s?)|\b(?:está|están)\b(?=.{0,12}\b(?:de nuevo|otra vez|ahora)\b.{0,12}\bpermitid)",
        "ja": r"(?:また|今後は?|これからは?)(?=.*(?:ても?(?:いい|良い|よい|構い|かまい)|可能|許可|大丈夫|OK))|(?=.*(?:また|再び).*(?:ても?(?:いい|良い|よい|構い|かまい)))(?:ても?(?:いい|良い|よい|構い|かまい))|再び(?:許可|使え)|(?<!なく)ても(?:よく|良く)なりま?し?た|もう禁止(?:では|じゃ)(?:ない|ありません|なく)|(?:解禁|許可)(?:しました|します|されました|することにしました)",
        "zh": r"(?:又|重新|再次)(?:可以|能|允许)|(?:以后|现在|今后)(?:又|也)?(?:可以|允许)(?!不)(?:再)?|(?:以后|今后|从现在起|从现在开始)[^，。；？?]{0,24}?(?:也?可以|允许)(?!不)|不再(?:禁止|不许)|(?:已经|现在)不禁止了?",
    }
)  # fmt: skip
"""A ban ends: what the rule forbids may be done."""

STATES = ByLanguage(
    {
        "en": r"^\W*(?:(?:ok(?:ay)?|and|also|but|so)\b\W*)*(?:the|this|that|these|those|it|its|my|your|all|everything|they)\b[^,;:]*\b(?:is|are) (?:now |again )?(?:fine|ok(?:ay)?|acceptable|welcome)\b",
        "de": r"^\W*(?:ok\W+)?(?:diese[rs]?|es|der|alles)\b[^,;:]*\b(?:ist|sind) (?:jetzt |wieder )?(?:okay|ok|in ordnung)\b",
        "fr": r"^\W*(?:ok\W+)?(?:ce|cette|cet|ces|ça|c[’']|tout)\b[^,;:]*\b(?:est|sont) (?:maintenant |de nouveau )?ok\b",
        "es": r"^\W*(?:ok\W+)?(?:este|esta|estos|estas|esto|eso|todo)\b[^,;:]*\b(?:está|están) (?:ahora |otra vez )?(?:bien|ok)\b",
        "ja": r"^(?:これ(?!から)|それ|この|その)[^、。]*(?:大丈夫|OK)",
        "zh": r"^(?:这|那)[^，。]*可以了",
    }
)  # fmt: skip
"""How something at hand is: `the build is fine now` lifts no ban, `mocking it is fine now` does."""

SUPPOSES = ByLanguage(
    {
        "en": r"^\W*(?:(?:and|but|so|what happens)\b\W*)*(?:if|when|once|should|suppose|imagine|assuming|why|how|what|translate|write|say|print)\b|\b(?:maybe|perhaps|might|would|could|probably|unless|until|next (?:week|month|year)|someday|one day|soon|eventually|i (?:wonder|wish|hope|guess)|they(?! (?:always|must|now)\b)|he|she|says?|wrote|the (?:article|customer|user|text))\b|\b(?:mention|note|add|explain|document|state|say|write)\b[^,.;]{0,40}\bthat (?:we|i)\b",
        "de": r"^\W*(?:(?:und|aber|was passiert)\b\W*)*(?:wenn|falls|sobald|angenommen|warum|wieso|wie|übersetze?|schreib)\b|\b(?:vielleicht|eventuell|womöglich|wahrscheinlich|würden?|könnten?|wäre|hätten?|nächste (?:woche|monat)|bald|irgendwann|ob)\b|\b(?:erwähne?|ergänze?|notiere?|füge?)\b[^.;]{0,40}\bdass wir\b",
        "fr": r"^\W*(?:(?:et|mais)\b\W*)*(?:si|quand|lorsque|pourquoi|comment|traduis|écris)\b|\b(?:peut-être|sans doute|probablement|pourrait|pourrions|serait|bientôt|un jour|le mois prochain)\b|\b(?:mentionne|ajoute|note|précise)[rz]?\b[^,.;]{0,40}\bqu(?:e nous|[’']on)\b",
        "es": r"^\W*(?:(?:y|pero)\b\W*)*(?:si|cuando|por qué|cómo|traduce|escribe)\b|\b(?:quizás?|tal vez|probablemente|podría\w*|sería|pronto|algún día|el mes que viene)\b|\b(?:menciona|añade|anota|indica)\b[^,.;]{0,40}\bque (?:hemos|ya|ahora)\b",
        "ja": r"もし|たら|れば(?!なりません)|なら(?!な)|かも|でしょう|と思|翻訳|来月|来週|いつか|と(?:書いて|追記|記載|明記)",
        "zh": r"如果|要是|假如|也许|可能|或许|应该会|翻译|下个月|下周|将来|写上|注明|加一句",
    }
)  # fmt: skip
"""A supposition, a plan and the words of others end nothing."""

NO_SUBJECT = ByLanguage(
    {
        "en": r"\b(?:scrap(?:ped)?|drop(?:ped)?|forget|ignore[ds]?|remove[ds]?|delete the|abandon(?:ed)?|appl(?:y|ies)|get rid|rid|obsolete|cancel(?:led)?|retired?|limit|unnecessary|always|never|ever|use[ds]?|using|using|make|making|put|putting|write|writing|must|keep|any ?more|any ?longer|longer|again|now|from now on|needs?|needed|necessary|require[ds]?|bother|allowed|fine|okay|ok|free|feel|said|told|please"
        r"|rules?|polic(?:y|ies)|conventions?|requirements?|standards?|guidelines?|restrictions?|bans?|limits?|prohibitions?|against|about|every|each|directly|back|take|have|gone|us|me|let'?s|anything|want|lifted|history|instructions?|requests?|longer|earlier|whole|entire|full|ve|re)\b",
        "de": r"\b(?:immer|nie(?:mals)?|stets|verwenden?|benutzen?|nutzen?|mache?n?|schreiben?|müssen|musst|mehr|wieder|ab jetzt|ab sofort|künftig|nötig|notwendig|erlaubt|okay|gesagt|\w*regel\w*|vorgabe|konvention|pflicht|verbot|aufgehoben|jede[rmn]?|direkt|ausgeführt|ausführen|führe?|aus|auf|vor|habe?|werden|dürfen|hör|streich\w*|vergiss|ignorier\w*|anweisung|bitte|muss|brauchst|brauchen|verwendet|genutzt|gilt|künftige[nrs]?|darfst|ihre[nrms]?|seine[rms]?|ganze[nrms]?|statt|gestrichen|hinfällig|abgeschafft|erledigt|überholt|entfällt|tisch|entferne?|lösche|kippe?)\b",
        "fr": r"\b(?:toujours|jamais|utilise[rz]?|fai[st]|faire|mets|mettre|écri[st]|écrire|désormais|plus|nouveau|besoin|nécessaires?|autorisée?s?|permise?s?|dit|règles?|consigne|convention|interdiction|levée|chaque|directement|peut|peux|arrête|oublie|abandonn\w+|selon|laquelle|applique|valable|obligée?|utilisons|utilisée?s?|lieu|place|supprimée?|supprime|abandonnée|caduque|annulée?|obsolète|vaut|retire|enlève|veux|entière?s?|complet|jour|sont|as)\b",
        "es": r"\b(?:siempre|nunca|usa[rs]?|uses|haz|haga[sn]?|hacer|pon(?:gas|er)?|escrib\w+|ahora|partir|ya|falta|necesari[oa]s?|permitid[oa]s?|estar|vuelven?|volver|podemos|dije|regla|norma|prohibición|levanta|cada|directamente|deja|olvida|ignora|instrucción|tienes|tienen?|usamos|usan?|aplica|puedes|lugar|vez|vale|rige|queda|eliminad[oa]|quita|anulad[oa]|descartad[oa]|obsolet[oa]|efecto|quiero|enter[oa]s?|complet[oa]s?|hace)\b",
        "ja": r"必ず|絶対に?|常に|今後は?|これからは?|また|もう|ください|使って|使わない|使い?|使う|使|必要|不要|ルール|規則|規約|禁止|廃止|解除|適用|言った|忘れて|忘れ|実行|直接|入れない|書いて|書かない|書|取って|取る|取|構いません|構|更新|超える|超|私|関して|全体|全部|代わりに|大丈夫|解禁|許可|要",
        "zh": r"必须|始终|永远|绝对|以后|今后|现在|每次|每个|使用|用|不再|不必|不用|需要|可以|取消|关于|规则|规定|适用|忘掉|忽略|无视|要求|说过|说|禁令|解除|直接|再|又|换成|已经|我们|运行|整个|全部|放|写|做|先|超过",
    }
)  # fmt: skip
"""Words of rules and of their endings that name no subject of theirs."""

TURNS = ByLanguage(
    {
        "en": r"(?P<flip>\bwithout\b)|(?P<aside>\b(?:before|after) (?:an?|any|each|every) \w+)|(?P<no>\b(?:never|not|nor|do ?n['’o]t|does ?n['’o]t|no|avoid|stop|instead of|rather than|forbid\w*|must ?n['’o]t|against)\b)"
        r"|(?P<when>\b(?:before|after|when(?:ever)?|if|unless|while|until|once|except)\b)|(?P<on>\bbut\b)",
        "de": r"(?P<within>\bohne (?:(?:\w+ ){0,4}?zu \w+|(?:eine?[nrs]?|die|den|das|der) \w+|\w+))|(?P<aside>\b(?:vor|nach|bei) (?:jede[rm]|dem|der|eine[rm]) \w+)|(?P<no>\b(?:statt|anstatt|vermeide)\b)|(?P<when>\b(?:bevor|wenn|falls|sobald|während|bis)\b)|(?P<on>\bsondern\b)",
        "fr": r"(?P<flip>\bsans\b)|(?P<aside>\b(?:avant|après) (?:une?|chaque|la|le) \w+)|(?P<no>\b(?:ne|jamais|pas|au lieu de|plutôt que|évite|interdit)\b|\bn[’'])|(?P<when>\b(?:avant|après|quand|lorsque|si|sauf)\b)|(?P<on>\bmais\b)",
        "es": r"(?P<flip>\bsin\b)|(?P<aside>\b(?:antes|después) de (?:una?|cada|la|el) \w+)|(?P<no>\b(?:nunca|jamás|no|en lugar de|en vez de|evita|prohibido)\b)|(?P<when>\b(?:antes de|después de|cuando|si|salvo|al)\b)|(?P<on>\bsino\b)",
    },
    without=dict.fromkeys(("ja", "zh"), "the predicate comes last or the clause says it: FORBIDS"),
)  # fmt: skip
"""Where a clause turns from what it demands to what it forbids, or to when it holds."""

FORBIDS = ByLanguage(
    {
        "de": r"\b(?:nie|niemals|nicht|keine?[nmrs]?|verboten|untersagt)\b",
        "ja": r"ない(?:で|こと|ように)|しない(?=[。！!\s]*$)|禁止|厳禁|べからず|せず|なりません|だめ|不可",
        "zh": r"不要|别|不许|不准|禁止|严禁|不得|不能|切勿|不可",
    },
    without=dict.fromkeys(("en", "fr", "es"), "the words say where they begin: TURNS"),
)
"""A clause that forbids as a whole: its verb comes before the word that forbids."""

CONDITION = ByLanguage(
    {
        "ja": r"^.*?(?:前に(?:は)?|後に(?:は)?|場合(?:は|に)?|とき(?:は|に)?|際(?:は|に)?)",
        "zh": r"^.*?(?:之前|之后|以前|(?<![目当])前(?![端缀面])|(?<![耗计延超实定及临同暂])时(?!间|长|区|钟|序)候?|(?<!以)(?<!今)后(?![端台缀面]))",
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
        "de": r"\b(?:verwende[nt]?|benutze[nt]?|nutze[nt]?|nimm|nehmen|bevorzuge[nt]?|mit)\b",
        "fr": r"\b(?:utilis\w+|emploie\w*|préfère\w*|prends|avec)\b",
        "es": r"\b(?:usa\w*|utiliza\w*|prefiere\w*|emplea\w*|con)\b",
        "ja": r"を?使|を?利用|で統一|で(?:追加|書|管理|実行|行)",
        "zh": r"使用|采用|(?<![使采])用(?![户例途法])",
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
