"""How sentences in other languages than English show their sort in a session's ledger (ADR 62).

English has its patterns in `ledger_sorts.py`. A new language is one row in each table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contextd_common.text.languages import ByLanguage, languages_of

_ENGLISH = {"en": "ledger_sorts.py has the English patterns"}

_PREFERS = ByLanguage(
    {
        "de": r"\b(?:lieber|bevorzuge|am liebsten|mir w(?:ä|ae)re|sch(?:ö|oe)ner|besser w(?:ä|ae)re|ich mag|gef(?:ä|ae)llt mir)\b",
        "fr": r"\b(?:je pr[ée]f[èe](?:re|rerais)|j[’']aime(?:rais)? (?:mieux|bien)|plut[ôo]t (?!que)|de pr[ée]f[ée]rence|mieux vaut)\b",
        "es": r"\b(?:prefiero|preferir[íi]a|me gusta(?:r[íi]a)?|mejor (?:que|si|usar|con)|de preferencia)\b",
        "ja": r"(?:方|ほう)が(?:いい|良い|よい|好)|好み|望ましい|好きです",
        "zh": r"更喜欢|我喜欢|宁愿|最好(?:是|用|能)?|倾向于|偏好",
    },
    without=_ENGLISH,
)
_CORRECTS = ByLanguage(
    {
        "de": r"\b(?:nicht|kein\w*)\b.{2,80}\bsondern\b|\b(?:statt|und nicht|nicht) (?:der|die|das|den|dem|id|\w+)\W*$|\b(?:falsch(?:e[rsn]?)?|missverstanden|verwechselt|gemeint|meinte)\b|^\W*(?:wie gesagt|eigentlich)\b|\bdu hast (?:vergessen|\w+ (?:kaputt|\u00fcbersehen))|\bwieder (?:so |ein|zur(?:ü|ue)ck)|\bauf (?:die|den|das) alte",
        "fr": r"\b(?:pas|non)\b.{2,80}\bmais\b|\b(?:au lieu de|plut[ôo]t que|et non|pas) (?:le|la|l[’']|id|\w+)\W*$|\b(?:faux|fausse|erreur|mal compris|confondu)\b|^\W*(?:comme je l[’']ai dit|en fait|finalement)\b|\bremets\b|\brevenons\b",
        "es": r"\bno\b.{2,80}\bsino\b|\b(?:en vez de|en lugar de|y no) (?:el|la|los|id|\w+)\W*$|\b(?:incorrecto|equivocad[oa]|est[áa] mal|sigue mal|error m[íi]o)\b|^\W*(?:como dije|en realidad|al final)\b|\bdeber[íi]a (?:ser|llamarse)\b|\bno el\b.{2,40},\s*(?:el|la)\b",
        "ja": r"(?:では|じゃ)なく|違い?ま|違う|間違|誤り|べき|べきです|まだ違|正しくは|逆(?:です|に)",
        "zh": r"而不是|不是.+[，,]?(?:而)?是|应该(?:是|叫|用|按)|不对|错(?:了|的)|弄(?:错|反|坏)|理解错|应为",
    },
    without=_ENGLISH,
)
_CONSTRAINS = ByLanguage(
    {
        "de": r"\b(?:muss|m(?:ü|ue)ssen|darf|d(?:ü|ue)rfen|h(?:ö|oe)chstens|mindestens|maximal|nur (?:mit|bis|auf|in)|l(?:ä|ae)nger als|kompatibel|nicht erlaubt|verboten|deadline|budget|vorgeschrieben|erforderlich)\b",
        "fr": r"\b(?:doit|doivent|il faut|au (?:plus|moins)|maximum|minimum|compatible|interdit|obligatoire|requis|pas plus de|seulement (?:avec|sur|en)|budget|[ée]ch[ée]ance)\b",
        "es": r"\b(?:debe|deben|tiene que|tienen que|hay que|como (?:m[áa]ximo|mucho|m[íi]nimo)|al menos|m[áa]ximo|m[íi]nimo|compatible|prohibid[oa]|obligatori[oa]|requiere|solo (?:con|en)|presupuesto|plazo)\b",
        "ja": r"なければ|して(?:は)?いけ|以内|以上|以下|未満|まで(?:に|です)|必須|制限|互換|不可|上限|期限|予算|ならない",
        "zh": r"必须|不能|不得|不可|最多|至少|不超过|以内|以上|以下|兼容|限制|上限|截止|预算|只能",
    },
    without=_ENGLISH,
)
_USER_REFUSES = ByLanguage(
    {
        "de": r"^\W*(?:(?:bitte|aber|und|also|daf(?:ü|ue)r|nein|das ist \w+,?)\W+)*(?:kein\w*|ohne|nicht)\b|\blass\w*\b.*\bweg\b|\bspar dir\b|\b(?:vermeide|verzichte)\b|\bh(?:ö|oe)re? auf\b|^\W*(?:leg|nimm|mach|bau|geh|f(?:ü|ue)g|benutz|verwende?|nutze?|schreib)\w*\b.*\b(?:kein\w*|nicht)\b"
        r"|\b(?:will|wollen|m(?:ö|oe)chte|m(?:ö|oe)chten|brauche?n?|braucht|akzeptiere)\b.{0,60}\b(?:kein\w*|nicht)\b|\bhier (?:lieber )?nicht\b|\bbitte kein",
        "fr": r"^\W*(?:(?:stp|mais|et|non|c[’']est \w+)\W+)*(?:pas (?:de|d[’']|avec|besoin)|sans\b|ne \w+ pas|n[’']\w+ pas|[ée]vite)|\blaisse (?:tomber|\S+ \w+ de c[ôo]t[ée])|\barr[êe]te\b|\b(?:je|on|nous) (?:ne )?(?:veu[xt]|voulons|veux|accepter)\w* pas\b|\bje pr[ée]f[èe]re [ée]viter\b|\bn[’']accepte\w* pas\b|\bpas de\b",
        "es": r"^\W*(?:(?:por favor|pero|y|es \w+)\W+)*(?:no (?:\w+(?:as|es)|quiero|queremos|hace falta|vayas)|sin\b|nada de|evita|quita|s[áa]ltate|deja (?:ya|de))\b|\bno por favor\b|\bnada de\b|\bpor ah[íi] no\b|\bprefiero no\b|\bno voy a aceptar\b|\bno\W*$",
        "ja": r"(?:ない|作ら|使わ|入れ|経由し)ないで|しないで|ないでください|やめて|避けて|(?:は|が)?(?:不要|いら(?:ない|ず)|要ら?(?:ない|りません)|無し|なし)(?:です|で)?(?:お願い.*)?[。！!]*$|たくない|認めません|省いて|だめ[。]?$|なしで",
        "zh": r"^\W*(?:请|就|那里|这里|测试里的?.{0,8})?(?:不要|别|不想|不用|不需要|避免)|不要|别(?:用|做|再|走|写|搞|加)|(?:这里|这个)不需要|先?跳过|我?不接受|我不想|不想要",
    },
    without=_ENGLISH,
)
_ORDERS = ByLanguage(
    {
        "de": r"^\W*(?:(?:bitte|jetzt|ok|okay|dann|und|gut|danke|super|perfekt)\b\W*)*(?:kannst du|k(?:ö|oe)nntest du|f(?:ü|ue)ge?|erstelle?|schreibe?|mache?|zeige?|schaue?|[öo]ffne|lass|gib|erkl[äa]re?|finde|suche?|vergleiche?|benenne|kompilier\w*|repariere?|behebe?|fixe?|baue?|teste?|starte?|[üu]bersetze?|implementiere?|pr(?:ü|ue)fe?|weiter|leg\w*|sag|l(?:ö|oe)sche?|entferne|[äa]ndere?|aktualisiere)\b",
        "fr": r"^\W*(?:(?:stp|ok|maintenant|et|merci|parfait|alors|bien)\b\W*)*(?:(?:tu )?peux-?tu|tu peux|pourrais-tu|ajoute|cr[ée]e|[ée]cris|fais|montre|regarde|ouvre|lance|relance|explique|trouve|cherche|compare|renomme|compile|corrige|r[ée]pare|teste|d[ée]marre|traduis|impl[ée]mente|v[ée]rifie|continue|dis-moi|supprime|modifie|change|mets|enl[èe]ve)\b",
        "es": r"^\W*(?:(?:por favor|porfa|ok|ahora|y|gracias|perfecto|vale|bien)\b\W*)*(?:puedes|podr[íi]as|a[ñn]ade|agrega|crea|escribe|haz|mu[ée]stra(?:me)?|mira|abre|ejecuta|corre|explica|busca|encuentra|compara|renombra|comp[íi]la(?:lo)?|arregla|corrige|prueba|inicia|traduce|implementa|revisa|contin[úu]a|dime|av[íi]same|borra|elimina|cambia|actualiza|dame|pon|quita)\b",
        "ja": r"(?:して|追加して|直して|作って|書いて|見せて|教えて|実行して|確認して|説明して|変えて|探して|比較して|翻訳して|続けて|[いきぎしちにびみりけせてねべめれんっ][てで])(?:ください|下さい|もらえます?か|くれ(?:る|ます)?か?|ほしい(?:です)?|ね)?[。！!？?]*$",
        "zh": r"^\W*(?:(?:好|好的|那|现在|然后|再|接着|麻烦)[，,\s]*)*(?:请|帮|给|能|可以|加|写|改|把|看|打开|运行|跑|再跑|检查|解释|找|比较|翻译|创建|新建|实现|修复|总结|编译|继续|删|更新|测试)",
    },
    without=_ENGLISH,
)
_NEXT = ByLanguage(
    {
        "de": r"\b(?:als n(?:ä|ae)chstes|n(?:ä|ae)chste[rs]? schritte?|noch (?:offen|zu|ausstehend)|danach|sp(?:ä|ae)ter|steht (?:noch )?aus|todo|anschlie(?:ß|ss)end|verbleib\w*|fehlt noch)\b",
        "fr": r"\b(?:ensuite|prochaines? [ée]tapes?|reste [àa]|il reste|plus tard|[àa] faire|apr[èe]s (?:ça|cela)|pas encore)\b",
        "es": r"\b(?:despu[ée]s|siguientes? pasos?|pr[óo]ximos? pasos?|falta\w*|queda\w*|pendiente|m[áa]s adelante|por hacer|luego|a continuaci[óo]n)\b",
        "ja": r"次(?:は|に|の)|残り|今後の(?:作業|課題)|未(?:対応|実装|完了)|後で|あとで|TODO|これから(?:行|や)",
        "zh": r"接下来|下一步|待办|还需|剩下|之后再|以后再|尚未|未完成|后续",
    },
    without=_ENGLISH,
)
_DECIDES = ByLanguage(
    {
        "de": r"\b(?:ent(?:schieden|scheidung|schluss)|beschlossen|beschluss|geeinigt|(?:ü|ue)bereingekommen|abgesprochen|einverstanden|meine wahl|die wahl fiel|der plan ist|kompromiss|vorgezogen|war mir lieber|statt(?:dessen)?|anstatt|anstelle|zugunsten|entf(?:ä|ae)llt|wandert)\b"
        r"|\b(?:nehmen|w(?:ä|ae)hlen|machen|behalten|verwenden|nutzen|wechseln|speichern) wir\b|\bwir (?:nehmen|w(?:ä|ae)hlen|machen|behalten|bleiben|wechseln|setzen|lassen|speichern|gehen|verwenden|nutzen)\b|\bich (?:nehme|setze|w(?:ä|ae)hle|verwende|nutze|logge)\b"
        r"|\bhabe?n?\b.{2,90}\b(?:gew(?:ä|ae)hlt|genommen|ersetzt|umbenannt|verschoben|eingef(?:ü|ue)hrt|umgestellt|gelegt|gesetzt|begrenzt|behalten|(?:auf|ein)geteilt|zusammengelegt|ausgelagert|gemacht|festgelegt)\b"
        r"|\b(?:liegt|liegen|steht|sitzt|l(?:ä|ae)uft|enth(?:ä|ae)lt|nutzt|ist|sind|(?:ü|ue)bernimmt|verschickt|berechne|wird|werden|kommt) (?:\w+ )?(?:nun|jetzt|k(?:ü|ue)nftig)\b|\bdamit (?:\w+ ){1,10}|^\W*(?:also |ok |dann )*dann (?:machen wir|eben|halt)?\b|\bab diese[mr] (?:release|version)\b|\breicht (?:uns|hier)\b|\bdesign sieht\b|\b(?:l(?:ä|ae)uft|passiert) beim\b.{2,40}\bweil\b|^\W*also (?:dann|doch)\b",
        "fr": r"\b(?:d[ée]cid[ée]\w*|d[ée]cision|mon choix|mes choix|convenu|d[’']accord|s[’']est (?:mise? d[’']accord|entendue?)|compromis|plut[ôo]t qu[e’']|au lieu d[e’']|[àa] la place|en faveur de|afin (?:de|d[’']|que|qu[’'])|pour que|conception|le plan est)"
        r"|\b(?:j[’']ai|on a|nous avons)\b.{0,12}\b(?:choisi|opt[ée]|retenu|pr[ée]f[ée]r[ée]|pris|remplac[ée]|renomm[ée]|d[ée]plac[ée]|introduit|s[ée]par[ée]|fusionn[ée]|conserv[ée]|gard[ée]|fix[ée]|limit[ée]|rendu|mis|chang[ée]|supprim[ée]|fini par|adopt[ée])\b"
        r"|\b(?:on|nous) (?:prend|part sur|garde|reste|passe|fera|stockera|se contente|utilise|abandonne|choisissons|prenons|gardons|utilisons|s[’']abonne)\b|^\W*(?:prenons|partons|gardons)\b|\b(?:est|sont|utilise|contient|calcule|logge|g[ée]r[ée]s?|[ée]crit)\b.{0,12}\b(?:d[ée]sormais|maintenant)\b|\bdonc ce sera\b|^\W*alors on\b|\b[àa] partir de cette version\b|\bd[èe]s cette\b|\bpasse dans\b|\bseront? .{2,40} par\b|\btourne au\b.{2,30}\bcar\b",
        "es": r"\b(?:decid\w+|decisi[óo]n|eleg[íi]\w*|elecci[óo]n|opt[ée]\b|escog\w+|acord\w+|de acuerdo|acuerdo|prefer[íi]\w*|preferimos|compromiso|en (?:lugar|vez) de|a favor de|en favor de|para que|el plan es|el diseño|me (?:qued[ée]|decant[ée])|nos quedamos|seguimos (?:en|con)|vamos con|tomamos|terminé|entonces)\b"
        r"|\b(?:reemplac[ée]|sustitu[íi]|renombr[ée]|mov[íi]|introduje|divid[íi]|fusion[ée]|mantuve|limit[ée]|cambi[ée]|cambiamos|puse|hice|elimin[ée]|usé|us[ée])\b|\b(?:usaremos|guardaremos|haremos|usamos|enviar[áa]|elegimos|dejamos de)\b|\bahora (?!mismo\b)(?:\w+)|\bpasa(?:n)? (?:a|al)\b|\b(?:desde|a partir de) esta (?:versi[óo]n|release)\b|\bcorre al\b.{2,30}\bporque\b|\bnos basta\b",
        "ja": r"こと(?:に(?:し|する|な[っり]|決)|が決ま|で合意)|決定|決め(?:た|ました)|決まり?(?:った|ました)|採用(?:した|しま|する)|採り?ます|選[んびぶ択]|(?:案|方)(?:で(?:いき|行)|を選|に(?:した|します)|を(?:採|選))|方針(?:に|を|で)|計画です|設計では|の代わりに|置き換え|切り替え|移行(?:し|する)|(?:へ|に)移(?:した|す)|ように(?:した|しました|変更した)|にまとめ|統合した|導入した|残した|合意(?:した|しました|済)"
        r"|と(?:判断|した)[。]?$|(?:に|へ)変え(?:た|ました)|に留ま|(?:に|で)(?:しましょう|やりましょう|いきましょう|行こう)|(?:を|に)(?:置いた|変更した|分けた|置く)|にし(?:た|ます)[。]?$|にします[。]?$|から.{0,20}を使う[。]?$|ではkafkaで|^(?:では|じゃあ).{1,40}(?:で|に)(?:行こう|します)?[。]?$|を購読します|に制限し",
        "zh": r"决定|选(?:择了?|了|用|定|[A-Z]|MIT)|我选|改(?:为|成|由|用|放)|采用|换(?:成|到|为)|替换了?|合并了|拆(?:成|分)|移到|迁移到|统一放|就用|就这么|那就|代替|引入了|保留(?:成|单体|旧|着)|放(?:在|进|到)了|放弃对|折中|倾向|同意|商定|已?确定|最终|设计上|从这个版本|所以(?:选|用|合并|改)|而不是|去掉.{1,20}改|限制为|设为|(?:现在|改)(?:以|放|在|包含|统一)|方便|以便|先留在|计划是|最后(?:在|把|选)|不再.{1,20}改|好，那就|就存到|就这么定|逐.{1,3}迁移",
    },
    without=_ENGLISH,
)
_CAUSES = ByLanguage(
    {
        "de": r"\b(?:weil|ursache|grund|l(?:ie|a)gt? (?:an|daran)|wegen|verursacht|stammte? (?:von|aus)|kommt (?:von|daher)|kam (?:von|daher)|aufgrund|da (?:der|die|das|es|sie|wir)|denn)\b",
        "fr": r"\b(?:parce qu\w*|car|[àa] cause|la cause|en raison|(?:vient|venait|viennent) d\w*|d[ûu]e?s? [àa]|puisque?|la raison)\b",
        "es": r"\b(?:porque|la causa|debido|por culpa|se debe|(?:viene|ven[íi]a|vienen) de|ya que|la raz[óo]n|el motivo|causad[oa])\b",
        "ja": r"原因|ため(?:です|だ|に|、|。|$)|のせい|ので|理由|による(?:もの)?|からです|からだ",
        "zh": r"原因|因为|由于|导致|引起|造成|来自|因此|所以",
    },
    without=_ENGLISH,
)
_MEASURES = ByLanguage(
    {
        "de": r"\d[\d.,]*\s?(?:%|ms|s\b|kb|mb|gb|sekunden?|minuten?|stunden?|tage?|prozent|zeilen|dateien|anfragen|nutzer|eintr(?:ä|ae)ge|tests?|fehler|mal\b)",
        "fr": r"\d[\d.,]*\s?(?:%|ms|s\b|ko|mo|go|secondes?|minutes?|heures?|jours?|lignes|fichiers|requ[êe]tes|utilisateurs|entr[ée]es|tests?|erreurs?|fois\b)",
        "es": r"\d[\d.,]*\s?(?:%|ms|s\b|kb|mb|gb|segundos?|minutos?|horas?|d[íi]as?|l[íi]neas|archivos|peticiones|usuarios|entradas|tests?|errores?|veces\b)",
        "ja": r"\d[\d.,]*\s?(?:%|％|ms|秒|分|時間|日|件|個|行|回|人|倍|ミリ秒|ファイル|[kKMG]B)",
        "zh": r"\d[\d.,]*\s?(?:%|％|ms|秒|分钟|小时|天|件|个|行|次|人|倍|毫秒|条|[kKMG]B)",
    },
    without=_ENGLISH,
)
_AGENT_REFUSES = ByLanguage(
    {
        "de": r"\b(?:versucht|probiert|ausprobiert|verworfen|abgelehnt|aufgegeben|erwogen|gescheitert|scheiter(?:t|te|ten|n)|zur(?:ü|ue)ckgebaut|abgebrochen|verschlimmert|schlimmer|weggeworfen|verbietet|verzichtet)\b|\bnichts? (?:\w+ ){0,2}(?:gebracht|gen(?:ü|u)tzt|gel(?:ö|oe)st)\b|\b(?:brachte|bringt|hat) (?:\w+ )?nichts\b"
        r"|\bkeine? (?:wirkung|option|l(?:ö|oe)sung|gewinn|effekt|verbesserung)\b|\bkeinen (?:gewinn|effekt)\b|\b(?:funktioniert?e?n?|geht|ging|lief|klappt|l(?:ö|oe)st|behebt|hilft|reicht|werden|wird)\b[^.]{0,60}\bnicht\b(?! mehr)|\bnicht (?:m(?:ö|oe)glich|machbar|zuverl(?:ä|ae)ssig|unterst(?:ü|ue)tzt|gelohnt|wert|gesenkt|nehmen)\b"
        r"|\bzu langsam\b.*\b(?:deshalb|daher|verworfen|darum)\b|\bfallen (?:ge)?lassen\b|\b(?:scheidet?|scheiden)\b.*\baus\b|\bist (?:damit |wieder )?(?:raus|drau(?:ß|ss)en)\b|\bgegen \w+ .{0,30}entschieden\b|\bf(?:ü|ue)hrte? zu\b|\bwieder (?:ausgebaut|entfernt|zur(?:ü|ue)ck)|\bnur verschoben\b|\bnicht wert\b|\b(?:die )?\d+ \w+ nicht wert\b|\bhabe ich es gelassen\b",
        "fr": r"\b(?:essay[ée]|tent[ée]|abandonn[ée]e?s?|[ée]cart[ée]e?|rejet[ée]e?|renonc[ée]|exclu[se]?|refus[ée]e?|[ée]chou[ée]|retir[ée]|annul[ée]|jet[ée]|laiss[ée] tomber|aggrav[ée]|cass[ée])\b|\bn[’']a (?:rien|eu aucun|pas)\b|\bn[’']ont? (?:rien|pas)\b|\bne (?:march|fonctionn|r[ée]sou|corrig|suffi|vala)\w* (?:pas|rien)\b|\bne corrige rien\b"
        r"|\bn[’']est (?:pas|plus) (?:faisable|fiable|possible|envisageable|maintenue|support[ée])|\bpas support[ée]s?\b|\baucun effet\b|\bservi [àa] rien\b|\btrop lente?\b|\b(?:m[èe]ne|menait) [àa]\b|\b(?:provoquait|entra[iî]nait|caus[ae]i?t)\b|\bl[’']interdit\b|\bfait que d[ée]placer\b|\bpas [ée]t[ée] concluant\w*|\bne valait pas\b|\bd[ée]sactiv[ée]\b.*\bm[êe]me erreur\b|\bl[’'](?:ai|avons|a) donc (?:enlev|abandonn|retir|pas fait)\w*|\bl[’']a donc\b",
        "es": r"\b(?:prob[ée]|intent[ée]|intentamos|descart\w+|rechaz\w+|abandon[ée]|renunci[ée]|revert[íi]|retir[ée]|desech[ée]|tiramos|empeor[óo]|fall[óo]|rompi[óo]|abortado|consideramos)\b|\bno (?:sirvi[óo]|funciona\w*|lo (?:arregla|soluciona|resuelve)|soluciona|arregla|aport[óo]|redujo|tuvo|sali[óo]|iba|val[íi]a|es (?:viable|fiable|posible|una opci[óo]n)|podemos usar|se soportan)\b"
        r"|\bdemasiado lent[oa]\b|\blleva a\b|\bprovoc(?:aba|[óo])\b|\blo proh[íi]be\b|\bqueda fuera\b|\ben contra de\b|\bsolo movi[óo]\b|\bmismo error\b|\bpor eso (?:no lo hice|lo quitamos)\b|\bsin (?:[ée]xito|efecto)\b|\bno sirvi[óo]\b",
        "ja": r"試し(?:た|て(?:み|い))|試みた|(?:て)?みたが|うまくいか|却下|見送|断念|諦め|採用し(?:な|ませ)|不採用|除外した|外した|取りやめ|没に|捨てた|逆効果|効果(?:が)?な(?:かった|し)|改善し(?:な|ませ)|直ら|解決し(?:な|ませ)|動(?:作し|か)(?:な|ず|ませ)|使え(?:な|ませ)|無理(?:だ|です)?|失敗した|意味がな|役に立た|信頼できな|見合わな|下がらな|中止した|断られ|壊れた|デッドロックになる|選択肢に(?:は)?な|だめ[。]?$|原因になった|(?:元|前)に戻した|遅すぎ|移動しただけ|変わらな",
        "zh": r"试(?:过|了)|尝试|行不通|没(?:用|有效果|什么用|有采纳|有收益|有降低|有解决|有明显|解决)|放弃|否(?:决|了)|排除|不可行|不可靠|不可取|(?:已经)?回退|撤掉|扔了|跑不通|不值得|处理不了|解决不了|不能用|更糟|失败了[。]?$|因为.{1,20}失败|会(?:导致(?:死锁|超时)|读到旧|掩盖|丢文件)|没做[。]?$|没人(?:维护|会)|不行[，。]?|被.{0,6}拒绝|效果不好|同样的错误|去掉了|太慢",
    },
    without=_ENGLISH,
)

Judges = Sequence[tuple[str, Callable[[str], object]]]

_USERS: Judges = (
    ("preference", _PREFERS.search),
    ("correction", _CORRECTS.search),
)
_USERS_AFTER_RULES: Judges = (
    ("refused", _USER_REFUSES.search),
    ("constraint", _CONSTRAINS.search),
    ("request", _ORDERS.search),
    ("decision", _DECIDES.search),
    ("next", _NEXT.search),
)
_AGENTS: Judges = (
    ("refused", _AGENT_REFUSES.search),
    ("decision", _DECIDES.search),
    ("cause", _CAUSES.search),
    ("number", _MEASURES.search),
    ("next", _NEXT.search),
)


def users_sort_elsewhere(sentence: str, force: str, taken_back: bool) -> str:
    """The sort of a user's sentence that may be written in another language than English; empty where English
    may know better. `force` is that of its directives.
    """
    if _is_english(sentence):
        return ""
    first = "correction" if taken_back else _sort(_USERS, sentence)
    if first or force:
        return first or "rule"
    return _sort(_USERS_AFTER_RULES, sentence) or _unsure(sentence, "fact")


def agents_sort_elsewhere(sentence: str) -> str:
    """The same for a sentence of the agent."""
    if _is_english(sentence):
        return ""
    return _sort(_AGENTS, sentence) or _unsure(sentence, "remark")


def _is_english(sentence: str) -> bool:
    return languages_of(sentence) == ("en",)


def _unsure(sentence: str, otherwise: str) -> str:
    return "" if "en" in languages_of(sentence) else otherwise


def _sort(judges: Judges, sentence: str) -> str:
    return next((name for name, judge in judges if judge(sentence)), "")
