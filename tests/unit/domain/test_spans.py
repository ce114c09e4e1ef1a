"""For how long an order holds: by its words of duration or generality, not by its loudness."""

from __future__ import annotations

import pytest

from contextd.domain.directives import directives_in, force_of, span_of


@pytest.mark.parametrize(
    "words",
    [
        "Use pnpm, not npm, in this repo.",
        "Keep functions under 40 lines.",
        "Stop adding comments that explain the obvious.",
        "I prefer small commits.",
        "I'd like to avoid using mocks and stubs as much as possible.",
        "We never commit directly to main here.",
        "You must ask me before deleting any file.",
        "No emojis in commit messages.",
        "NEVER TOUCH THE MIGRATIONS",
        "Remember to pass the scope with every call.",
        "Frag mich bitte vorher.",
        "Halte Funktionen unter 40 Zeilen.",
        "In diesem Projekt nutzen wir pnpm.",
        "Wir pushen nie direkt auf main.",
        "Il faut toujours demander.",
        "Dans ce projet on utilise pnpm.",
        "Demande-moi avant de supprimer un fichier.",
        "En este proyecto usamos pnpm.",
        "Pregúntame antes de borrar archivos.",
        "このプロジェクトではpnpmを使います。",
        "这个项目里用pnpm，不要用npm。",
        "删除文件之前先问我。",
    ],
)
def test_words_of_duration_or_generality_make_a_rule(words: str) -> None:
    assert force_of(words) == "stated"


@pytest.mark.parametrize(
    "words",
    [
        "DO NOT WRITE ANY CODE OR RUN ANY COMMANDS. Please just explain.",
        "STOP EDITING. Answer me first.",
        "ONLY LIST THE FILES",
        "YOU ARE TO ASK ME!",
        "KEINEN CODE SCHREIBEN, NUR ERKLÄREN",
        "NE TOUCHE À RIEN, EXPLIQUE SEULEMENT",
        "NO TOQUES NADA, SOLO EXPLICA",
        "コードは書かないで、説明だけしてください。",
        "先不要写代码，只解释一下。",
        "Do not commit anything, I will review first.",
        "Stop the server and run it again.",
        "Stop sharing any remaining height with past events.",
        "Don't add a comment here, it's immaterial.",
        "I prefer option B.",
        "We only need a README for this folder.",
        "We only want to run the last phase.",
        "Avoid using promises here, it blocks the loop.",
        "Remember to run the tests again.",
        "Ask me before you merge this one.",
        "Keep the list sorted and the header small.",
    ],
)
def test_an_order_of_one_turn_is_no_rule_however_loud(words: str) -> None:
    assert force_of(words) == ""


@pytest.mark.parametrize(
    ("words", "span"),
    [
        ("For this change never edit the schema.", "session"),
        ("Never change the public API while you refactor.", "session"),
        ("In diesem Refactoring nie die API ändern.", "session"),
        ("Pendant cette migration, ne touche jamais aux données.", "session"),
        ("En esta tarea nunca cambies la API.", "session"),
        ("このタスクではテストを絶対に変更しないでください。", "session"),
        ("本次会话中绝对不要动数据库。", "session"),
        ("On this branch always squash.", "branch"),
        ("Auf diesem Branch immer squashen.", "branch"),
        ("Never push to main.", "always"),
    ],
)
def test_an_order_for_the_work_at_hand_or_the_branch_ends_with_it(words: str, span: str) -> None:
    assert span_of(words) == span
    assert [one.span for one in directives_in(words)] == [span]
    assert (force_of(words) == "stated") is (span == "always")


