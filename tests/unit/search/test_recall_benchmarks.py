"""The recall benchmarks read their data, measure what they say, and reach their goals."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from contextd.embedders import EMBEDDERS
from contextd_bench import beam, cosqa, locomo, realtalk, shared_home
from contextd_bench.bm25 import PlainBM25
from contextd_bench.data import checksum, data_file, score
from contextd_bench.recall import RECALL
from contextd_bench.run import main
from contextd_common.errors import NotFound
from support.desks import embedder

SAMPLE = {
    "conversation": {
        "speaker_a": "Ana",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I adopted a beagle called Pixel."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Lovely! I only have a cactus."},
        ],
        "session_2_date_time": "9:05 am on 12 June, 2023",
        "session_2": [
            {"speaker": "Ben", "dia_id": "D2:1", "text": "My sister moved to Lisbon last week."},
            {"speaker": "Ana", "dia_id": "D2:2", "text": "Will you visit her in Portugal?"},
        ],
    },
    "qa": [
        {"question": "What dog does Ana have?", "evidence": ["D1:1"], "category": 4},
        {"question": "Where does Ben's sister live?", "evidence": ["D2:1; D9:9"], "category": 4},
        {"question": "Without evidence?", "evidence": [], "category": 5},
    ],
}
FUNCTIONS = {
    "def read_text(path):\n    with open(path) as file:\n        return file.read()": 0,
    "def add(left, right):\n    return left + right": 1,
    "def sort_by_length(names):\n    return sorted(names, key=len)": 2,
}


@pytest.fixture(autouse=True)
def one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model of the other tests: each benchmark would load 40 MB more."""
    shared = embedder()
    monkeypatch.setitem(EMBEDDERS, "minilm", lambda _: shared)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "locomo").mkdir()
    (tmp_path / "cosqa").mkdir()
    (tmp_path / "locomo" / "locomo-dev.json").write_text(json.dumps([SAMPLE]))
    (tmp_path / "cosqa" / "code_idx_map.txt").write_text(json.dumps(FUNCTIONS))
    asked = [
        {"doc": "python open a file and get its content", "retrieval_idx": 0},
        {"doc": "sort strings by their length", "retrieval_idx": 2},
    ]
    (tmp_path / "cosqa" / "cosqa-retrieval-dev-500.json").write_text(json.dumps(asked))
    return tmp_path


CHAT = [
    {
        "turns": [
            [
                {"id": 0, "role": "user", "content": "The importer must skip empty rows. ->-> 1,1"},
                {
                    "id": 1,
                    "role": "assistant",
                    "content": "It skips them now: the parser drops what has no cell that says anything.",
                },
                {"id": 2, "role": "user", "content": "Deploy on Fridays only after ten."},
                {
                    "id": 3,
                    "role": "assistant",
                    "content": "I noted the hour of the deployment in the pipeline, so that it waits until then.",
                },
            ]
        ]
    }
]
PROBES = {
    "information_extraction": [
        {
            "question": "When may I deploy on Fridays?",
            "source_chat_ids": "{'first': [2], 'x': [99]}",
        }
    ],
    "abstention": [{"question": "Who is the owner?", "source_chat_ids": []}],
    "summarization": [{"question": "Sum it up.", "source_chat_ids": [0, 1, 2, 3]}],
}


def test_chats_with_an_assistant_are_measured_as_messages_and_as_episodes(tmp_path: Path):
    chat = tmp_path / "beam" / "dev" / "1"
    (chat / "probing_questions").mkdir(parents=True)
    (chat / "chat.json").write_text(json.dumps(CHAT))
    (chat / "probing_questions" / "asked.json").write_text(json.dumps(PROBES))
    [conversation] = beam.load(chat.parent)
    assert [turn.id for turn in conversation.turns] == ["D1-1", "D1-2", "D1-3", "D1-4"]
    assert conversation.turns[0].text == "The importer must skip empty rows."
    [question] = conversation.questions
    assert question.evidence == {"D1-3"}
    found = beam.run(tmp_path, out=io.StringIO())
    assert {name for name in found if "episodes" in name} == {"contextd, episodes"}
    assert found["contextd, episodes"]["MRR"]["mean"] == 1.0
    assert found["plain BM25, turns"]["MRR"]["mean"] == 1.0


