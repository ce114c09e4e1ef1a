"""The thread: asked last, done, open, blocked; one state that replaces itself."""

from __future__ import annotations

from datetime import timedelta

import pytest

from contextd.sessions.outcome_signals import judge, read_signals
from contextd.sessions.thread import EXPIRES, Thread, lines_of, thread_from, thread_of
from contextd.sessions.turns import turns_of
from support.talks import START, Talk

ANSWER = "The tax is rounded once, at the end of the basket, in src/price.py."


def thread(talk: Talk, branch: str = "main", root: str = "") -> Thread:
    found = thread_of(turns_of(talk.events), branch=branch, root=root)
    assert found is not None
    return found


def test_commits_and_pull_requests_are_what_was_done() -> None:
    talk = Talk().asks("Round the tax once").writes("/w/shop/src/price.py")
    talk.told("commit", "Round the tax once", "assistant", sha="1a2b3c4d5e")
    talk.told("pull_request", "Round the tax", "assistant", number=12).answers(ANSWER)
    found = thread(talk, "tax", "/w/shop")
    assert found.done == ("1a2b3c4d Round the tax once", "12 Round the tax")
    assert (found.asked, found.files) == (("Round the tax once",), ("src/price.py",))
    assert (found.branch, found.open, found.said) == ("tax", (), ANSWER)


def test_without_a_commit_the_end_of_the_finished_list_is_what_was_done() -> None:
    states = ("completed", "completed", "completed", "in_progress", "cancelled")
    items = [{"content": f"step {n}", "status": state} for n, state in enumerate(states)]
    talk = Talk().asks("Do all the steps").told("todo", "", "assistant", items=items)
    found = thread(talk.answers(ANSWER))
    assert found.done == ("step 1", "step 2")
    assert found.open == ("step 3",)


def test_a_question_of_the_agent_is_open_until_the_user_says_something() -> None:
    talk = Talk().asks("Round the tax once").answers(f"{ANSWER}\n\nShall I mend the invoice too?")
    assert thread(talk).open == ("Asked the user: Shall I mend the invoice too?",)
    talk.asks("Yes, mend the invoice").answers("The invoice is mended in src/invoice.py as well.")
    assert thread(talk).open == ()


@pytest.mark.parametrize(
    "offer",
    [
        "Would you like to know anything else about rounding?",
        "Is there any other part that I can help you with?",
        "Möchtest du noch mehr Details?",
        "Souhaitez-vous autre chose ?",
        "¿Quieres que te ayude con algo más?",
        "他に何かお手伝いできることはありますか？",
        "您需要我帮您进行哪些具体的改进吗？",
    ],
)
def test_an_offer_of_more_help_is_no_open_question(offer: str) -> None:
    assert thread(Talk().asks("Round the tax once").answers(f"{ANSWER}\n\n{offer}")).open == ()


def test_a_list_is_not_open_once_all_work_is_reported_done() -> None:
    items = [{"content": "Cache the responses", "status": "pending"}]
    talk = Talk().asks("Do all the steps").told("todo", "", "assistant", items=items)
    talk.answers("Half of the steps are implemented, the tests are green.")
    assert thread(talk).open == ("Cache the responses",)
    talk = Talk().asks("Do all the steps").told("todo", "", "assistant", items=items)
    assert thread(talk.answers("All work is complete, the tests are green.")).open == ()


@pytest.mark.parametrize(
    "answer",
    [
        "I'll review the existing tests to identify gaps we can cover.",
        "Perfect! Let me check the query first.\nLet me look at the orders:",
        "Ich schaue mir zuerst die Tests an.",
        "Je vais d'abord lire les tests.",
        "Voy a revisar las pruebas.",
        "まずテストを確認します。",
        "让我先检查测试。",
    ],
)
def test_what_an_interrupted_turn_announced_is_no_state_of_the_work(answer: str) -> None:
    assert thread(Talk().asks("Round the tax once").answers(answer)).said == ""


