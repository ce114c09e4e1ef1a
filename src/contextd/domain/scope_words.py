"""The words that part a rule which our work or code holds everywhere from a request about one feature of the product.

One row for each language (ADR 62).
"""

from __future__ import annotations

from contextd_common.text.languages import ByLanguage

_START = {
    "en": r"^\W*(?:(?:ok(?:ay)?|so|and|also|but|please|pls|yes|no|btw|by the way|note|important|oh|well|then|plus)\b[\s,:;.!–—-]*)*",
    "de": r"^\W*(?:(?:ok(?:ay)?|und|aber|auch|bitte|ja|nein|übrigens|wichtig|noch ?was|ach|außerdem|dann)\b[\s,:;.!–—-]*)*",
    "fr": r"^\W*(?:(?:ok|et|mais|aussi|stp|svp|oui|non|important|au fait|d[’']ailleurs|par ailleurs|sinon|note)\b[\s,:;.!–—-]*)*",
    "es": r"^\W*(?:(?:ok|y|pero|tambi[ée]n|por favor|s[íi]|no|importante|por cierto|adem[áa]s|ojo|oye|vale)\b[\s,:;.!–—-]*)*",
}

_DURATION = {
    "en": r"(?:always|never|at all times|without exception|from (?:now|then) on)",
    "de": r"(?:immer(?! (?:noch|wieder|(?:\w+ )?(?:zwei|drei|vier|\d|lange|ewig|mehrere|länger|mehr)\b))|nie(?:mals)?|stets|grunds(?:ä|ae)tzlich|ausnahmslos|ausschlie(?:ß|ss)lich|ab (?:jetzt|dann))",
    "fr": r"(?:toujours|jamais|syst[ée]matiquement|sans exception|d[ée]sormais)",
    "es": r"(?:siempre|nunca|jam[áa]s|sin excepci[óo]n|de ahora en adelante)",
}

_NOBODY_HERE = {
    "en": r"(?!.*\b(?:users?|customers?|clients?|visitors?|guests?|admins?|people|players?|buttons?|dialogs?|modals?|icons?|tooltips?|but|fix|why|still|otherwise|now(?<!from now)|this|these|those|they|below|above)\b)",
    "de": r"(?!.*\b(?:nutzer\w*|benutzer\w*|kund\w+|besucher\w*|gäste|admins?|leute|spieler\w*|\w*buttons?|dialoge?|icons?|aber|sonst|diese[rmns]?|warum|unten|oben|momentan)\b)",
    "fr": r"(?!.*\b(?:utilisat\w+|client\w*|visiteurs?|invit[ée]s|admins?|gens|joueurs?|boutons?|dialogues?|ic[ôo]nes?|mais|sinon|cette|ces|pourquoi|corrige|ci-dessous|ci-dessus)\b)",
    "es": r"(?!.*\b(?:usuari\w+|cliente\w*|visitantes?|invitad\w+|admins?|gente|jugador\w*|bot(?:ón|ones)|di[áa]logos?|iconos?|pero|si no|est[aeo]s?|por qu[ée]|arregla|abajo|arriba)\b)",
}
# What users of the product see or may do is a feature, and so is what another part of the same sentence explains.