@pytest.mark.parametrize(
    "words",
    [
        # en
        "Migrations should always come with a down step.",
        "By convention, helpers never import from the app package.",
        "As a rule, helpers never import from the app package.",
        "We never deal with two patterns in one parser.",
        "Always show me the diff before you commit.",
        "If no ticket is named, always ask me for one.",
        "Our rule here is that every endpoint gets a test.",
        "This applies to all services: never log request bodies.",
        "Fix the typo, and whenever you touch a schema, always bump the version.",
        # de
        "Migrationen müssen immer einen Rückweg haben.",
        "Das gilt für alle Dienste: nie den Request-Body loggen.",
        "Unsere Konvention ist, dass Parser immer ein Ergebnis zurückgeben.",
        "Wir schreiben hier übrigens nie Kommentare auf Deutsch.",
        "Jede Migration muss immer umkehrbar sein.",
        # fr
        "Les migrations doivent toujours avoir un retour arrière.",
        "Cela vaut pour tous les services : ne jamais journaliser le corps.",
        "Notre convention est que les parseurs renvoient toujours un résultat.",
        "D'ailleurs ici on n'écrit jamais de commentaires en français.",
        "Chaque migration doit toujours être réversible.",
        # es
        "Las migraciones deben tener siempre vuelta atrás.",
        "Esto vale para todos los servicios: nunca registrar el cuerpo.",
        "Nuestra convención es que los parsers devuelven siempre un resultado.",
        "Además, aquí nunca escribimos comentarios en español.",
        "Cada migración debe ser siempre reversible.",
        # ja
        "マイグレーションには必ず戻す手順が必要です。",
        "全サービス共通で、リクエスト本文は絶対にログに出さないこと。",
        "うちの慣例はパーサーが常に結果を返すことです。",
        "ジョブは絶対に10分を超えないこと。",
        # zh
        "迁移必须始终有回滚步骤。",
        "对所有服务都适用：绝不记录请求体。",
        "我们的惯例是解析器始终返回结果。",
        "我们这里从不用中文写注释。",
        "每加一个接口，都要写测试。",
        "Whenever you are not sure how to read a cell ask me",
        "Every time you add a table, please update the diagram.",
    ],
)
def test_a_duty_of_all_our_work_or_code_is_a_rule(words: str) -> None:
    assert force_of(words) == "stated"


