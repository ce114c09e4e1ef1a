"""Made-up sessions with facts that must survive a compaction, and statements that are retracted."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlantedFact:
    """A fact, and the patterns that hold in one line that states it."""

    sentence: str
    marks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlantedSession:
    """A session before its compaction. The user says the rule, the agent the decision and the step."""

    name: str
    opening: str
    rule: PlantedFact
    decision: PlantedFact
    file: str
    step: PlantedFact
    chatter: tuple[str, str]


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Something `sentence` by the user or the agent and taken back later, in the same session or the next
    one. A line shows it when `wrong` holds and `right` does not. `asked` is on the subject.
    """

    name: str
    by: str
    sentence: str
    wrong: str
    retraction: str
    right: str
    asked: str
    same_session: bool


SESSIONS = (
    PlantedSession(
        "ferry",
        "The timetable page shows boats that left an hour ago. Can you find out why and mend it?",
        PlantedFact(
            "Please keep every time in UTC inside the code, only the templates may turn it into local time.",
            ("UTC", "template"),
        ),
        PlantedFact(
            "I went with a sorted list of departures rather than a heap, because the page needs all of them "
            "in order anyway.",
            ("sorted list", "heap|order"),
        ),
        "harbour/timetable.py",
        PlantedFact(
            "The filter works now. Next I'll add a test with a departure that crosses midnight.",
            ("midnight", "test"),
        ),
        ("does the page still load in one query?", "Yes, the page still asks the database once."),
    ),
    PlantedSession(
        "bakery",
        "orders with more than 40 rolls are refused since this morning, have a look",
        PlantedFact(
            "never touch the migrations folder by hand, we only ever generate those with alembic",
            ("migrations", "alembic"),
        ),
        PlantedFact(
            "The limit now lives in the settings table instead of a constant: the shop wants to change it "
            "before holidays without a release.",
            ("settings table", "constant|holidays|release"),
        ),
        "shop/limits.py",
        PlantedFact(
            "Orders of 200 pass. What remains is the admin form, where the new limit cannot be edited yet; "
            "that is what I take up next.",
            ("admin form",),
        ),
        ("ok and the tests?", "All 31 tests of the shop pass."),
    ),
    PlantedSession(
        "glacier",
        "Our importer eats 9 GB for one satellite image. It should stay under 1 GB.",
        PlantedFact(
            "One thing: no new dependencies in this repository without asking me first.",
            ("dependenc", "ask"),
        ),
        PlantedFact(
            "Decision: tiles are read with memory mapping and not with a worker pool, since four workers "
            "would each hold a copy of the palette.",
            ("memory.?map", "worker|palette"),
        ),
        "src/ice/reader.rs",
        PlantedFact(
            "Peak is 640 MB. The following step is to run the importer over the March archive and compare "
            "checksums.",
            ("March archive", "checksum"),
        ),
        ("how long does it take now?", "It takes 48 seconds for the large image, 51 before."),
    ),
    PlantedSession(
        "lighthouse",
        "Let the alarm screen blink when the lamp is out. Accessibility said it must respect reduced motion.",
        PlantedFact(
            "For colours use the tokens from theme.css, I don't want hex codes in components any more.",
            ("theme\\.css|tokens", "hex"),
        ),
        PlantedFact(
            "I chose a CSS animation over a timer in React; the timer kept running when the tab was hidden.",
            ("CSS animation", "timer"),
        ),
        "web/src/AlarmScreen.tsx",
        PlantedFact(
            "Blinking stops under reduced motion. After this comes the story for Storybook, which does not "
            "exist yet.",
            ("Storybook",),
        ),
        ("looks good on my phone", "Good to hear. Nothing else on the page changed."),
    ),
    PlantedSession(
        "orchard",
        "Payments from Norway fail with 'unknown currency'. Please fix it in the gateway.",
        PlantedFact(
            "We log amounts but you must not write card numbers or names to the log, not even in debug.",
            ("card numbers", "log"),
        ),
        PlantedFact(
            "Amounts stay integers of the smallest unit, as floats had given 0.30000000000000004 in an "
            "invoice last year.",
            ("integer", "float|smallest unit"),
        ),
        "internal/gateway/currency.go",
        PlantedFact(
            "NOK is accepted. To do next: the refund path has its own list of currencies and needs the same "
            "change.",
            ("refund", "currenc"),
        ),
        ("anything risky in there?", "Only that the refund path was not run against the sandbox."),
    ),
    PlantedSession(
        "signal-box",
        "The nightly job that mails the shift plan did not run twice this week; find out why.",
        PlantedFact(
            "Commits go to a branch called night/<topic> and get squashed, main is protected.",
            ("night/", "squash|protected"),
        ),
        PlantedFact(
            "We settled on systemd timers in place of cron: cron on that host has no log and skipped the "
            "hour of the clock change.",
            ("systemd timer", "cron"),
        ),
        "deploy/shift-plan.timer",
        PlantedFact(
            "The timer is installed on staging. I still have to delete the old crontab line on the second "
            "host, that is the next thing.",
            ("crontab", "second host|delete"),
        ),
        ("which host was it?", "It was the first host; the second one still runs cron."),
    ),
    PlantedSession(
        "muehle",
        "Die Suche nach Mehlsorten findet nichts mehr, wenn ein Umlaut im Namen steht.",
        PlantedFact(
            "Bitte schreib alle Meldungen an Kunden in der Sie-Form, nie mit du.",
            ("Sie-Form",),
        ),
        PlantedFact(
            "Ich habe mich für ICU statt unaccent entschieden, weil unaccent aus ß ein einfaches s macht.",
            ("ICU", "unaccent"),
        ),
        "lager/suche.py",
        PlantedFact(
            "Die Suche findet jetzt beide Schreibweisen. Als Nächstes baue ich den Index der Testumgebung "
            "neu auf.",
            ("Index", "Testumgebung"),
        ),
        ("und wie schnell ist das?", "Rund 12 Millisekunden je Anfrage, vorher waren es 9."),
    ),
    PlantedSession(
        "seilbahn",
        "Der Export der Fahrten bricht bei mehr als 65.000 Zeilen ab. Woran liegt das?",
        PlantedFact(
            "Wichtig: Die Schnittstelle /v1/fahrten darf sich nicht ändern, daran hängen die Anzeigetafeln.",
            ("/v1/fahrten", "ändern|Anzeigetafeln"),
        ),
        PlantedFact(
            "Wir schreiben nun CSV im Strom und kein XLSX mehr, denn XLSX hält das ganze Blatt im Speicher.",
            ("CSV", "XLSX"),
        ),
        "export/fahrten.kt",
        PlantedFact(
            "Der Export läuft mit einer Million Zeilen durch. Offen ist noch die Kopfzeile mit den "
            "Einheiten, die mache ich als Nächstes.",
            ("Kopfzeile",),
        ),
        ("gut, und die alten Dateien?", "Die alten Dateien bleiben, wie sie sind."),
    ),
    PlantedSession(
        "onsen",
        "予約カレンダーで満室の日が空室として表示されます。原因を調べて直してください。",
        PlantedFact(
            "テストでは本物のデータベースを使わないでください。必ず SQLite のメモリを使うこと。",
            ("SQLite", "テスト|データベース"),
        ),
        PlantedFact(
            "空室の計算は Redis ではなく SQL のビューにしました。Redis の値が五分古いことがあったためです。",
            ("ビュー", "Redis"),
        ),
        "app/models/vacancy.rb",
        PlantedFact(
            "満室の日は正しく表示されます。次は団体予約の画面に同じ修正を入れます。",
            ("団体予約",),
        ),
        ("速さは変わりましたか。", "表示は 80 ミリ秒で、前と同じです。"),
    ),
    PlantedSession(
        "teahouse",
        "会員証の QR コードが古い端末で読めません。対応をお願いします。",
        PlantedFact(
            "公開ブランチは release だけです。main には直接プッシュしないでください。",
            ("release|main", "プッシュ|公開"),
        ),
        PlantedFact(
            "誤り訂正はレベル H に決めました。印刷した会員証は端が汚れやすいからです。",
            ("レベル H", "汚れ|会員証"),
        ),
        "lib/membership/qr_code.dart",
        PlantedFact(
            "古い端末でも読めました。次の作業は店員用アプリの読み取り画面の確認です。",
            ("店員用アプリ",),
        ),
        ("画像の大きさは?", "画像は 12 KB です。"),
    ),
)

