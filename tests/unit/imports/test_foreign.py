"""What other programs know, as they write it: every format on a small file of our own."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import apsw
import pytest

from contextd.imports.foreign import FOREIGN, Note, Surroundings, Unread, foreign_format
from contextd.imports.foreign.instructions import claude_memory
from contextd.imports.foreign.safe_reading import json_items
from contextd.imports.importers import ImportBatch
from contextd_common.errors import Invalid, TooLarge

WHEN = "2025-10-09T08:00:00Z"


def read(path: Path, expected: str) -> list[Any]:
    """What a file gives, once it is recognised as what it is."""
    found = foreign_format(path)
    assert found is not None
    assert found.name == expected
    return list(found.read(path, path.name))


def database(path: Path, schema: str, *rows: tuple[str, tuple[Any, ...]]) -> Path:
    made = apsw.Connection(str(path))
    made.execute(schema)
    for table, values in rows:
        made.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(values))})", values)
    made.close()
    return path


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


CHATGPT = [
    {
        "title": "Queues",
        "create_time": 1760000000.0,
        "conversation_id": "c-1",
        "current_node": "d",
        "mapping": {
            "a": {"id": "a", "message": None, "parent": None, "children": ["b"]},
            "b": {
                "id": "b",
                "parent": "a",
                "message": {
                    "id": "m1",
                    "author": {"role": "user"},
                    "create_time": 1760000001.0,
                    "content": {"content_type": "text", "parts": ["How do I drain a queue?"]},
                },
            },
            "c": {
                "id": "c",
                "parent": "b",
                "message": {
                    "id": "m2",
                    "author": {"role": "assistant"},
                    "content": {
                        "content_type": "text",
                        "parts": ["An answer that was thrown away"],
                    },
                },
            },
            "d": {
                "id": "d",
                "parent": "b",
                "message": {
                    "id": "m3",
                    "author": {"role": "assistant"},
                    "create_time": 1760000009.0,
                    "content": {"content_type": "text", "parts": ["Stop the producers first."]},
                },
            },
        },
    },
    "no conversation",
]
CLAUDE = [
    {
        "uuid": "u-1",
        "name": "Rounding",
        "created_at": WHEN,
        "updated_at": WHEN,
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": "When do I round?", "created_at": WHEN},
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [{"type": "text", "text": "Once, at the end."}],
                "created_at": WHEN,
            },
        ],
    }
]


@pytest.mark.parametrize("packed", [False, True])
def test_chats_are_conversations_with_their_own_times(tmp_path, packed):
    path = written(tmp_path / "conversations.json", CHATGPT)
    if packed:
        packed_path = tmp_path / "export.zip"
        with zipfile.ZipFile(packed_path, "w", zipfile.ZIP_DEFLATED) as made:
            made.write(path, "conversations.json")
            made.writestr("../conversations.html", "<p>never looked at")
        path = packed_path
    chat, odd = read(path, "chatgpt")
    assert isinstance(chat, ImportBatch)
    assert [event.text for event in chat.events] == [
        "How do I drain a queue?",
        "Stop the producers first.",
    ]
    assert (chat.external_id, chat.title, chat.counts["rewound"]) == ("c-1", "Queues", 1)
    assert chat.started is not None
    assert chat.started.year == 2025
    assert odd == Unread("conversations.json[1]", "not a conversation")
    [rounding] = read(written(tmp_path / "claude.json", CLAUDE), "claude.ai")
    assert [event.role for event in rounding.events] == ["user", "assistant"]
    assert rounding.events[1].text == "Once, at the end."


def test_what_a_user_pasted_into_a_chat_is_a_note_and_not_their_words(tmp_path):
    said = "Why does it fail?\n```\nKeyError: 'a'\n```"
    messages = [
        {"uuid": "1", "sender": "human", "text": said, "created_at": WHEN},
        {"uuid": "2", "sender": "assistant", "text": said},
        {"uuid": "3", "sender": "human", "text": "```\nonly pasted\n```"},
    ]
    path = written(tmp_path / "conversations.json", [{**CLAUDE[0], "chat_messages": messages}])
    [chat] = read(path, "claude.ai")
    assert [(one.type, one.role, one.key, one.text, one.data["origin"]) for one in chat.events] == [
        ("message", "user", "1", "Why does it fail?", "prompt"),
        ("note", "user", "1:material", "```\nKeyError: 'a'\n```", "material"),
        ("message", "assistant", "2", said, "assistant"),
        ("note", "user", "3:material", "```\nonly pasted\n```", "material"),
    ]
    assert len({one.at for one in chat.events}) == 1


def test_an_archive_that_bursts_or_leads_out_is_refused(tmp_path):
    bomb = tmp_path / "bomb.zip"
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("conversations.json", "[" + " " * 5_000_000 + "]")
    with pytest.raises(TooLarge):
        list(FOREIGN["chatgpt"].read(bomb, bomb.name))
    sly = tmp_path / "sly.zip"
    with zipfile.ZipFile(sly, "w") as made:
        made.writestr("../../conversations.json", "[]")
    with pytest.raises(Invalid, match="points outside"):
        list(FOREIGN["claude.ai"].read(sly, sly.name))
    broken = tmp_path / "broken.zip"
    broken.write_bytes(b"PK\x03\x04" + b"nothing of a zip file" * 9)
    with pytest.raises(Invalid, match="not a readable text"):
        list(FOREIGN["chatgpt"].read(broken, broken.name))


def test_a_list_that_breaks_off_gives_what_came_before(tmp_path):
    text = json.dumps(CLAUDE)[:-1] + ', {"uuid": "u-2", "chat_mess'
    chat, end = read(written(tmp_path / "conversations.json", text), "claude.ai")
    assert chat.external_id == "u-1"
    assert end.place == "conversations.json[1]"
    assert [place for place, _ in json_items("{}")] == ["the beginning"]
    assert list(json_items("[]")) == []


def test_engram_says_where_it_learned_what(tmp_path):
    path = database(
        tmp_path / "engram.db",
        "CREATE TABLE sessions (id TEXT, project TEXT, directory TEXT);"
        "CREATE TABLE user_prompts (id INTEGER);"
        "CREATE TABLE observations (id INTEGER, sync_id TEXT, session_id TEXT, type TEXT, title TEXT,"
        " content TEXT, project TEXT, topic_key TEXT, created_at TEXT, updated_at TEXT, deleted_at TEXT)",
        ("sessions", ("s1", "shop", "/code/shop")),
        (
            "observations",
            (1, "o-1", "s1", "decision", "One queue", "Orders go through one queue", "shop",
             "queues", "2025-10-09 08:00:00", "2025-10-09 08:00:00", None),
        ),
        (
            "observations",
            (2, "o-2", "s1", "bugfix", "Gone", "It was wrong", "shop", None, WHEN, WHEN, WHEN),
        ),
    )  # fmt: skip
    note, gone = read(path, "engram")
    assert (note.cwd, note.project, note.sure) == ("/code/shop", "shop", True)
    assert (note.data["type"], note.tags) == ("decision", ("decision", "queues"))
    assert gone.why == "it was deleted there"


def test_claude_mem_of_any_version_is_read(tmp_path):
    path = database(
        tmp_path / "claude-mem.db",
        "CREATE TABLE sdk_sessions (id INTEGER, project TEXT);"
        "CREATE TABLE observations (id INTEGER, project TEXT, text TEXT, type TEXT, created_at TEXT);"
        "CREATE TABLE session_summaries (id INTEGER, project TEXT, request TEXT, learned TEXT,"
        " created_at TEXT)",
        ("observations", (1, "shop", "Totals are rounded once", "bugfix", WHEN)),
        ("observations", (2, "shop", None, "feature", WHEN)),
        ("session_summaries", (1, "shop", "Fix rounding", "Floats lose cents", WHEN)),
    )
    note, empty, summary = read(path, "claude-mem")
    assert (note.content, note.data["type"], note.sure) == (
        "Totals are rounded once",
        "issue",
        False,
    )
    assert empty.place == "observations 2"
    assert (summary.title, summary.content) == ("Fix rounding", "Learned: Floats lose cents")


def test_mem0_says_what_each_memory_said_last(tmp_path):
    schema = (
        "CREATE TABLE history (id TEXT, memory_id TEXT, old_memory TEXT, new_memory TEXT, event TEXT,"
        " created_at TEXT, updated_at TEXT, is_deleted INTEGER)"
    )
    path = database(
        tmp_path / "history.db",
        schema,
        ("history", ("1", "m1", None, "Likes tabs", "ADD", WHEN, None, 0)),
        ("history", ("2", "m1", "Likes tabs", "Likes spaces", "UPDATE", WHEN, WHEN, 0)),
        ("history", ("3", "m2", "Old", None, "DELETE", WHEN, WHEN, 1)),
    )
    note, gone = read(path, "mem0")
    assert (note.key, note.content) == ("m1", "Likes spaces")
    assert gone.why == "it was deleted there"
    export = {"results": [{"id": "m1", "memory": "Likes tea", "created_at": WHEN}, {"id": "m2"}]}
    tea, bad = read(written(tmp_path / "mem0.json", export), "mem0-export")
    assert (tea.content, bad.place) == ("Likes tea", "[1]")


def test_the_memory_service_keeps_tags_and_forgets_what_was_deleted(tmp_path):
    path = database(
        tmp_path / "sqlite_vec.db",
        "CREATE TABLE memories (id INTEGER, content_hash TEXT, content TEXT, tags TEXT, memory_type TEXT,"
        " metadata TEXT, created_at REAL, updated_at REAL, deleted_at REAL)",
        ("memories", (1, "h1", "Deploy on Fridays", "ops,deploy", "note", '{"project": "shop"}',
                      1760000000.5, None, None)),
        ("memories", (2, "h2", "Wrong", "", "", "{", 1760000000.5, None, 1760000001.0)),
    )  # fmt: skip
    note, gone = read(path, "mcp-memory-service")
    assert (note.tags, note.project) == (("note", "ops", "deploy"), "shop")
    assert note.created is not None
    assert isinstance(gone, Unread)
    other = database(tmp_path / "other.db", "CREATE TABLE memories (id INTEGER, fact TEXT)")
    assert foreign_format(other) is None


def test_the_reference_memory_is_an_entity_a_note(tmp_path):
    lines = [
        {
            "type": "entity",
            "name": "Queue",
            "entityType": "Service",
            "observations": ["is drained at noon"],
        },
        {"type": "relation", "from": "Queue", "to": "Worker", "relationType": "feeds"},
        {"type": "entity", "name": "Empty", "entityType": "Service", "observations": []},
    ]
    path = tmp_path / "memory.jsonl"
    path.write_text("\n".join([*map(json.dumps, lines), "{broken", '{"type": "other"}']))
    broken, odd, note, empty = read(path, "mcp-memory")
    assert (broken.place, odd.place, empty.place) == ("line 4", "line 5", "Empty")
    assert note.content == "- is drained at noon\n- Queue feeds Worker"
    assert note.tags == ("service",)


def test_letta_gives_the_blocks_of_an_agents_memory(tmp_path):
    agent = {
        "agents": [{"id": "agent-0", "messages": [{"role": "user"}]}],
        "blocks": [
            {"id": "block-0", "label": "human", "value": "The user prefers small commits"},
            {"id": "block-1", "label": "persona", "value": ""},
        ],
        "created_at": WHEN,
    }
    note, empty, messages = read(written(tmp_path / "agent.af", agent), "letta")
    assert (note.title, note.content) == ("human", "The user prefers small commits")
    assert empty.place == "blocks[1]"
    assert messages.why.startswith("1 messages")
    with pytest.raises(Invalid, match="line 1"):
        list(FOREIGN["letta"].read(written(tmp_path / "bad.af", "{"), "bad.af"))


def test_basic_memory_keeps_observations_and_relations(tmp_path):
    path = written(
        tmp_path / "coffee.md",
        "---\ntitle: Coffee\npermalink: notes/coffee\ntags: [drinks]\ncreated: 2025-10-09\n---\n\n# Coffee\n\n"
        "Some prose about it that is long enough.\n\n## Observations\n"
        "- [method] Pour over brings out the fruit #brewing (tried it)\n- [ ] buy beans\n"
        "- [00:12] spoken\n\n## Relations\n- pairs_with [[Chocolate]]\n",
    )
    method, rest = read(path, "basic-memory")
    assert method.content.startswith("Pour over brings out the fruit")
    assert method.tags == ("method", "brewing", "drinks")
    assert "Coffee pairs with Chocolate" in rest.content
    assert "buy beans" in rest.content


def test_pull_requests_that_were_merged_say_why(tmp_path):
    rows = [
        {"number": 7, "title": "One queue", "url": "u7", "mergedAt": WHEN, "author": {"login": "ann"},
         "body": "<!-- template -->\nTwo queues drifted apart, so orders go through one.\n- [x] tested"},
        {"number": 8, "title": "Open", "mergedAt": None, "body": "Not merged, whatever it says in here."},
        {"number": 9, "title": "Bump", "mergedAt": WHEN, "body": "bump"},
    ]  # fmt: skip
    note, waiting, brief = read(written(tmp_path / "prs.json", rows), "pull-requests")
    assert note.content == "Two queues drifted apart, so orders go through one."
    assert (note.title, note.said_by, note.sure) == ("#7 One queue", "ann", False)
    assert (waiting.why, brief.place) == ("it was not merged", "[2]")


def test_a_pull_request_is_dated_by_its_merge_and_known_by_its_address(tmp_path):
    body = "Two queues drifted apart, so orders go through one."
    rows = [
        {"number": 7, "title": "A", "url": "u7", "mergedAt": WHEN, "createdAt": "2025-01-01T00:00:00Z", "body": body},
        {"number": 8, "title": "B", "createdAt": "2025-01-02T00:00:00Z", "body": body, "author": "ann"},
        {"title": "C", "body": f"{'word ' * 300}end"},
        {"number": 10, "title": "D", "body": "x" * 40},
        {"number": 11, "title": "E", "body": "x" * 39},
        {"number": 12, "title": " ", "body": body},
        "odd",
    ]  # fmt: skip
    found = read(written(tmp_path / "prs.json", rows), "pull-requests")
    notes = [one for one in found if isinstance(one, Note)]
    assert [(one.key, one.title, one.said_by) for one in notes] == [
        ("u7", "#7 A", ""), ("8 B", "#8 B", ""), ("None C", "C", ""), ("10 D", "#10 D", ""),
    ]  # fmt: skip
    assert [one.created and one.created.isoformat()[:10] for one in notes] == [
        "2025-10-09", "2025-01-02", None, None,
    ]  # fmt: skip
    assert (len(notes[2].content) <= 1_000, notes[2].content[-6:]) == (True, "word …")
    assert {(one.kind, one.tags, one.data["type"], one.sure) for one in notes} == {
        ("discovery", ("pull-request",), "decision", False)
    }
    whys = [(one.place, one.why) for one in found if isinstance(one, Unread)]
    assert whys == [
        ("[4]", "it has no text beyond its title"),
        ("[5]", "not a pull request"),
        ("[6]", "not a pull request"),
    ]


RULES = """---
description: Style
globs: "*.ts"
---
# Shop