def test_an_announcement_beside_a_report_is_quoted_with_it() -> None:
    answer = f"Let me sum up. {ANSWER}"
    assert thread(Talk().asks("Round the tax once").answers(answer)).said == answer


def test_what_an_answer_says_before_its_calls_is_not_quoted() -> None:
    said = f"Let me look at the importer first:\n\n{ANSWER}\n\nLet me run the tests:"
    assert thread(Talk().asks("Round the tax once").answers(said)).said == ANSWER


def test_a_failing_test_is_open_until_it_passes() -> None:
    talk = Talk().asks("Round the tax once").runs("pytest -q", "2 failed", 1).answers(ANSWER)
    assert "Failing: pytest -q" in thread(talk).open
    talk.asks("Mend the tests").runs("pytest -q", "4 passed").answers(ANSWER)
    assert thread(talk).open == ()


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("gh run view 222 --log-failed 2>&1 | tail -80", "1 failed"),
        ("git add a.py && git commit -m \"$(cat <<'EOF'\nRound once\nEOF\n)\"", "FAILED: hook"),
        ("grep -rn failed logs/ | head", "logs/a: 3 failed"),
        ("cd src && ls missing", "ls: missing: no such file"),
    ],
)
def test_a_command_that_only_reads_leaves_nothing_failing(command: str, output: str) -> None:
    talk = Talk().asks("Round the tax once").runs(command, output, 1).answers(ANSWER)
    assert not any(text.startswith("Failing") for text in thread(talk).open)
    assert judge(read_signals(talk.events)) == ""


@pytest.mark.parametrize(
    "command", ["cd api && npm test", "CI=1 pytest -q | tail -5", "make check"]
)
def test_a_run_after_a_change_of_folder_still_counts(command: str) -> None:
    talk = Talk().asks("Round the tax once").runs(command, "2 failed", 1).answers(ANSWER)
    assert f"Failing: {command}" in thread(talk).open
    assert judge(read_signals(talk.events)) == "failure"


def test_a_prompt_without_an_answer_is_open() -> None:
    talk = Talk().asks("Where is the tax rounded?").answers(ANSWER).asks("Round the tax once")
    assert thread(talk).open == ("Not answered yet: Round the tax once",)


@pytest.mark.parametrize(
    "talk",
    [
        Talk().asks("Where is it?").answers(ANSWER).asks("Round the tax").writes("src/price.py"),
        Talk().asks("Where is it?").answers(ANSWER).asks("Sync the branch").runs("git pull"),
        Talk().asks("Where is it?").answers(ANSWER).asks("/exit\n  ⎿  See you later!"),
        Talk().asks("Where is it?").answers(ANSWER).asks("go on"),
        Talk().asks("Return the one token PASS."),
    ],
    ids=["edited", "ran", "command", "too short", "a program's session"],
)
def test_work_answers_a_prompt_and_a_session_without_any_answer_has_none_open(talk: Talk) -> None:
    assert not any(text.startswith("Not answered") for text in thread(talk).open)


@pytest.mark.parametrize(
    ("announced", "step"),
    [
        ("Next: wire the invoice to it.", "wire the invoice to it."),
        ("**Next steps**\n- wire the invoice\n- write the test", "wire the invoice"),
        ("Then I'll wire the invoice to it.", "Then I'll wire the invoice to it."),
        ("Nächste Schritte:\n1. Rechnung anbinden", "Rechnung anbinden"),
        ("Als Nächstes binde ich die Rechnung an.", "Als Nächstes binde ich die Rechnung an."),
        ("Prochaine étape : relier la facture", "relier la facture"),
        ("Siguientes pasos:\n- conectar la factura", "conectar la factura"),
        ("次のステップ：請求書をつなぐ", "請求書をつなぐ"),
        ("下一步：接上发票", "接上发票"),
    ],
)
def test_an_announced_next_step_is_open_in_any_language(announced: str, step: str) -> None:
    found = thread(Talk().asks("Round the tax once").answers(f"{ANSWER}\n\n{announced}"))
    assert step in found.open