@pytest.mark.parametrize(
    "words",
    [
        # en
        "the dialog must always be visible",
        "show it every time the page reloads",
        "In the new dialog, always keep the save button visible.",
        "The list should always be sorted by date, newest first.",
        "Every row needs a delete icon on the right, always.",
        "Users must never see another tenant's data, but right now they do.",
        "Imports should never take this long, fix that.",
        "In general the page loads fast, only the chart is slow.",
        "Each time the user clicks the icon the menu should open.",
        "We never found out why the import was slow.",
        "We never dealt with such patterns.",
        "As a rule of thumb there should be as many games as rounds.",
        "If none is given, always freeze the first and the last column.",
        "Always show all available options based on the current selection.",
        "We only see this in production.",
        "We always get a timeout on the second call.",
        "Stop, don't touch the css any more and undo the last change.",
        "DO NOT TOUCH THE CSS ANYMORE",
        "For all files in src/legacy: remove the license header.",
        "Every request always fails after ten seconds.",
        "The greeting must always show the first name of the user.",
        "next time the job runs it should pick up the file",
        "Our convention hall page needs a new title.",
        # de
        "Der Dialog muss immer sichtbar sein.",
        "Zeig den Hinweis immer an, wenn die Seite neu lädt.",
        "Der Speichern-Button im neuen Formular darf nie verschwinden.",
        "Die Liste soll immer nach Datum sortiert sein.",
        "Nutzer dürfen diese Seite nie ohne Login sehen.",
        "Jeder Request braucht immer drei Sekunden.",
        "Bei uns stürzt der Import immer ab.",
        "Wir haben nie herausgefunden, warum der Import langsam war.",
        "Wir sehen hier leider immer noch den alten Stand.",
        "BITTE DAS CSS NICHT MEHR ANFASSEN",
        "Generell sieht das gut aus, nur der Test schlägt fehl.",
        "Für alle Dateien in src/legacy: entferne den Lizenzkopf.",
        "Beim nächsten Mal soll der Job die Datei mitnehmen.",
        "In der Tabelle fehlt immer die letzte Zeile.",
        "Im Menü muss der Avatar immer oben stehen.",
        "Wenn keine Sprache angegeben ist, nimm immer Deutsch.",
        # fr
        "Le dialogue doit toujours être visible.",
        "Affiche le message chaque fois que la page se recharge.",
        "La liste doit toujours être triée par date.",
        "Le bouton du nouveau formulaire ne doit jamais disparaître.",
        "Les utilisateurs ne doivent jamais voir cette page.",
        "On n'a jamais compris pourquoi l'import était lent.",
        "NE TOUCHE PLUS AU CSS",
        "En général ça marche, seul le test échoue.",
        "Pour tous les fichiers de src/legacy : enlève l'en-tête.",
        "Chaque requête échoue toujours au bout de dix secondes.",
        "Dans le tableau il manque toujours la dernière ligne.",
        "Ici on ne voit jamais le bon résultat.",
        "La prochaine fois que le job tourne, il devrait prendre le fichier.",
        "Le menu doit toujours afficher l'avatar en haut.",
        # es
        "El diálogo debe estar siempre visible.",
        "Muestra el aviso cada vez que se recarga la página.",
        "La lista debe estar siempre ordenada por fecha.",
        "El botón del nuevo formulario no debe desaparecer nunca.",
        "Los usuarios nunca deben ver esta página.",
        "Nunca supimos por qué la importación era lenta.",
        "NO TOQUES MÁS EL CSS",
        "NO CAMBIES NINGÚN ARCHIVO TODAVÍA.",
        "No toques aún la base de datos.",
        "En general funciona, solo falla la prueba.",
        "Para todos los archivos de src/legacy: quita la cabecera.",
        "Cada petición falla siempre a los diez segundos.",
        "En la tabla falta siempre la última fila.",
        "Aquí siempre vemos el resultado viejo.",
        "El menú debe mostrar siempre el avatar arriba.",
        # ja
        "新しいダイアログでは保存ボタンが常に見えるようにして。",
        "ページを更新するたびに必ず挨拶を表示して。",
        "リストは常に日付順に並ぶようにしてください。",
        "このページでは毎回エラーが出ます。",
        "このシステムでは常にエラーが返ってきます。",
        "メニューにはアバターを必ず表示してください。",
        "ここでは絶対に失敗しますね。",
        "まだcssは絶対に触らないで。",
        "まだデータベースは変更しないでください。",
        "基本的に動いていますが、テストだけ落ちます。",
        "フォームの送信ボタンは常に有効にしてください。",
        "ボタンを押すと必ず一番上に飛びます。",
        "APIが毎回タイムアウトします。",
        # zh
        "新对话框必须始终可见。",
        "每次刷新页面后都要显示欢迎语。",
        "列表必须始终按日期显示。",
        "用户永远不要看到这个页面。",
        "请求每次都要等十秒才失败，为什么？",
        "我们从来不知道导入为什么慢。",
        "停，别再动css了。",
        "别再改那个文件了。",
        "一般来说没问题，只有测试失败。",
        "菜单里必须始终显示头像。",
        "头像要像这样展示，每次刷新后都要这样展示",
        "表单的提交按钮必须始终可见",
        "先别改代码，还没想好。",
        "我们总是会遇到超时。",
        "结果的每一行都必须包含编号，否则下面会失败。",
        "Every time you change the filter, the table reloads.",
        "Every time we add a route, test fails.",
        "Whenever a button is pressed, update the table.",
        "根据这个网站调整爬虫的规则，针对每个分类进行调整，不要出现低级错误",
    ],
)
def test_the_behaviour_of_one_feature_is_no_rule_for_the_work(words: str) -> None:
    assert force_of(words) != "stated"


def test_what_is_to_be_remembered_stands_in_the_sentence_before() -> None:
    said = (
        "We connect git once version 1.0 is finished. Please remember that for your instructions."
    )
    assert [one.text for one in directives_in(said)] == [said]