def test_a_folder_without_chats_is_named(tmp_path: Path):
    with pytest.raises(NotFound, match="there are no chats in"):
        beam.run(tmp_path, out=io.StringIO(), file="elsewhere")


REAL_CHAT = {
    "name": {"speaker_1": "Ana", "speaker_2": "ben"},
    "session_2": [
        {
            "speaker": "ben",
            "dia_id": "D2:1",
            "date_time": "02.01.2024, 08:15:00",
            "clean_text": "Up?",
        },
    ],
    "session_1": [
        {
            "speaker": "Ana",
            "dia_id": "D1:1",
            "date_time": "29.12.2023, 22:42:04",
            "clean_text": "I bought a red bicycle.",
        },
    ],
    "session_1_date_time": "29.12.2023",
    "events_session_1": {"Ana": []},
    "qa": [
        {"question": "What did Ana buy?", "evidence": ["D1:1", "D7:7"]},
        {"question": "Who won?", "evidence": []},
    ],
}


def test_chats_of_real_people_are_read_in_order_with_known_evidence_and_measured(tmp_path: Path):
    folder = tmp_path / "realtalk" / "dev"
    folder.mkdir(parents=True)
    for name in ("Chat_10_Ana_ben", "Chat_2_Ana_ben"):
        (folder / f"{name}.json").write_text(json.dumps(REAL_CHAT))
    first, last = realtalk.load(folder)
    assert (first.name, last.name) == ("chat-2", "chat-10")
    assert [turn.id for turn in first.turns] == ["D1:1", "D2:1"]
    assert first.turns[0].at.isoformat() == "2023-12-29T22:42:04+00:00"
    assert [question.evidence for question in first.questions] == [{"D1:1"}]
    out = io.StringIO()
    figures = realtalk.run(tmp_path, out=out, store="memory")
    assert figures["contextd"]["evidence in 500 tokens as shown"]["mean"] == 1.0
    assert "fitted on this split too" in out.getvalue()
    with pytest.raises(NotFound, match="held-out"):
        realtalk.run(tmp_path, out=out, file="held-out")


def test_evidence_cut_from_an_answer_does_not_count_as_read(tmp_path: Path):
    folder = tmp_path / "realtalk" / "dev"
    folder.mkdir(parents=True)
    long = "What Ana did buy: a red bicycle. " + "It was the last one in the shop. " * 20
    chat = {**REAL_CHAT, "session_1": [{**REAL_CHAT["session_1"][0], "clean_text": long}]}
    (folder / "Chat_1_Ana_ben.json").write_text(json.dumps(chat))
    figures = realtalk.run(tmp_path, out=io.StringIO(), store="memory")
    assert figures["contextd"]["evidence in 500 tokens as shown"]["mean"] == 0.0
    assert figures["contextd"]["evidence in 500 tokens"]["mean"] == 1.0


