"""The names of arguments: one name per meaning in all operations, and the other words callers use for it.

A parameter of an operation has a name of this table; a test holds them to it. Before you add a row, look for
the one that means the same.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from contextd_common.errors import closest

_SHORT = 3
"""Letters of a word that too many others resemble."""

NAMES: dict[str, tuple[str, ...]] = {
    name: tuple(words.split())
    for name, words in {
        # what is asked, stored or done
        "query": "q question search search_query search_term search_text search_string query_text query_string"
        " keyword keywords term terms phrase topic focus error error_message error_text message task"
        " task_description text prompt pattern problem description name intent",
        "pattern": "regex regexp regular_expression expression query search search_pattern q text term",
        "text": "content contents body note notes fact memory lesson message msg summary statement observation"
        " insight learning narrative messages observations markdown value new_text new_content updated_content data result output description",
        "task": "task_description task_text task_prompt goal objective prompt description query work instructions"
        " instruction what",
        "title": "name heading subject headline label summary short_name",
        "description": "desc details about when when_to_use use_when summary applies_to",
        "note": "notes comment comments reason why message feedback explanation rationale text",
        "action": "command cmd operation diff change patch text query content",
        "context": "context_lines lines_of_context surrounding background surrounding_lines details extra",
        "problem": "issue description error bug error_message what_happened query",
        "root_cause": "cause why reason",
        "solution": "fix resolution answer remedy",
        "symptoms": "symptom errors error_messages messages",
        "code_diff": "diff patch code_change",
        # which one
        "id": "record_id context_id memory_id item_id entry_id note_id bubble_id gap_id candidate_id"
        " contradiction_id checkpoint_id observation_id ids handle digest_id record memory entry item uuid key identifier ref"
        " collection_id job_id session_id policy_id import_id",
        "ids": "context_ids record_ids memory_ids item_ids entry_ids note_ids records memories entries items id"
        " record_id memory_id context_id",
        "keep_ids": "keep kept accept accepted ids",
        "drop_ids": "drop dropped reject rejected remove",
        "session_id": "session session_uuid conversation_id thread_id id",
        "subtask_id": "subtask branch_id branch task_id id handle",
        "bubble_id": "bubble bubble_name collection folder_id group",
        "name": "symbol symbol_name name_path name_path_pattern pattern target identifier function function_name class_name method method_name definition"
        " qualified_name tool tool_name skill skill_name agent agent_name module module_name bubble_name title"
        " query path",
        "path": "file file_path filepath filename file_name relative_path absolute_path target target_file uri"
        " directory dir folder location out output output_path file_pattern file_glob glob include pattern files"
        " paths file_paths changed_files symbol symbols symbol_name name function definition scope_path",
        "paths": "files path file file_paths filenames affected_files changed_files sources source_paths",
        "arguments": "args params parameters input arguments_json kwargs options",
        # narrowing
        "kind": "type category item_type record_type record_kind memory_type symbol_kind entity_type kinds sort",
        "type": "kind type_name context_type entry_type record_type category source sources collection"
        " memory_type filter_type types standard_type",
        "tags": "tag labels label keywords topics categories",
        "fields": "data structured_data attributes properties props values field_values metadata details typed_data",
        "filter": "where filters conditions criteria query",
        "scope": "level visibility target_scope target reach audience",
        "status": "state record_status",
        "source": "origin agent author client from provenance",
        "outcome": "result status success verdict",
        "language": "lang programming_language",
        "category": "topic area group",
        "min_confidence": "confidence minimum_confidence confidence_threshold threshold min_score",
        "ignore_case": "case_insensitive insensitive ignorecase i icase",
        "team": "team_name",
        "scopes": "limits",
        "reads_only": "read_only readonly",
        "member_id": "member user user_id",
        "days": "since_days last_days period window",
        "range": "lines line_range part section span",
        # how much
        "limit": "n k top_k top max max_results max_count num_results number count size page_size results"
        " head_limit result_limit per_page first take",
        "cursor": "page_token next_cursor page after",
        "budget": "tokens max_tokens token_budget token_limit max_token tokens_max limit size",
        "depth": "max_depth levels level hops detail detail_level verbosity",
        "start_line": "start offset from from_line line_start first_line begin line line_offset"
        " start_line_one_indexed",
        "end_line": "end to to_line line_end last_line until end_line_one_indexed"
        " end_line_one_indexed_inclusive",
        "include_deps": "deps with_deps include_dependencies dependencies include_imports with_imports",
        "outline": "outline_only signatures signatures_only summary definitions_only",
        "base": "ref branch commit against base_ref base_branch compare_to since target revision",
        "diff": "patch revision commit sha commit_sha commit_id rev ref range changes base base_ref",
        "incremental": "only_changed changed_only",
        "all_branches": "include_branches every_branch unmerged",
        # judging
        "useful": "helpful was_useful was_helpful rating vote is_useful is_helpful",
        "verdict": "decision accept action status resolution",
        "keep": "winner choice resolution decision",
        "reword": "rewrite reworded rephrase edit texts text",
        "into": "target_id merge_into target duplicate_of",
        "confirm": "confirmation token approve",
        "role": "speaker author who sender",
        "distill": "learn extract extract_memories",
        "extract_memory": "remember save_memory extract keep_memory",
        "inject_memories": "with_memories include_memories memories",
        "delete_contents": "delete_contexts delete_entries recursive cascade",
        "generalize": "generalise anonymize anonymise",
        "topic": "subject key",
        "dry_run": "preview simulate dry",
        "force": "overwrite replace yes",
        "format": "as file_format output_format",
        "module": "module_name",
        "section": "part heading",
        "project": "project_name project_id project_path repo repository workspace cwd working_directory root",
        # of the owner's commands, hooks and forms
        "after": "since from_seq",
        "anyway": "",
        "background": "",
        "by": "",
        "ancestors": "",
        "client": "",
        "client_session": "session",
        "collection": "kind",
        "event": "",
        "everywhere": "all all_projects",
        "here": "",
        "if_match": "etag",
        "marks": "",
        "mine": "own my_own own_backup",
        "org": "organisation organization",
        "packs": "pack names",
        "payload": "",
        "revoke": "",
        "sessions": "",
        "stats": "",
        "template": "",
        "trust": "",
        "types": "",
        "version": "",
    }.items()
}
"""The name of each argument and the words taken for it, where an operation has that argument. A word may stand in
several rows: the arguments an operation has decide which one is meant, and among several the first row does.
"""


def snake(name: str) -> str:
    """A name as Python writes it: `filePattern` and `file-pattern` are `file_pattern`."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return split.replace("-", "_").lower()


def arguments_meant(
    name: str, arguments: Collection[str], own: Mapping[str, str] | None = None
) -> list[str]:
    """The arguments of an operation that `name` may stand for, the likeliest first; empty where it is unknown.

    `arguments` are those of the operation, `own` its own further words for them, which go first.
    """
    plain = snake(name)
    for candidate in (name, (own or {}).get(name, ""), plain, (own or {}).get(plain, "")):
        if candidate in arguments:
            return [candidate]
    return [known for known, words in NAMES.items() if plain in words and known in arguments]


def argument_meant(
    name: str, arguments: Collection[str], own: Mapping[str, str] | None = None
) -> str | None:
    """The argument that `name` stands for; None where it stands for none."""
    return next(iter(arguments_meant(name, arguments, own)), None)


def nearest_argument(name: str, arguments: Collection[str]) -> str:
    """The argument whose name, or a word for it, is spelled most like `name`; empty where none is."""
    close = closest(snake(name), [*arguments])
    if close:
        return close
    words = [word for known in arguments for word in NAMES.get(known, ()) if len(word) > _SHORT]
    close = closest(snake(name), words)
    return argument_meant(close, arguments) or "" if close else ""
