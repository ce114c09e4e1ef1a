"""The steps that the rooms take around each call."""

from __future__ import annotations

from contextd.briefing.call_tracking import tracked
from contextd.briefing.prepared_briefings import outdated
from contextd.briefing.related_records import notice_memory, notice_settings
from contextd.folding.session_subtasks import in_its_subtask
from contextd.person.files import follow_person_files
from contextd.policies.rule_file_sync import follow_policy_files
from contextd.runtime.call_steps import CallSteps
from contextd.sessions.session_binding import in_its_session

STEPS = CallSteps(
    arriving=(follow_person_files, follow_policy_files),
    around=(in_its_session, in_its_subtask),
    noticing=(notice_memory, notice_settings),
    leaving=(tracked, outdated),
)
"""Those of a process beside its checkouts: the first two follow files of this machine."""
