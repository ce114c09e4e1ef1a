"""A project as it is after weeks of work, and calls of every tool as an agent makes them there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from contextd.domain.records import Record
from support.desks import Desk
from support.repositories import written

Given = Mapping[str, Any]

LESSONS = (
    ("Freeze the clock", "When a test depends on the time",
     "Freeze the clock with the fixture frozen_clock; patching datetime breaks the scheduler.", "success"),
    ("Renew the refresh token early", "When a session is about to expire",
     "Renew the refresh token one minute before it expires; renewing it later logs users out.", "success"),
    ("Retrying webhooks blindly", "When a webhook of the payment provider fails",
     "Retrying a webhook without its idempotency key charged customers twice; keep the key.", "failure"),
    ("Rounding of invoices", "When invoice totals differ by a cent",
     "Round once, at the total, with half-even; rounding every line drifts by cents.", "success"),
)  # fmt: skip
NOTES = (
    "Deploys go through the green pipeline on Mondays, never on Fridays",
    "Invoices are numbered per country and year, without gaps",
    "The billing service may call the auth service, never the other way round",
    "Refresh tokens live for 900 seconds because of the bank's audit",
)
FIX = "Add defer conn.Release() after Acquire()"
SKILL = (
    "---\nname: release\ndescription: Cut a release. Use when a version is published.\n---\n"
    + (
        "1. Run the whole test suite.\n2. Write the changelog.\n3. Tag the commit and push the tag.\n"
    )
)
POLICY = (
    "requirement: Nothing is printed, everything is logged\nseverity: high\n"
    "patterns: ['\\bprint\\(']\npaths: ['*.py']\nway_out: use the logger\n"
)
STANDARD = (
    "title: Errors of services\nlanguage: typescript\ncategory: errors\n"
    "rule: Services throw typed errors and routes translate them to status codes.\n"
)
TYPES = {
    "decision": {
        "description": "A choice that was made, and why",
        "fields": {
            "what": {"type": "string", "required": True, "description": "What was decided"},
            "why": {"type": "string", "description": "The reason"},
        },
    },
    "endpoint": {"fields": {"path": {"type": "string", "required": True}}},
}
TOTALS = "import { AuthService } from '@/auth/service';\n\n" + "\n".join(
    f"/** The total of an invoice in country {n}, with its taxes. */\n"
    f"export function total{n}(lines: number[], rate = 0.{n}9): number {{\n"
    f"  const net = lines.reduce((sum, line) => sum + line, {n});\n"
    f"  if (net < 0) {{\n    throw new RangeError(`no invoice below zero: ${{net}}`);\n  }}\n"
    "  return Math.round(net * (1 + rate) * 100) / 100;\n}\n"
    for n in range(12)
)
DIFF = "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -0,0 +1,1 @@\n+print(1)\n"
LOG = "".join(f"2026-11-20 10:00:{n % 60:02} worker-{n % 7} took job {n}\n" for n in range(400))


def settled(desk: Desk) -> dict[str, str]:
    """Give a project a past; ids of what is in it."""
    written(
        desk.root,
        {
            "src/billing/totals.ts": TOTALS,
            ".claude/skills/release/SKILL.md": SKILL,
            ".context/policies/no-print.yaml": POLICY,
            ".context/standards/errors.yaml": STANDARD,
        },
    )
    desk.as_owner("init")
    desk.as_owner("schema_put", types=TYPES)
    ids: dict[str, str] = {}
    bubble = desk("create_bubble", name="billing", description="All about money")["id"]
    empty = desk("create_bubble", name="empty")["id"]
    notes = [desk("save_context", content=n, tags=["ops"], bubble_id=bubble)["id"] for n in NOTES]
    for title, about, content, outcome in LESSONS:
        given = {"title": title, "description": about, "content": content, "outcome": outcome}
        ids["memory"] = desk("memory_record", **given)["id"]
    for what in ("SQLite keeps the data", "Routes are generated from the contract"):
        data = {"what": what, "why": "one file, no server, and backups are copies"}
        desk("save_typed_context", type="decision", data=data)
    remember = desk.on("cli")
    fields: dict[str, Any] = {"name": "reviewer", "system_prompt": "You review. Name each rule."}
    remember("remember", content="Reviews changes.", kind="agent", fields=fields)
    for word in ("always", "never"):
        desk("save_context", content=f"Exports {word} run in the worker process.")
    for question in ("who waters the plants of the office", "what does the moon weigh"):
        desk("recall_context", query=question)
    for n, symptom in enumerate(
        ("pgx pool exhausted", "timeout while acquiring", "503 under load")
    ):
        solution = f"{FIX}{'.' * (n % 2)}"
        data = {"problem": symptom, "symptoms": [symptom], "solution": solution}
        text = f"{symptom} when the service is busy"
        title = f"Fix: {symptom}"
        desk.put(Record(kind="remediation", scope=desk.scope, title=title, content=text, data=data))
    ids["useless"] = desk("save_context", content="The office plant is called Bert.")["id"]
    desk("recall_context", query="what is the office plant called")
    desk("report_usefulness", context_ids=[ids["useless"]], useful=False)
    passing = (
        "Parcels must always be weighed before their label is printed.",
        "Customs forms must always be signed by hand.",
    )
    session = desk("session_start", task_description="weigh parcels")["session_id"]
    for text in passing:
        desk("session_log", session_id=session, role="user", text=text)
    desk("session_end", session_id=session)
    desk.host.work_off()
    waiting = desk.as_owner("list_records", kind="discovery", status="candidate")["records"]
    ids |= {"note": notes[0], "gone": notes[1], "bubble": bubble, "empty": empty}
    by_text = {one["content"]: one["id"] for one in waiting}
    return ids | {"candidate": by_text[passing[0]], "passing": by_text[passing[1]]}


Call = Callable[[Desk, dict[str, str]], Given]


def given(**arguments: Any) -> Call:
    """Arguments that name nothing of the project."""
    return lambda desk, ids: arguments


def _gap(desk: Desk, ids: dict[str, str]) -> Given:
    return {"id": next(gap["id"] for gap in desk("get_gaps")["gaps"] if gap["kind"] == "missed")}


def _pair(desk: Desk, ids: dict[str, str]) -> Given:
    return {"id": desk("list_contradictions")["contradictions"][0]["id"], "keep": "a"}


def _merged(desk: Desk, ids: dict[str, str]) -> Given:
    merged = desk.as_owner("list_records", kind="remediation", status="merged")["records"]
    return {"id": merged[0]["id"]}


def _point(desk: Desk, ids: dict[str, str]) -> Given:
    saved = desk("session_checkpoint", summary="The parser is done, the writer is open.")
    return {"checkpoint_id": saved["checkpoint_id"]}


def _handle(desk: Desk, ids: dict[str, str]) -> Given:
    return {"handle": desk("digest", text=LOG, budget=200)["handle"], "range": "1-20"}


CALLS: tuple[tuple[str, Call], ...] = (
    ("session_start", given(task_description="Round the invoices right")),
    ("session_start", given(task_description="Round the invoices again")),
    ("tools_list", given()),
    ("tool_schema", given(name="update_context")),
    ("tool_call", given(name="memory_search", arguments={"query": "invoice totals"})),
    ("memory_search", given(query="webhook of the payment provider fails")),
    ("memory_search", given(query="what must I know about money, tokens and tests")),
    ("memory_search", given(query="how do whales sleep")),
    ("memory_record", given(title="Seed the database", description="When tests need data", outcome="success",
                            content="Seed with the factory in tests/factories.ts.")),
    ("memory_record", given(title="Rounding of invoices", description="When invoice totals differ by a cent",
                            content=LESSONS[3][2], outcome="success")),
    ("memory_feedback", lambda desk, ids: {"memory_id": ids["memory"], "helpful": True}),
    ("report_usefulness", lambda desk, ids: {"context_ids": [ids["note"], ids["memory"]], "useful": True}),
    ("context_search", given(query="refresh token expires")),
    ("context_search", given(query="how are invoices numbered and rounded")),
    ("briefing_get", given()),
    ("briefing_get", given(depth="comprehensive", task="renew tokens")),
    ("read_file", given(path="src/billing/totals.ts")),
    ("read_file", given(path="src/auth/service.ts", include_deps=True)),
    ("read_file", given(path="src/auth/service.ts", outline=True)),
    ("grep_codebase", given(pattern="AuthService")),
    ("grep_codebase", given(pattern="refreshToken", context=1)),
    ("grep_codebase", given(pattern="nowhere_at_all")),
    ("codebase_search", given(query="refresh the token of a session")),
    ("find_symbol", given(name="refreshToken")),
    ("find_references", given(name="refreshToken")),
    ("impact", given(path="refreshToken")),
    ("diff_context", given(base="HEAD")),
    ("repo_map", given()),
    ("codebase_index", given()),
    ("project_overview", given()),
    ("project_module", given(name="auth")),
    ("save_context", given(content="The night worker sends invoices at two.", tags=["ops"])),
    ("save_context", given(content=NOTES[0])),
    ("recall_context", given(query="which pipeline for deploys")),
    ("list_contexts", given()),
    ("search_contexts", given(query="invoices numbered")),
    ("update_context", lambda desk, ids: {"id": ids["note"], "content": f"{NOTES[0]}, at noon"}),
    ("delete_context", lambda desk, ids: {"id": ids["gone"]}),
    ("create_bubble", given(name="infra", description="Machines and networks")),
    ("list_bubbles", given()),
    ("get_record", lambda desk, ids: {"id": ids["memory"]}),
    ("get_bubble", lambda desk, ids: {"id": ids["bubble"]}),
    ("update_bubble", lambda desk, ids: {"id": ids["bubble"], "description": "Money and tax"}),
    ("delete_bubble", lambda desk, ids: {"id": ids["empty"]}),
    ("describe_schema", given()),
    ("save_typed_context", given(type="decision", data={"what": "Errors are typed", "why": "routes translate"})),
    ("query_by_type", given(type="decision")),
    ("remember", given(content="Returns are paid back within ten days.")),
    ("remediation_record", given(title="Wake the scale", problem="ScaleError: no weight within 3 s",
                                 root_cause="The scale sleeps.", solution="Wake it before weighing.")),
    ("remediation_search", given(error="pgx pool exhausted")),
    ("policy_check", given(action=DIFF)),
    ("policy_check", given(action="edit README.md")),
    ("standards_get", given()),
    ("skill_search", given(task="publish a new version")),
    ("skill_get", given(name="release")),
    ("introspect", given()),
    ("get_gaps", given()),
    ("dismiss_gap", _gap),
    ("list_contradictions", given()),
    ("resolve_contradiction", _pair),
    ("list_noise", given()),
    ("settle_candidates", lambda desk, ids: {"keep_ids": [ids["passing"]], "reword": {ids["passing"]: "Labels come in pairs."}}),
    ("settle_candidate", lambda desk, ids: {"id": ids["candidate"], "verdict": "keep"}),
    ("place_in_model", lambda desk, ids: {"id": ids["memory"], "module": "auth"}),
    ("knowledge_promote", lambda desk, ids: {"item_id": ids["memory"], "item_type": "memory", "target_scope": "team"}),
    ("consolidation_trigger", given(collection="remediations", dry_run=True)),
    ("consolidation_trigger", given(collection="remediations")),
    ("consolidation_status", given(collection="remediations")),
    ("unmerge", _merged),
    ("prompt_build", given()),
    ("memory_file", given()),
    ("digest", given(text=LOG, budget=200)),
    ("expand", _handle),
    ("context_window", given()),
    ("explain_injection", given()),
    ("savings", given()),
    ("session_log", lambda desk, ids: {"session_id": ids["session"], "role": "user", "text": "Say it once."}),
    ("session_checkpoint", given(summary="The parser is done, the writer is open.")),
    ("branch", given(description="Look around", prompt="Where are invoices rounded?")),
    ("return", given(message="In the total of the invoice.")),
    ("agent_invoke", given(agent_name="reviewer", task="Review the auth module")),
    ("return", given(message="Two findings in token.ts.")),
    ("session_resume", _point),
    ("session_end", given(outcome="success")),
)  # fmt: skip
"""Every tool at least once, in an order in which each has something to say."""