HOLDS_EVERYWHERE = ByLanguage(
    {
        "en": _START["en"]
        + r"(?:(?:remember|keep in mind|mind|note|one (?:more )?thing|something|this|that|it)?\W*(?:that )?(?:holds?|applies|goes|counts|is valid|is true)? ?(?:for|to) (?:all|every|each|any|everything|anything)\b(?! \d)[^:?]{0,60}:.*\b(?:always|never|must|no|only|don[’']t|do not)\b"
        r"|(?:in general|generally|by convention|on principle|as a (?:matter of )?(?:principle|standard|habit)|as (?:usual|always) here)\b,?[^?]*\b(?:always|never|must|should|only|no|don[’']t|do not)\b"
        r"|our (?:\w+ )?(?:convention|rule|policy|practice|habit|standard|agreement|style|principle) (?:here |in \w+ \w+ )?(?:is|says)(?: that| to|:| (?:always|never))"
        r"|(?:the )?next time,? (?:and )?(?:from then on|after that|every time after|always|never)\b"
        r"|(?:whenever|every time|each time|any ?time) (?:you|we)(?:[’']re| are)? (?:not sure|unsure|uncertain|in doubt|change|edit|add|create|write|commit|push|finish|complete|make|modify|touch|fix|update|implement|refactor|rename|introduce|remove|delete)\b[^.?!]{0,80}?"
        r"(?:, ?(?:then )?(?:please )?(?:also )?(?:ask|run|update|check|add|write|tell|use|make sure|commit|test|keep|document|format|rebuild|build|restart|follow|read|bump)\b(?! (?:fails?|is|are)\b)|\bask (?:me|us)\b)"
        + rf"|{_NOBODY_HERE['en']}(?!(?:the|it|its?|my|your|his|her|he|she|we|you|i|there|yes|is|was|has)\b)(?:[\w/.-]+ ){{0,4}}?[\w-]{{2,}}(?<!s)s (?:(?:that|which|with|in|for|of|on|from) [^,.]{{2,40}} )?(?:must|should|shall|have to|need to|may|can) (?:always|never)\b(?! be\b)"
        + rf"|{_NOBODY_HERE['en']}(?:every|each|any|all) (?!time|day|now|other|row of|of\b)[\w-]+(?: [\w-]+){{0,4}}? (?:must|should|shall|needs?|has to|have to|gets?|requires?)\b.*\b{_DURATION['en']}\b)"
        r"|[,;–—-] (?:and|also|plus|but|oh and|btw|by the way)[ ,]+(?:whenever|every time|each time|if|when) (?:you|we)\b[^.?!]{2,80}, (?:please )?(?:always|never|make sure|do not|don[’']t)\b",
        "de": _START["de"]
        + r"(?:(?:merke? dir|denke? dran|beachte|noch etwas,?|eins noch,?|das|was)?\W*(?:und )?(?:das )?(?:gilt|gelten)? ?f(?:ü|ue)r (?:alle?s?|jede[nsr]?)\b(?! \d)[^:?]{0,60}:.*\b(?:immer|nie(?:mals)?|stets|muss|m(?:ü|ue)ssen|d(?:ü|ue)rfen|nur|kein\w*|nicht)\b"
        r"|noch (?:et)?was,? (?:das )?f(?:ü|ue)r alle\b[^:?]{2,60}:|[^:?]{0,40}\b(?:das )?f(?:ü|ue)r alle \w+ gilt:"
        r"|(?:generell|allgemein|im allgemeinen|prinzipiell|aus prinzip|per konvention|in der regel)\b[^?]*\b(?:soll\w*|muss|m(?:ü|ue)ssen|d(?:ü|ue)rfen|darf|immer|nie(?:mals)?|stets|nur|kein\w*)\b"
        r"|unsere? (?:\w+ )?(?:konvention|regel|praxis|gewohnheit|standard|grundsatz|absprache|stil) (?:hier )?(?:ist|lautet|besagt)\b"
        r"|(?:bei uns|hier|in unserem code|in diesem (?:system|code|dienst)) (?:wird|werden|gilt|gelten|gehören|kommen|heißen) (?!(?:der|die|das|den) )[^?]*\b(?:immer|nie(?:mals)?|stets|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich)\b"
        r"|(?:\w+ ){1,3}(?:wird|werden) (?:bei uns|hier|in diesem (?:system|projekt|code)) (?:\w+ )?(?:grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich|immer nur|nur|nie(?:mals)?|stets)\b"
        r"|wir (?!(?:haben|hatten|sind|waren|wurden|konnten|wollten|wussten|mussten|dachten|fanden|sahen|bekommen|bekamen|kriegen|sehen|finden|wissen|verstehen|erreichen|verlieren|können)\b)\w+n (?:(?!(?:der|die|das|den|dem|diese\w*)\b)\w+ ){1,3}(?:nie(?:mals)?|immer(?! (?:noch|wieder))|stets|grunds(?:ä|ae)tzlich|ausschlie(?:ß|ss)lich)\b"
        r"|beim n(?:ä|ae)chsten mal,? (?:und )?(?:ab dann|danach|dann|immer|nie)\b"
        r"|(?:in|bei|f(?:ü|ue)r|mit|vor|nach) (?!(?:der|dem|den|die|das|einer|einem|dieser|diesem|diesen|allen \d+)\b)\w+(?: \w+){0,2} (?:bitte )?(?:nie(?:mals)?|immer(?! (?:noch|wieder))|stets) .*\w{2,}(?:en|ern|eln)\W*$"
        + rf"|{_NOBODY_HERE['de']}(?!(?:der|die|das|den|dem|es|er|sie|wir|ich|du|ihr|dann|hier|da|jetzt|wo|was)\b)(?:[\w/.-]+ ){{1,4}}?(?:(?:mit|in|von|aus|für) [^,.]{{2,30}} )?(?:m(?:ü|ue)ssen|sollen|sollten|d(?:ü|ue)rfen) (?:[\w.-]+ ){{0,5}}?{_DURATION['de']}\b"
        + rf"|{_NOBODY_HERE['de']}(?:jede[rs]?|alle) (?!mal\b)[\w-]+(?: [\w-]+){{0,3}}? (?:muss|m(?:ü|ue)ssen|soll\w*|darf|d(?:ü|ue)rfen|braucht|brauchen|bekommt|bekommen|kriegt|gehört) .*\b{_DURATION['de']}\b)"
        r"|[,;–—-] (?:und|auch|außerdem|übrigens)[ ,]+(?:immer wenn|jedes ?mal,? wenn|wenn|sobald|bevor) (?:du|ihr|wir)\b[^.?!]{2,80}, .*\b(?:immer|nie(?:mals)?|stets|jedes ?mal)\b",
        "fr": _START["fr"]
        + r"(?:(?:retiens|souviens-toi|rappelle-toi|(?:encore |une )*(?:autre )?chose|garde en t[êe]te|[çc]a|cela|ce qui)?\W*(?:qui )?(?:est )?(?:valable|vaut|s[’']applique)? ?(?:pour|[àa]) (?:tou(?:s|tes) (?:les|nos)|tout|chaque)\b(?! \d)[^:?]{0,60}:.*\b(?:toujours|jamais|doi(?:t|vent)|il faut|pas|seulement)\b"
        r"|(?:en g[ée]n[ée]ral|de (?:mani[èe]re|façon) g[ée]n[ée]rale|g[ée]n[ée]ralement|par (?:principe|convention|d[ée]faut,)|en principe)\b[^?]*\b(?:toujours|jamais|doi(?:t|vent)|devraient|devrait|il faut|uniquement|pas)\b"
        r"|notre (?:\w+ )?(?:convention|r[èe]gle|pratique|habitude|standard|principe|style) (?:ici )?(?:est|veut|c[’']est)\b"
        r"|la prochaine fois,? (?:et )?(?:ensuite|apr[èe]s|par la suite|toujours|ne|d[èe]s lors|[àa] partir)\b"
        r"|(?:ici|chez nous),? (?:on|nous) (?!(?:ne |n[’'])?(?:a|ai|avons|avait|est|sait|voit|trouve|re[çc]oit|obtient|comprend|arrive|peut)\b)(?:(?:ne |n[’'])?\w+ (?:\w+ )?(?:toujours|jamais|syst[ée]matiquement|uniquement|que)\b)"
        r"|(?:dans|sur) (?:ce|notre) (?:syst[èe]me|code|service|module),? .*\b(?:toujours|jamais|syst[ée]matiquement)\b"
        r"|dans (?:les|nos) [\w -]{2,40},? (?:ne )?(?:jamais|toujours) (?:\w+ )?\w+(?:er|ir|re)\b"
        + rf"|{_NOBODY_HERE['fr']}(?:les|nos|des|un|une|toutes les|tous les|chaque) [^.?!:;]{{2,60}}? (?:ne )?(?:doi(?:t|vent)|devrai(?:t|ent)|faut|peu(?:t|vent)) {_DURATION['fr']}\b)"
        r"|[,;–—-] (?:et|aussi|d[’']ailleurs|mais)[ ,]+(?:[àa] )?(?:chaque fois|quand|lorsque|d[èe]s) (?:que |qu[’'])?(?:tu|on|vous)\b[^.?!]{2,80}, .*\b(?:toujours|jamais|syst[ée]matiquement)\b",
        "es": _START["es"]
        + r"(?:(?:recuerda|ten en cuenta|una cosa m[áa]s,?|otra cosa,?|esto|eso|lo que)?\W*(?:que )?(?:vale|sirve|aplica|se aplica)? ?(?:para|a) (?:tod[oa]s?(?: l[oa]s)?|cada|cualquier)\b(?! \d)[^:?]{0,60}:.*\b(?:siempre|nunca|jam[áa]s|debe[n]?|hay que|no|solo)\b"
        r"|(?:en general|por lo general|generalmente|por (?:principio|convenci[óo]n|costumbre))\b[^?]*\b(?:siempre|nunca|jam[áa]s|debe[n]?|deber[íi]an?|hay que|no|solo)\b"
        r"|nuestra? (?:\w+ )?(?:convenci[óo]n|regla|norma|pr[áa]ctica|costumbre|est[áa]ndar|principio|estilo) (?:aqu[íi] )?(?:es|dice)\b"
        r"|la pr[óo]xima vez,? (?:y )?(?:a partir de|desde|despu[ée]s|siempre|nunca|de ah[íi])\b"
        r"|(?:aqu[íi]|ac[áa]),? (?:nunca|siempre|solo) (?!(?:supimos|sabemos|vimos|vemos|encontramos|tenemos|tuvimos|pudimos|hemos|recibimos|obtenemos|perdemos)\b)\w+(?:amos|emos|imos)\b"
        r"|en (?:este|nuestro) (?:sistema|c[óo]digo|servicio|m[óo]dulo),? .*\b(?:siempre|nunca|jam[áa]s)\b"
        r"|en (?:los|las|nuestr[oa]s) [\w -]{2,40},? (?:nunca|siempre) \w+(?:ar|er|ir)\b"
        + rf"|{_NOBODY_HERE['es']}(?:los|las|nuestr[oa]s|tod[oa]s l[oa]s|cada) [^.?!:;]{{2,60}}? (?:(?:no )?(?:debe[n]?|deber[íi]an?|tienen? que|puede[n]?|necesitan?)\b[^.?!]{{0,40}}?\b{_DURATION['es']}|(?:nunca|siempre) (?:debe[n]?|deber[íi]an?|tienen? que|puede[n]?))\b)"
        r"|[,;–—-] (?:y|tambi[ée]n|adem[áa]s|pero)[ ,]+(?:cada vez que|siempre que|cuando|si) (?!se\b)\w+(?:as|es)\b[^.?!]{2,80}, .*\b(?:siempre|nunca|jam[áa]s)\b",
        "ja": r"(?:このシステム|このプロジェクト|このリポジトリ|このコード(?:ベース)?|このサービス|うち|弊社|私たち|我々|チーム|社内)では?(?!.*(?:エラー|落ち|失敗|止ま|遅|起き|なってしま|なる。?$|てしま|返って|表示され)).*(?:必ず|常に|絶対に?|決して|一切|毎回|いつも|原則).*(?:[てで](?:ください|ね|います)?|ます|ません|です|ない(?:で|こと)?|こと|ず)[。！!]*$"
        r"|^(?:.{0,12}[、,])?(?:ちなみに|なお)?、?ここでは.{1,30}(?:絶対に?|決して|一切|必ず|常に|いつも)(?!.*(?:エラー|落ち|失敗|止ま|遅|起き|てしま|返って|表示され)).*(?:ません|ない(?:ので|です|で)?|ます(?:ので)?)(?:、|[。！!]*$)"
        r"|(?:全|すべての|全ての|どの|各)[^、。]{1,16}(?:共通|に(?:当てはまる|適用)|で守|について).*(?:必ず|常に|絶対|決して|一切|ない|こと)"
        r"|^(?:.{0,12}[、,])?(?:一般に|一般的に|基本的に|原則として|慣例として|基本は?).*(?:必ず|常に|べき|こと|ない(?:で|こと)|[てで]ください)"
        r"|(?:私たち|うち|チーム|我々)の(?:慣例|慣習|習慣|流儀|やり方|決まり|スタイル)(?:は|では|として)"
        r"|(?:関数|テスト|ジョブ|リリースノート|コミット|マイグレーション|クラス|変数|パーサー?|モジュール|コンポーネント|エンドポイント|API|ログ|バグ修正|ブランチ|PR|設定|ファイル)[^。、]{0,24}(?:は|には|では)、?(?:必ず|常に|絶対に?|決して|いつも).*(?:ない(?:で|こと)?|べき(?:です|だ)?|こと|ます|必要(?:です|がある|があります)?|なければならない|いけない)[。！!]*$",
        "zh": r"(?:必须|应该?|得|需要?)(?:始终|总是|永远|一直)|(?:始终|总是|永远)(?:必须|应该?|要)|绝不(?!会|是|可能|应)"
        r"|我们(?:这里|这边|这儿|团队|项目)?(?:这里|里)?(?:从不|从来不|从来都不|总是|一律|永远(?:不|都)?|绝不)(?!会|是|知道|能|清楚|明白)"
        r"|这(?:里|边)(?:我们)?(?:从不|从来不|总是|一律|绝不)(?!会|是)"
        r"|(?<![针面])(?:对|适用于)(?:于)?(?:所有|每个|任何|一切)[^。，,]{1,20}(?:(?:适用|有效|一样|成立)[，,]|[：:]|[，,](?=(?:都|必须|一律|始终|永远|绝不))).*(?:绝不|不要|别|必须|都要|始终|永远|总是|一律|不能)"
        r"|(?:一般(?:来说|来讲|而言|情况下)?|通常|原则上|总的来说|按惯例)[，,]?.{0,30}(?:应该?|必须|始终|总是|永远|一律|都要|不要)"
        r"|(?:我们|团队|项目)的(?:惯例|约定|习惯|做法|规矩|风格|规范|原则)是"
        r"|每(?:加|新增|增加|添加|改|修|写|建|创建|次)[^，,。]{1,20}[，,]?(?:都要|都得|都必须|必须|一定要|务必)",
    }
)  # fmt: skip
"""What our work or code holds everywhere: an announced generality, or a duty of a whole class of things in our code."""