def test_locomo_is_read_with_speakers_times_and_known_evidence(data: Path):
    (conversation,) = locomo.load(data / "locomo" / "locomo-dev.json")
    assert [turn.id for turn in conversation.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert conversation.turns[2].at.isoformat() == "2023-06-12T09:05:00+00:00"
    assert [question.evidence for question in conversation.questions] == [{"D1:1"}, {"D2:1"}]


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_locomo_measures_both_systems_through_a_store(data: Path, store: str):
    out = io.StringIO()
    figures = locomo.run(data, out=out, store=store)
    assert figures["questions"] == 2
    assert figures["contextd"]["turn recall@10"]["mean"] == 1.0
    assert 0 <= figures["plain BM25"]["turn recall@10"]["mean"] <= 1
    assert figures["data sha256"] in out.getvalue()
    assert "| contextd | 100.0 (100.0–100.0)" in out.getvalue()


def test_cosqa_ranks_the_function_that_answers_first(data: Path):
    figures = cosqa.run(data, out=io.StringIO(), store="memory")
    assert figures["functions"] == 3
    assert figures["contextd"]["MRR"]["mean"] == 1.0


@pytest.mark.parametrize("store", ["memory", "sqlite"])
def test_a_shared_home_is_measured_beside_each_project_alone(data: Path, store: str):
    other = json.loads(json.dumps(SAMPLE).replace("beagle", "poodle").replace("Lisbon", "Porto"))
    (data / "locomo" / "locomo-dev.json").write_text(json.dumps([SAMPLE, other]))
    figures = shared_home.run(data, out=io.StringIO(), store=store)
    for data_set, alone in (("LoCoMo", "each conversation"), ("CoSQA", "the functions")):
        row = figures[f"{data_set}, {alone} alone"]
        assert row["MRR"]["mean"] == 1.0
        assert figures[f"{data_set}, all in one home"] == row
    assert figures["questions"] == "4 of conversations, 2 of 2000 functions"


def test_another_file_is_measured_by_its_name_and_said(data: Path):
    (data / "locomo" / "mine.json").write_text(json.dumps([{**SAMPLE, "qa": SAMPLE["qa"][:1]}]))
    out = io.StringIO()
    assert locomo.run(data, out=out, file="mine.json", store="memory")["questions"] == 1
    assert "data: mine.json" in out.getvalue()
    with pytest.raises(SystemExit):
        main(["--data", str(data), "--file", "mine.json"])


@pytest.mark.parametrize("name", list(RECALL))
def test_missing_data_is_not_found_with_a_hint(name: str, tmp_path: Path):
    with pytest.raises(NotFound) as caught:
        RECALL[name](tmp_path, out=io.StringIO())
    assert caught.value.hint


def test_the_baseline_stems_splits_and_prefers_rare_words():
    baseline = PlainBM25(["readFile reads files", "the files", "files and sockets", "nothing"])
    assert baseline.ranking("reading", 5) == [0]
    assert baseline.ranking("the file sockets", 5)[0] == 2
    assert baseline.ranking("the", 5) == []


def test_an_interval_surrounds_the_mean_and_repeats():
    values = [0.0, 1.0] * 50
    once, again = score(values), score(values)
    assert once == again
    assert once.low < once.mean == 0.5 < once.high
    assert str(score([1.0, 1.0])) == "100.0 (100.0–100.0)"


def test_a_checksum_depends_on_content(data: Path):
    path = data_file(data, "cosqa", "code_idx_map.txt")
    before = checksum(path)
    path.write_text("{}")
    assert checksum(path) != before


@pytest.fixture
def public_data() -> Path:
    beside = Path(__file__).resolve().parents[4] / "shared" / "data"
    data = Path(os.environ.get("CONTEXTD_BENCH_DATA") or beside)
    if not data.is_dir():
        pytest.skip("the public data sets are not here; set CONTEXTD_BENCH_DATA to their folder")
    return data


@pytest.mark.slow
def test_locomo_reaches_its_goals(public_data: Path):
    figures = locomo.run(public_data, out=io.StringIO())
    ours, plain = figures["contextd"], figures["plain BM25"]
    assert ours["turn recall@10"]["mean"] >= 0.72
    assert ours["evidence in 500 tokens"]["mean"] >= 0.82
    assert ours["turn recall@10"]["low"] > plain["turn recall@10"]["high"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_cosqa_beats_plain_bm25_by_fifteen_percent(public_data: Path):
    figures = cosqa.run(public_data, out=io.StringIO())
    for measure in ("recall@10", "MRR"):
        ours, plain = figures["contextd"][measure], figures["plain BM25"][measure]
        assert ours["mean"] >= 1.15 * plain["mean"]