<!-- for people only -->
Use pnpm, never npm:

```bash
pnpm install
```

## Tests

1. Run them with the script
   of the repository
2. Never mock the clock
@other.md

***
"""


def test_instructions_become_a_note_for_each_heading(tmp_path):
    path = tmp_path / "repo" / ".cursor" / "rules" / "style.mdc"
    path.parent.mkdir(parents=True)
    notes = read(written(path, RULES), "instructions")
    assert [(note.title, note.content) for note in notes if isinstance(note, Note)] == [
        ("Shop", "Use pnpm, never npm:\n\n```bash\npnpm install\n```"),
        (
            "Shop › Tests",
            "- Run them with the script\n   of the repository\n- Never mock the clock\n@other.md",
        ),
    ]
    assert {note.data["type"] for note in notes} == {"rule"}
    assert notes[1].tags == ("Shop", "Tests")
    outside = written(tmp_path / "secret.md", "# Secret\n\nNot of this repository")
    (tmp_path / "repo" / "CLAUDE.md").symlink_to(outside)
    around = Surroundings(home=tmp_path, environment={}, roots=(tmp_path / "repo",))
    assert list(FOREIGN["instructions"].places(around)) == [path]


def test_a_decision_in_force_is_one_note(tmp_path):
    folder = tmp_path / "docs" / "adr"
    folder.mkdir(parents=True)
    text = "# 3. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nOne file per organisation.\n"
    [note] = read(written(folder / "0003-use-sqlite.md", text), "decisions")
    assert (note.title, note.content) == ("3. Use SQLite", "One file per organisation.")
    old = text.replace("Accepted", "Superseded by 0009")
    [dead] = read(written(folder / "0004-old.md", old), "decisions")
    assert dead.why == "the decision is no longer in force"
    weighed = f"{text}\n## Alternatives\n\n- Rejected: one file per project.\n"
    [note] = read(written(folder / "0005-weighed.md", weighed), "decisions")
    assert note.content == "One file per organisation."


def test_memory_files_of_claude_code_are_found_by_the_path_of_the_checkout(tmp_path):
    around = Surroundings(home=tmp_path, environment={}, roots=(Path("/code/my_shop.app"),))
    folder = claude_memory(around, around.roots[0])
    assert folder == tmp_path / ".claude" / "projects" / "-code-my-shop-app" / "memory"
    folder.mkdir(parents=True)
    written(folder / "MEMORY.md", "- The staging host is otter\n")
    [path] = FOREIGN["memory-files"].places(around)
    [note] = read(path, "memory-files")
    assert (note.content, note.trust) == ("The staging host is otter", "agent")