_WIDGET = {
    "en": r"(?:dialog|modal|button|page|screen|list|table|form|icon|avatar|menu|sidebar|header|footer|navbar|toolbar|tooltip|banner|toast|pop-?up|panel|tab|card|input|dropdown|checkbox|chart|widget|spinner|view|greeting|map)",
    "de": r"(?:\w*dialog|modal|\w*button|knopf|\w*seite|ansicht|\w*liste|\w*tabelle|\w*formular|icon|avatar|\w*menü|sidebar|seitenleiste|kopfzeile|fußzeile|leiste|tooltip|banner|pop-?up|panel|tab|karte|\w*feld|eingabe|diagramm|widget)",
    "fr": r"(?:dialogue|modale?|bo[îi]te|bouton|page|[ée]cran|liste|tableau|formulaire|ic[ôo]ne|avatar|menu|barre|en-t[êe]te|infobulle|banni[èe]re|fen[êe]tre|panneau|onglet|carte|champ|graphique|widget|vue)",
    "es": r"(?:di[áa]logo|modal|bot[óo]n|p[áa]gina|pantalla|lista|tabla|formulario|icono|avatar|men[úu]|barra|cabecera|encabezado|tooltip|banner|ventana|panel|pesta[ñn]a|tarjeta|campo|gr[áa]fico|widget|vista)",
    "ja": r"(?:ダイアログ|モーダル|ボタン|画面|リスト|一覧|フォーム|アイコン|アバター|メニュー|サイドバー|ヘッダー|フッター|ツールチップ|バナー|ポップアップ|パネル|タブ|カード|入力欄|ドロップダウン|チェックボックス|グラフ|ウィジェット|スピナー|結果の?(?:各)?行|検索結果)",
    "zh": r"(?:对话框|弹窗|按钮|页面|列表|表单|图标|头像|欢迎语|菜单|侧边栏|标题栏|导航栏|输入框|下拉框|界面|横幅|卡片|图表|面板|标签页|进度条|常见问题|(?:查询|搜索)?结果的每)",
}

