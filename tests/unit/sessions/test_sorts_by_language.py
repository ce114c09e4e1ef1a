"""What a user demands, takes back, decides and refuses is known in each language; plain talk is not."""

from __future__ import annotations

import pytest

from contextd.domain.directives import force_of
from contextd.sessions.ledger_sorts import agents_sort, users_sort
from contextd.sessions.outcome_signals import APPROVAL, CORRECTION
from contextd.sessions.retractions import takes_back

RULES = {
    "de": ["ab sofort immer erst den linter starten", "Schreib niemals Passwörter ins Log.",
           "Regel: jede Tabelle hat eine uuid", "auf keinen fall den cache leeren"],
    "fr": ["désormais lance toujours le linter", "n'écris jamais de mot de passe dans le log",
           "Règle : chaque table a un uuid", "en aucun cas vider le cache"],
    "es": ["a partir de ahora ejecuta siempre el linter", "nunca escribas contraseñas en el log",
           "Regla: cada tabla tiene un uuid", "bajo ningún concepto vacíes la caché"],
    "ja": ["今後は必ずリンターを実行してください", "パスワードを絶対にログに書かないこと",
           "ルール：テーブルにはuuidを付ける", "勝手にキャッシュを消さないで"],
    "zh": ["以后每次都要先跑linter", "绝对不要把密码写进日志", "规则：每张表都有uuid", "任何情况下都不要清缓存"],
}  # fmt: skip
ENDED = {
    "de": ["nein, so war das nicht gemeint, das war falsch", "nimm die letzte änderung zurück"],
    "fr": ["non, c'est faux", "je me suis trompé de table"],
    "es": ["me equivoqué de tabla", "deshaz el último cambio"],
    "ja": ["いや、それは違う", "テーブルを間違えました"],
    "zh": ["不对，我说错了", "刚才的改动撤销掉"],
}
DECIDED = {
    "de": "Wir haben uns für Kafka entschieden.",
    "fr": "Nous avons choisi Kafka pour les événements.",
    "es": "Decidimos usar Kafka para los eventos.",
    "ja": "イベントにはKafkaを採用した。",
    "zh": "我们决定用Kafka处理事件。",
}
REFUSED = {
    "de": "Kafka haben wir probiert, es war zu langsam und wurde verworfen.",
    "fr": "On a essayé Kafka, la solution a été abandonnée.",
    "es": "Probamos Kafka y lo descartamos por lento.",
    "ja": "Kafkaを試したがうまくいかなかった。",
    "zh": "试过Kafka，行不通，放弃了。",
}
PLAIN = {
    "de": ["Der Knopf ist rot.", "zeig mir die datei", "Es ist noch nie abgestürzt.", "der build läuft"],
    "fr": ["Le bouton est rouge.", "montre-moi le fichier", "Le build tourne.", "il ne l'a jamais vu"],
    "es": ["El botón es rojo.", "muéstrame el archivo", "Siempre se cierra solo.", "el build corre"],
    "ja": ["ボタンは赤いです。", "ファイルを見せて", "いつも落ちます。", "ビルド中です"],
    "zh": ["按钮是红色的。", "给我看文件", "总是崩溃。", "构建中"],
}  # fmt: skip


def each(samples: dict[str, list[str]]) -> list[str]:
    return [sentence for sentences in samples.values() for sentence in sentences]


@pytest.mark.parametrize("sentence", each(RULES))
def test_a_rule_is_a_rule_in_each_language(sentence: str) -> None:
    assert force_of(sentence) == "stated"
    assert users_sort(sentence) == "rule"


@pytest.mark.parametrize("sentence", each(ENDED))
def test_taking_back_is_known_in_each_language(sentence: str) -> None:
    assert takes_back(sentence)
    assert users_sort(sentence) == "correction"


@pytest.mark.parametrize("sentence", each(PLAIN))
def test_plain_talk_states_and_takes_back_nothing(sentence: str) -> None:
    assert force_of(sentence) != "stated"
    assert not takes_back(sentence)


@pytest.mark.parametrize("language", DECIDED)
def test_an_agents_decisions_and_refused_ways_are_known_in_each_language(language: str) -> None:
    assert agents_sort(DECIDED[language]) == "decision"
    assert agents_sort(REFUSED[language]) == "refused"


@pytest.mark.parametrize(
    "sentence",
    ["Die Regel mit den Tabs gilt nicht mehr, ab jetzt nicht.", "La règle des tabs est supprimée désormais.",
     "La regla de los tabs ya no aplica a partir de ahora.", "今後、タブのルールは廃止します。", "以后tab那条规则作废。",
     "You can ignore the rule about tabs from now on."],
)  # fmt: skip
def test_words_that_end_a_rule_state_none(sentence: str) -> None:
    assert force_of(sentence) == ""


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ("perfekt, läuft jetzt", "geht immer noch nicht"),
        ("parfait, ça marche", "ça ne marche pas"),
        ("perfecto, ya funciona", "sigue fallando"),
        ("完璧です、動きました", "まだ動きません"),
        ("完美，可以了", "还是报错，不行"),
    ],
)
def test_a_users_verdict_is_known_in_each_language(good: str, bad: str) -> None:
    assert (APPROVAL.search(good) is not None, CORRECTION.search(good) is None) == (True, True)
    assert CORRECTION.search(bad)