@pytest.mark.parametrize("line", ["Open: nothing", "Open: None.", "Open: nichts"])
def test_nothing_left_to_do_is_not_open(line: str) -> None:
    assert thread(Talk().asks("Round the tax once").answers(ANSWER).answers(line)).open == ()


@pytest.mark.parametrize(
    "said",
    [
        "We are blocked on the tax office's answer.",
        "I am waiting for the new API key.",
        "Die Rechnung ist blockiert, bis das Amt antwortet.",
        "On est en attente de la clé.",
    ],
)
def test_work_that_waits_for_something_is_blocked_in_the_thread(said: str) -> None:
    found = thread(Talk().asks("Round the tax once").answers(f"{ANSWER}\n{said}"))
    assert found.blocked == (said,)
    assert lines_of(found, 350)[0] == f"Blocked: {said}"


def test_blocked_ends_when_the_work_goes_on() -> None:
    talk = Talk().asks("Round the tax once").answers("I am waiting for the new API key.")
    talk.asks("Here is the key, go on with it").answers(ANSWER)
    assert thread(talk).blocked == ()


def test_assent_and_choices_are_not_what_was_asked() -> None:
    talk = Talk().asks("Round the tax once").answers(ANSWER).asks("yes").answers(ANSWER).asks("2")
    assert thread(talk).asked == ("Round the tax once",)
    for of_client in (
        '@agent Continue: "Continue to iterate?"',
        "Implement the following plan:",
        "Implement the plan as specified, it is attached for your reference. Do NOT edit the plan file itself.",
        "For the code present, we get this error:\n\nHow can I resolve this? If you propose a fix, please make it concise.",
    ):
        talk = Talk().asks("Round the tax once").answers(ANSWER).asks(of_client).answers(ANSWER)
        assert thread(talk).asked == ("Round the tax once",)
    assert thread(Talk().asks("税を一度だけ丸めて").answers(ANSWER)).asked == (
        "税を一度だけ丸めて",
    )


def test_a_thread_replaces_itself() -> None:
    talk = Talk().asks("Round the tax once").answers(f"{ANSWER}\n\nNext: the invoice.")
    before = thread(talk)
    for words in ("Now the invoice", "Now the receipt", "Now the export"):
        talk.asks(words).answers(f"{words} is done, in src/{len(words)}.py, and it is tested.")
    after = thread(talk)
    assert after.asked == ("Now the invoice", "Now the receipt", "Now the export")
    assert before.open == ("the invoice.",)
    assert after.open == ()
    assert after.at > before.at


def test_a_request_that_was_taken_back_is_not_in_the_thread() -> None:
    talk = (
        Talk().asks("Round every line").answers(ANSWER).asks("No, only the basket").answers(ANSWER)
    )
    turns = turns_of(talk.events)
    turns[0].taken_back = True
    found = thread_of(turns, branch="main")
    assert found is not None
    assert found.asked == ("No, only the basket",)


def test_a_thread_is_over_after_two_weeks() -> None:
    found = thread(Talk().asks("Round the tax once").answers(ANSWER))
    assert not found.is_over(START + EXPIRES)
    assert found.is_over(START + EXPIRES + timedelta(minutes=5))
    assert Thread(at="nonsense").is_over(START)


def test_a_thread_comes_back_from_what_a_session_kept() -> None:
    found = thread(Talk().asks("Round the tax once").answers(f"{ANSWER}\n\nNext: the invoice."))
    assert thread_from(found.as_data()) == found
    assert thread_from(None) is None
    assert thread_from({"branch": "main"}) is None


def test_nothing_asked_leaves_no_thread() -> None:
    assert thread_of([], branch="main") is None


@pytest.mark.parametrize("budget", [0, 20, 60, 200])
def test_lines_keep_to_their_budget_and_what_matters_most_stays(budget: int) -> None:
    talk = Talk().asks("Round the tax once").answers(f"{ANSWER}\n\nNext: the invoice.")
    lines = lines_of(thread(talk), budget)
    assert len("\n".join(lines)) <= budget * 6
    if budget >= 60:
        assert lines[0] == "Asked last: Round the tax once"