_FEATURE_EN = r"(?:the|this|that|its|our new|a new) (?:[\w-]+ ){0,3}?" + _WIDGET["en"] + r"s?\b"
_FEATURE_DE = (
    r"(?:der|die|das|den|dem|dieser|diese[mns]?|im|beim|am) (?:[\w-]+ ){0,2}?"
    + _WIDGET["de"]
    + r"\b"
)
_FEATURE_FR = (
    r"(?:(?:le|la|ce|cette|cet|du|au) |l[’'])(?:nouve\w+ )?(?:[\w-]+ ){0,2}?"
    + _WIDGET["fr"]
    + r"\b"
)
_FEATURE_ES = (
    r"(?:el|la|este|esta|ese|esa|del|al) (?:nuev[oa] )?(?:[\w-]+ ){0,2}?" + _WIDGET["es"] + r"\b"
)

ONE_FEATURE = ByLanguage(
    {
        "en": _FEATURE_EN
        + r"[^.?!]{0,60}\b(?:must|should|has to|needs? to|always|never|visible|hidden|sorted|centered|open|on top)\b"
        r"|\b(?:show|display|render|keep|hide|open|close|scroll|highlight|center|sort|pin|put|place|load|reload|refresh|animate)\b [^.?!]{0,40}"
        + _FEATURE_EN
        + r"|\b(?:every|each) (?:row|item|entry|card|line|cell)\b"
        r"|\b(?:always|never) (?:show|display|render|highlight|populate|preselect)\b (?:all |the |only |every |any )*(?:\w+ ){0,2}?(?:options?|choices|values|labels?|results|entries|rows|columns|buttons|items|filters|legends?|ticks?)\b"
        r"|^\W*(?:if|when) (?:none|nothing|no [\w-]+|it|one|they|neither|both)\b (?:is|are|was|were|gets?)(?:n[’']t| not)? (?:given|selected|set|passed|provided|specified|supplied|available|empty|missing|present|defined|chosen|clicked|pressed)\b"
        r"|\b(?:every time|whenever|each time|after|when) (?:the |a )?(?:page|app|user|visitor|view|screen|browser|window|someone)\b[^.?!]{0,20}\b(?:re)?(?:loads?|reload|refresh\w*|opens?|starts?|clicks?|logs? in|visits?|is opened|changes)\b",
        "de": _FEATURE_DE
        + r"[^.?!]{0,60}\b(?:muss|soll|sollte|darf|immer|nie|sichtbar|oben|offen|sortiert|zentriert)\b"
        r"|\b(?:muss|soll|darf) (?:der|die|das) (?:[\w-]+ ){0,2}?" + _WIDGET["de"] + r"\b"
        r"|\b(?:zeig\w*|blend\w*|halte?|öffne|schließ\w*|sortier\w*|lad\w*|stell\w*|setz\w*)\b [^.?!]{0,40}"
        + _FEATURE_DE
        + r"|\bjede[rs]? (?:zeile|eintrag|element|karte|zelle)\b"
        r"|^\W*(?:wenn|falls) (?:keine?[rs]?|nichts|es|er|sie)\b[^,]{0,40}\b(?:angegeben|gesetzt|ausgewählt|gewählt|übergeben|vorhanden|leer)\b"
        r"|\b(?:jedes ?mal|immer),? wenn (?:die |der |das )?(?:seite|app|nutzer\w*|benutzer\w*|ansicht|fenster|man|jemand)\b|\bnach jedem (?:neu)?laden\b",
        "fr": _FEATURE_FR
        + r"[^.?!]{0,60}\b(?:doit|devrait|toujours|jamais|visible|ouvert\w*|tri[ée]\w*|centr[ée]\w*|en haut)\b"
        r"|\b(?:affiche\w*|montre|garde|cache|masque|ouvre|ferme|trie|charge|recharge|mets|place)\b [^.?!]{0,40}"
        + _FEATURE_FR
        + r"|\bchaque (?:ligne|[ée]l[ée]ment|entr[ée]e|carte|cellule)\b"
        r"|^\W*(?:si|quand) (?:aucune?|rien|il|elle)\b[^,]{0,40}\b(?:fourni\w*|donn[ée]\w*|s[ée]lectionn[ée]\w*|choisi\w*|d[ée]fini\w*|vide\w*|renseign[ée]\w*)\b"
        r"|\bchaque fois que (?:la page|l[’']app\w*|l[’']utilisat\w+|la vue|quelqu)|\b[àa] chaque (?:rechargement|chargement|clic|ouverture|connexion)\b",
        "es": _FEATURE_ES
        + r"[^.?!]{0,60}\b(?:debe|deber[íi]a|tiene que|siempre|nunca|visible|abiert\w*|ordenad\w*|centrad\w*|arriba)\b"
        r"|\b(?:muestra|mu[ée]strame|ense[ñn]a|mant[ée]n|oculta|abre|cierra|ordena|carga|recarga|pon|coloca)\b [^.?!]{0,40}"
        + _FEATURE_ES
        + r"|\bcada (?:fila|elemento|entrada|tarjeta|celda)\b"
        r"|^\W*(?:si|cuando) (?:no se|ning[úu]n\w*|nada)\b[^,]{0,40}\b(?:indi\w+|seleccion\w+|pas[ae]\w*|especific\w+|proporcion\w+|elig\w+|vac[íi][oa]s?)\b"
        r"|\bcada vez que (?:se (?:carga|recarga|abre|actualiza)|la p[áa]gina|la app\w*|el usuario|alguien)|\ben cada (?:recarga|carga|clic|apertura|inicio)\b",
        "ja": _WIDGET["ja"]
        + r"(?:では|には|は|が|を|の|も|に).{0,40}(?:見え|表示|可視|出(?:る|て|す)|隠|消え|固定|スクロール|並|開|閉|押せ|有効|無効|含)"
        r"|(?:更新|リロード|再読み込み|クリック|起動|ログイン|開く|開いた)(?:する|した)?(?:たび|度|後|時|とき)"
        r"|(?:指定|選択|入力|設定)(?:が|を|され)?.{0,6}(?:ない|なければ|なかった)(?:場合|時|とき|ら)",
        "zh": _WIDGET["zh"]
        + r".{0,30}(?:可见|显示|展示|出现|看得?见|固定|隐藏|弹出|置顶|居中|高亮|刷新|加载|滚动|打开|关闭|包含|可点)"
        r"|(?:要|得)?像(?:这样|下面|图|截图).{0,6}(?:展示|显示|排列)|每(?:次|当)?(?:刷新|打开|点击|加载|进入|登录|切换|启动|重启).{0,8}都|(?:用户|访客|客户)(?:每次|必须|永远|始终|绝)|(?:不然|否则)(?:下面|上面|这里|后面)|(?:如果|若|当)?(?:没有|未)(?:指定|选择|选中|传入|提供|设置)",
    }
)  # fmt: skip
"""What one part of the product must show or do, and what it does at an event of its users: a request, no rule."""