TAKEN_BACK = (
    TakenBack(
        "pier", "user", "We deploy the pier service with Nomad, push the image and then run the nomad job.",
        "(?i)nomad", "My mistake, we don't run Nomad there at all: the pier service is deployed with plain compose.",
        "(?i)compose", "how do I get the pier service onto staging, which tool deploys it?", True,
    ),
    TakenBack(
        "kiln", "agent", "Decision: the kiln controller stores its temperatures in InfluxDB, as the series grow fast.",
        "(?i)influx", "no, undo that, we use Postgres for the temperatures of the kiln.",
        "(?i)postgres", "where does the kiln controller store temperatures?", True,
    ),
    TakenBack(
        "rota", "user", "Always round working hours up to the next quarter of an hour.",
        "(?i)round.*\\bup\\b", "Sorry, I was wrong about that: hours are rounded to the nearest quarter, not up.",
        "(?i)nearest", "how are working hours rounded in the rota report?", True,
    ),
    TakenBack(
        "beacon", "agent", "The beacon gateway must be restarted after every change of config.toml, it does not reload.",
        "(?i)must be restarted|does not reload", "That's not correct, it reloads on SIGHUP. Forget the restart.",
        "(?i)SIGHUP|forget", "do I have to restart the beacon gateway when config.toml changes?", True,
    ),
    TakenBack(
        "loom", "user", "Tests of the loom project run with Jest, put new ones next to the component.",
        "(?i)\\bjest\\b", "Scratch what I said about Jest, that was the other repository. Here it is Vitest.",
        "(?i)vitest", "which runner should the new tests of the loom project use?", True,
    ),
    TakenBack(
        "ledger", "user", "In the ledger we never delete bookings, we set them to status cancelled.",
        "(?i)status cancelled|never delete", "I told you something wrong yesterday: bookings are not set to cancelled, we write a counter-booking.",
        "(?i)counter-booking", "what happens to a booking in the ledger that was wrong?", False,
    ),
    TakenBack(
        "quarry", "agent", "I made the quarry import run with eight workers, because the disk had room for more load.",
        "(?i)eight workers", "revert the eight workers please, the import stays single-threaded, the vendor locks the file.",
        "(?i)single.thread|revert", "how many workers may the quarry import use?", False,
    ),
    TakenBack(
        "atlas", "user", "Coordinates in the atlas API are longitude first, then latitude.",
        "(?i)longitude first", "Correction: I mixed it up, the atlas API wants latitude first.",
        "(?i)latitude first", "which order do coordinates of the atlas API have?", False,
    ),
    TakenBack(
        "pension", "user", "Für die Pension nehmen wir als Sprache der Oberfläche immer Englisch.",
        "(?i)immer Englisch", "Das war falsch von mir, nimm das zurück: die Oberfläche der Pension ist Deutsch.",
        "(?i)Deutsch|falsch", "welche Sprache hat die Oberfläche der Pension?", False,
    ),
    TakenBack(
        "minato", "user", "港の在庫は毎晩 FTP で送ります。",
        "FTP", "すみません、間違えました。FTP はもう使いません。在庫は API で送ります。",
        "API|間違え", "港の在庫はどうやって送りますか。", False,
    ),
)  # fmt: skip
