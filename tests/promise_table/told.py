"""What an agent is told: what must reach it, and what must not."""

from __future__ import annotations

from promise_table.row import Promise

ROWS = (
    Promise(
        says="A text cannot forge the line that says where a record comes from.",
        sort="told",
        tests=["tests/unit/briefing/test_quoting.py::test_a_text_cannot_bring_its_own_provenance"],
        file="domain/quoting.py",
        before='    return _PROVENANCE.sub(" • ", inline(text))\n',
        after="    return inline(text)\n",
    ),
    Promise(
        says="A stored text cannot close the tag that a client puts around it.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_quoting.py::test_quoting_twice_is_quoting_once_and_forges_nothing"
        ],
        file="domain/quoting.py",
        before='return _TAG.sub("‹", visible_text(_BREAK.sub("\\n", text)))',
        after='return visible_text(_BREAK.sub("\\n", text))',
    ),
    Promise(
        says="What you stated for good is told in every later session.",
        sort="told",
        tests=[
            "tests/unit/knowledge/test_directives_hold.py::test_a_rule_stated_by_the_user_is_in_every_later_briefing"
        ],
        file="briefing/directive_lines.py",
        before="    records = [*find(learned).records, *find(typed).records]\n",
        after="    records = [*find(typed).records]\n",
    ),
    Promise(
        says="What you wrote yourself is told however unsure it has become.",
        sort="told",
        tests=[
            "tests/unit/learning/test_candidates.py::test_below_the_floor_a_persons_note_is_told_and_an_agents_is_not"
        ],
        file="domain/confidence.py",
        before='>= FLOOR or record.trust == "human" or is_directive(record)',
        after=">= FLOOR or is_directive(record)",
    ),
    Promise(
        says="What an agent noted is not told any more once it has helped nobody.",
        sort="told",
        tests=[
            "tests/unit/learning/test_candidates.py::test_below_the_floor_a_persons_note_is_told_and_an_agents_is_not"
        ],
        file="domain/confidence.py",
        before="    return confidence_at(record, now) >= FLOOR or",
        after="    return confidence_at(record, now) >= 0.0 or",
    ),
    Promise(
        says="A fix that you recorded yourself is told however unsure it has become.",
        sort="told",
        tests=[
            "tests/unit/remedies/test_remediations.py::test_a_persons_fix_is_told_below_the_floor_and_an_agents_is_not"
        ],
        file="briefing/remedy_injection.py",
        before='record.confidence >= FLOOR or record.trust == "human"',
        after="record.confidence >= FLOOR",
    ),
    Promise(
        says="A note is not repeated to the session that recorded it.",
        sort="told",
        tests=[
            "tests/unit/learning/test_candidates.py::test_a_note_is_not_told_to_the_session_that_recorded_it"
        ],
        file="briefing/prompt_context.py",
        before="        if record.session != session.id and _may_be_told(",
        after="        if _may_be_told(",
    ),
    Promise(
        says="A confirmed fix comes before one that nobody confirmed.",
        sort="told",
        tests=[
            "tests/unit/remedies/test_remediations.py::test_a_confirmed_fix_comes_before_a_surer_one_that_nobody_confirmed"
        ],
        file="remedies/lookup.py",
        before='            one.record.status != "active",\n',
        after="",
    ),
    Promise(
        says="A fix that nobody confirmed is found by a search and told to nobody unasked.",
        sort="told",
        tests=["tests/unit/remedies/test_remediations.py::test_a_candidate_is_found_and_not_told"],
        file="briefing/remedy_injection.py",
        before='ends, statuses=("active",), quoted=quoted)',
        after="ends, quoted=quoted)",
    ),
    Promise(
        says="What one session said in passing is told to nobody unasked.",
        sort="told",
        tests=[
            "tests/unit/learning/test_candidates.py::test_a_candidate_is_found_by_a_search_and_told_to_nobody_unasked"
        ],
        file="briefing/briefing.py",
        before="    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=LATEST)\n",
        after="""    statuses = ("active", "candidate")
    query = runtime.query(*kinds, valid_at=runtime.clock.now(), limit=LATEST, statuses=statuses)
""",
    ),
    Promise(
        says="What your agent lost in a compaction is told again.",
        sort="told",
        tests=[
            "tests/unit/invocation/test_conversations.py::test_context_lost_by_a_compaction_is_injected_again_once"
        ],
        file="briefing/injected_records.py",
        before="    return set(session.injected) - set(map(str, session.data.get(LOST, ())))\n",
        after="    return set(session.injected)\n",
    ),
    Promise(
        says="What a sub-agent of Copilot was asked is not taken for your word.",
        sort="told",
        tests=[
            "tests/unit/imports/test_sub_agents.py::test_the_task_and_report_of_a_sub_agent_are_not_words_of_the_user"
        ],
        file="imports/importers/copilot.py",
        before='transcript.marks = {"sidechain": True, "agent": agent} if agent else {}',
        after="transcript.marks = {}",
    ),
    Promise(
        says="A sentence that says never, or another number, is not hidden as a repetition.",
        sort="told",
        tests=[
            "tests/unit/domain/test_fold.py::test_a_negation_or_another_number_is_shown_beside_what_says_nearly_the_same"
        ],
        file="search/near_duplicates.py",
        before="    if one.decisive != other.decisive:\n        return False\n",
        after="",
    ),
    Promise(
        says="Noon, 12 pm and the schedule that means it are no contradiction, and 12 am is midnight.",
        sort="told",
        tests=[
            "tests/unit/claims/test_contradict.py::test_statements_that_can_both_hold_are_no_contradiction",
            "tests/unit/claims/test_contradict.py::test_a_contradiction_is_seen_whichever_way_round_and_said_in_words",
        ],
        file="claims/schedules.py",
        before='hour = hour % 12 + (12 if half == "p" else 0)',
        after='hour = hour + (12 if half == "p" else 0)',
    ),
    Promise(
        says="Status tells of a job that failed for good.",
        sort="told",
        tests=[
            "tests/unit/upkeep/test_garbage_jobs.py::test_status_tells_of_a_job_that_failed_for_good"
        ],
        file="upkeep/operations/status.py",
        before='for job in view.jobs.list(states=("failed",), limit=5)',
        after='for job in view.jobs.list(states=("failed",), limit=0)',
    ),
    Promise(
        says="What would block the work, or blocked it earlier, is not told as what blocks it now.",
        sort="told",
        tests=[
            "tests/unit/sessions/test_blockers.py::test_waits_of_programs_and_within_a_session_do_not"
        ],
        file="claims/blockers.py",
        before="if _NOT_NOW.search(before) or _PROGRAM.search(before)",
        after="if _PROGRAM.search(before)",
    ),
    Promise(
        says="A sub-agent's own session in Cline has no word of yours.",
        sort="told",
        tests=[
            "tests/unit/imports/test_sub_agents.py::test_a_file_of_a_sub_agents_own_has_no_word_of_the_user"
        ],
        file="imports/importers/cline.py",
        before='transcript.marks = {"sidechain": True, "agent": text_of(about.get("agent"))}',
        after="transcript.marks = {}",
    ),
    Promise(
        says="What a sub-agent of OpenCode was asked is not taken for your word.",
        sort="told",
        tests=[
            "tests/unit/imports/test_sub_agents.py::test_the_task_and_report_of_a_sub_agent_are_not_words_of_the_user"
        ],
        file="imports/importers/opencode.py",
        before='transcript.marks = {"sidechain": True, "agent": str(about.get("id"))} if sidechain else {}',
        after="transcript.marks = {}",
    ),
    Promise(
        says="A running session is not told its own words.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_session_outcomes.py::test_a_running_session_is_never_told_its_own_words"
        ],
        file="briefing/session_outcome.py",
        before="            and (record.session != running or _takes_back(record))\n",
        after="",
    ),
    Promise(
        says="What a prompt pastes is not told back to it.",
        sort="told",
        tests=[
            "tests/unit/briefing/test_session_outcomes.py::test_a_memory_pasted_into_a_prompt_is_not_injected_again"
        ],
        file="briefing/prompt_context.py",
        before="if one.id not in hidden and not _is_in(one.text, pasted)]",
        after="if one.id not in hidden]",
    ),
    Promise(
        says="A plan is told as you edited it, and only once you approved it.",
        sort="told",
        tests=[
            "tests/unit/imports/test_call_artefacts.py::test_a_plan_counts_once_it_is_approved_as_it_was_edited"
        ],
        file="imports/importers/call_artefacts.py",
        before='    if "approved" not in call.text[:200]:\n        return\n',
        after="",
    ),
)
