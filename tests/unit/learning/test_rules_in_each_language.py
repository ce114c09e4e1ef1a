"""A user's rule holds and ends in the language in which it is stated and taken back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from support.clients import CodingClient
from support.desks import Desk


@dataclass(frozen=True)
class Talk:
    """A rule, a prompt that touches it, one that does not, words that end it, and an agent's answer."""

    rule: str
    touching: str
    other: str
    ending: str
    answer: str


TALKS = {
    "de": Talk(
        "Ab jetzt speichern wir alle Geldbeträge als Integer in Cent.",
        "speichere die Geldbeträge der Artikel",
        "die Überschrift auf der Startseite soll größer sein",
        "Vergiss die Regel mit den Geldbeträgen in Cent, die gilt nicht mehr.",
        "Das ist erledigt, die Änderung steht in der Datei und die Tests laufen durch.",
    ),
    "fr": Talk(
        "À partir de maintenant tous les montants sont stockés en centimes entiers.",
        "ajoute une colonne prix et stocke les montants",
        "le titre de la page d'accueil doit être plus grand",
        "Oublie la règle des montants stockés en centimes, elle n'est plus valable.",
        "C'est fait, la modification est dans le fichier et les tests passent tous.",
    ),
    "es": Talk(
        "A partir de ahora todos los importes se guardan como céntimos enteros.",
        "guarda los importes de los artículos",
        "el título de la portada debe verse más grande",
        "Olvida la regla de guardar los importes como céntimos, ya no aplica.",
        "Está hecho, el cambio está en el archivo y los tests pasan todos.",
    ),
    "ja": Talk(
        "今後は金額を必ず整数のセントで保存してください。",
        "価格の列を追加して金額を保存して",
        "トップページの見出しを大きくして",
        "金額をセントで保存するルールは撤回します。もう必要ありません。",
        "対応しました。変更はファイルに入っていて、テストもすべて通っています。",
    ),
    "zh": Talk(
        "从现在开始金额一律用整数分存储。",
        "加一个价格列并存储金额",
        "把首页的标题放大一点",
        "金额用整数分存储的规则作废，不再需要了。",
        "已经完成，改动在文件里，所有测试都通过了。",
    ),
}


def session(desk: Desk, folder: Path, *prompts: tuple[str, str]) -> str:
    """A session with these prompts and answers; what it was told at its start."""
    client = CodingClient(desk, folder)
    told = client.starts()
    for prompt, answer in prompts:
        client.asks(prompt)
        client.answers(answer)
    client.ends()
    return told


@pytest.mark.parametrize("language", TALKS)
def test_a_rule_is_told_at_the_start_of_later_sessions(
    desk: Desk, tmp_path: Path, language: str
) -> None:
    talk = TALKS[language]
    session(desk, tmp_path, (talk.rule, talk.answer))
    told = session(desk, tmp_path, (talk.other, talk.answer))
    assert talk.rule in told.partition("## Always\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("language", TALKS)
def test_a_prompt_that_touches_a_rule_gets_it_and_another_does_not(
    desk: Desk, tmp_path: Path, language: str
) -> None:
    talk = TALKS[language]
    client = CodingClient(desk, tmp_path)
    client.starts()
    # Recorded after the start: the briefing would tell it, and no rule is told twice.
    desk.as_owner("remember", kind="rule", content=talk.rule)
    assert talk.rule not in client.asks(talk.other)
    assert talk.rule in client.asks(talk.touching)


@pytest.mark.parametrize("language", TALKS)
def test_a_rule_ends_when_it_is_taken_back(desk: Desk, tmp_path: Path, language: str) -> None:
    talk = TALKS[language]
    session(desk, tmp_path, (talk.rule, talk.answer))
    session(desk, tmp_path, (talk.ending, talk.answer))
    told = session(desk, tmp_path, (talk.other, talk.answer))
    assert [line for line in told.splitlines() if talk.rule in line and "ended:" not in line] == []
    assert talk.rule not in session(desk, tmp_path, (talk.other, talk.answer))
    listed = desk.as_owner("list_records", kind="discovery", status="active")["records"]
    assert [one["content"] for one in listed if one["content"] in (talk.rule, talk.ending)] == []


@pytest.mark.parametrize("language", TALKS)
def test_words_on_another_subject_take_no_rule_back(
    desk: Desk, tmp_path: Path, language: str
) -> None:
    talk = TALKS[language]
    session(desk, tmp_path, (talk.rule, talk.answer))
    wrong = {
        "de": "Nein, das ist falsch, die Überschrift war besser.",
        "fr": "Non, c'est faux, le titre était mieux avant.",
        "es": "No, eso está mal, el título estaba mejor antes.",
        "ja": "いや、違います、見出しは前の方がよかった。",
        "zh": "不对，标题还是原来的好。",
    }[language]
    session(desk, tmp_path, (talk.other, talk.answer), (wrong, talk.answer))
    assert talk.rule in session(desk, tmp_path, (talk.other, talk.answer))