WIDE = ByLanguage(
    {
        "en": r"\b(?:from (?:now|then|today) on|henceforth|going forward|in (?:the )?future|remember|rule|convention|policy|in general|everywhere|across|in (?:this|our) (?:repo\w*|project|code ?base|app)|(?:every|any|each) (?:\w+ )?(?:page|table|form|dialog|component|list|screen|button|view)|(?:all|new) (?:\w+ ){0,2}(?:pages|tables|forms|dialogs|components|lists|screens|buttons|views)|we|you|me|components|commits?)\b",
        "de": r"\b(?:ab (?:jetzt|sofort|heute)|von (?:nun|jetzt) an|fortan|(?:zu)?k(?:ü|ue)nftig|in zukunft|merke? dir|regel|konvention|generell|grunds(?:ä|ae)tzlich|überall|in (?:diesem|unserem) (?:repo\w*|projekt|code)|(?:alle[nr]?|jede[rmns]?) (?!(?:zeile|eintrag|element|karte|zelle|mal|neuladen|laden)\b)\w+|wir|du|ihr|mir|mich|uns|komponenten|commits?)\b",
        "fr": r"\b(?:d[ée]sormais|dor[ée]navant|[àa] partir (?:de maintenant|d[’']aujourd)|[àa] l[’']avenir|retiens|souviens|r[èe]gle|convention|en g[ée]n[ée]ral|partout|dans (?:ce|notre) (?:projet|repo|d[ée]p[ôo]t|code)|tou(?:s|tes) les|chaque (?!fois|rechargement|chargement|clic|ouverture|connexion|ligne|[ée]l[ée]ment|entr[ée]e|carte|cellule)\w+|on|nous|tu|moi|composants|commits?)\b",
        "es": r"\b(?:a partir de (?:ahora|hoy)|de ahora en adelante|en adelante|en el futuro|recuerda|regla|norma|convenci[óo]n|en general|en todas partes|en (?:este|nuestro) (?:proyecto|repo\w*|c[óo]digo)|tod[oa]s l[oa]s|cada (?!vez|recarga|carga|clic|apertura|inicio|fila|elemento|entrada|tarjeta|celda)\w+|nosotros|t[úu]|componentes|commits?|usamos)\b|\bpreg[úu]ntame|\bmu[ée]strame",
        "ja": r"今後|これから|以後|次から|今日から|全(?:て|ページ|画面)|すべて|共通|どの|覚え|ルール|規約|方針|原則|統一|この(?:プロジェクト|リポジトリ|コード)|うち|チーム|コミット|新しいコンポーネント",
        "zh": r"以后|今后|往后|从现在|从今|记住|牢记|所有(?:的)?(?:页面|表单|列表|对话框|按钮|组件|表格|界面)|每个(?:页面|表单|列表|组件|按钮)|我们|规则|规定|约定|规范|原则|统一|这个项目|本项目|组件|提交(?!按钮|表单|后|时|数据)|惯例",
    }
)  # fmt: skip
"""Generality of work: with it, words about a page or a button state a rule for all of them."""
