"""Tables of the command line: groups, fixed commands, names of operations, and synonyms."""

from __future__ import annotations

from typing import Literal

from contextd_common.dataclass import dataclass

HEADINGS = {
    "Everyday": ("search", "remember", "list", "forget", "log", "inbox"),
    "Set up": ("init", "install", "uninstall", "trust", "demo"),
    "Import and export": ("import", "export"),
    "Check": ("status", "doctor", "config", "dashboard"),
    "Serve a team": ("serve", "work", "tenant"),
    "More, each with its own --help": (
        "code", "records", "sessions", "policies", "projects", "store", "daemon", "dev",
    ),
}  # fmt: skip
"""The sections of `contextd --help` and their commands, at most 28 in all."""

UNLISTED = ("bench", "completion", "help", "hook", "mcp", "statusline")
"""Commands that work but are not listed in `contextd --help`: agents, shells and tests run them."""

GROUPS = {
    "code": "Find, follow and read the project's code.",
    "records": "Read, edit and organise what is stored.",
    "sessions": "Show and steer sessions: briefings, checkpoints, subtasks, digests.",
    "policies": "Check changes against the policies, and keep the policies as files.",
    "projects": "Show projects, their modules and their gaps.",
    "store": "Back up, restore and rebuild the store.",
    "daemon": "Start, stop or inspect the daemon and its background jobs.",
    "dev": "Call any operation, list agents' tools, build the plugins.",
}
"""Groups of commands, with their help lines."""

GROUP_OF_ROOM = {
    "awareness": "projects", "briefing": "sessions", "codebase": "code", "consolidation": "records",
    "folding": "sessions", "imports": "store", "invocation": "dev", "knowledge": "records",
    "learning": "sessions", "members": "dev", "person": "records", "policies": "policies", "projects": "projects",
    "remedies": "records", "schema": "records", "search": "records", "sessions": "sessions",
    "skills": "records", "upkeep": "store",
}  # fmt: skip
"""The group that lists a room's operations, under their own names unless `VERBS` renames them."""

SECTION_OF_ROOM = {
    "awareness": "Gaps, contradictions and use",
    "consolidation": "Duplicates and promotion",
    "folding": "Folding",
    "person": "Profile",
    "remedies": "Errors and skills",
    "schema": "Types",
    "skills": "Errors and skills",
}
"""The section of a group's help that lists a room's operations, if it is not the first one."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A command that is not an operation: the module of this package that builds it, and its help line, so that
    listing imports nothing. Only commands that call operations and print may run `in_daemon`.
    """

    module: str
    about: str
    in_daemon: bool = False


FIXED = {
    "log": Fixed("show", "Show recent activity: sessions and recorded items.", in_daemon=True),
    "init": Fixed("home", "Scan a repository: stack, modules, code index, .context/project.yaml."),
    "trust": Fixed(
        "trust", "Trust a folder: its rules, settings, schema, skills and files for agents apply."
    ),
    "projects show": Fixed("show", "Show what contextd knows about the project.", in_daemon=True),
    "inbox": Fixed(
        "inbox", "List items awaiting your review, and accept or reject them.", in_daemon=True
    ),
    "import": Fixed(
        "imports", "Import data from other tools: old sessions, memory tools, files for agents."
    ),
    "policies": Fixed("policy", GROUPS["policies"], in_daemon=True),
    "daemon": Fixed("daemon", GROUPS["daemon"]),
    "dashboard": Fixed(
        "daemon", "Open the dashboard in the browser, with a link that works once, for a minute."
    ),
    "store restore": Fixed(
        "home", "Replace the store by a backup; the replaced store is kept beside it."
    ),
    "store migrate": Fixed(
        "home", "Create or upgrade the tables of a team's database, and open it."
    ),
    "store delete": Fixed(
        "home",
        "Delete an organisation from a team's database, with its bytes; nothing can bring it back but a backup.",
    ),
    "store move": Fixed(
        "home", "Copy the store to another database: to a team's, or back to a file."
    ),
    "install": Fixed(
        "clients",
        "Connect coding agents: register the MCP server and the hooks. Backs up what it edits.",
    ),
    "uninstall": Fixed(
        "clients", "Disconnect coding agents; their files are restored byte for byte."
    ),
    "dev plugins": Fixed(
        "clients", "Write the plugins for coding agents: one folder for all of them."
    ),
    "mcp": Fixed("agents", "Serve MCP over stdin and stdout; agents run it."),
    "hook": Fixed("agents", "Handle one hook event on stdin; agents' hooks run it."),
    "statusline": Fixed(
        "agents", "Print a line about the project for the session on stdin; status lines run it."
    ),
    "completion": Fixed("completion", "Print the script that completes commands in a shell."),
}
"""All fixed commands by their words. Each one imports only its own module."""

CALL_ABOUT = "Call any operation by its name: contextd dev call NAME --argument value."
HELP_ABOUT = "Show the help of contextd or of a command."


@dataclass(frozen=True, slots=True)
class Verb:
    """A command name for an operation. `positional` is the argument for its words, if that is not the first
    required one; several words are `one` too many, are `join`ed to one text, or are `each` a call of its own.
    `wider` is the command that searches more if this one finds nothing.
    """

    operation: str
    positional: str = ""
    words: Literal["one", "join", "each"] = "one"
    wider: str = ""


VERBS = {
    "search": Verb("context_search", words="join"),
    "remember": Verb("remember", positional="text", words="join"),
    "list": Verb("list_records", positional="kind"),
    "forget": Verb("delete_record", words="each"),
    "export": Verb("export"),
    "status": Verb("status"),
    "doctor": Verb("doctor"),
    "config": Verb("config"),
    "code index": Verb("codebase_index"),
    "code grep": Verb("grep_codebase"),
    "code impact": Verb("impact", positional="path"),
    "code map": Verb("repo_map"),
    "code read": Verb("read_file"),
    "code references": Verb("find_references"),
    "code search": Verb("codebase_search", words="join"),
    "code symbol": Verb("find_symbol"),
    "records search": Verb("memory_search", words="join", wider="search"),
    "records get": Verb("get_record"),
    "records edit": Verb("edit_record"),
    "records restore": Verb("restore_record"),
    "records explain": Verb("explain_search", words="join"),
    "records feedback": Verb("memory_feedback"),
    "records settle": Verb("settle_candidate"),
    "records place-in-model": Verb("place_in_model"),
    "records schema": Verb("describe_schema"),
    "records profile": Verb("user_profile"),
    "records promote": Verb("knowledge_promote"),
    "records ages": Verb("record_ages"),
    "records noise": Verb("list_noise"),
    "records compare": Verb("compare_records"),
    "records contradictions": Verb("list_contradictions"),
    "records resolve-contradiction": Verb("resolve_contradiction"),
    "records reopen-contradiction": Verb("reopen_contradiction"),
    "records report-usefulness": Verb("report_usefulness"),
    "sessions list": Verb("list_sessions"),
    "sessions timeline": Verb("session_timeline"),
    "sessions start": Verb("session_start"),
    "sessions log": Verb("session_log"),
    "sessions end": Verb("session_end"),
    "sessions checkpoint": Verb("session_checkpoint"),
    "sessions resume": Verb("session_resume"),
    "sessions briefing": Verb("briefing_get"),
    "sessions explain": Verb("explain_injection", positional="session_id"),
    "sessions tiers": Verb("injection_tiers"),
    "sessions prompt": Verb("prompt_build"),
    "policies list": Verb("list_policies"),
    "policies init": Verb("policy_init", positional="packs"),
    "policies write": Verb("policy_write"),
    "policies checks": Verb("policy_checks"),
    "policies standards": Verb("standards_get"),
    "projects list": Verb("list_projects"),
    "projects modules": Verb("list_modules"),
    "projects overview": Verb("project_overview"),
    "projects join": Verb("join_project", positional="into"),
    "projects part": Verb("part_project", positional="name"),
    "projects team": Verb("project_team", positional="name"),
    "projects gaps": Verb("get_gaps"),
    "daemon jobs": Verb("jobs"),
    "daemon retry-job": Verb("retry_job"),
    "dev tools": Verb("tools_list"),
}
"""Operations by their command names, where these differ from the group and the operation's own name."""

MERGED = {
    "delete_context": "forget",
    "import": "import",
    "import_found": "import",
    "import_sources": "import --dry-run",
    "inbox": "inbox list",
    "init": "init",
    "list_contexts": "list context",
    "list_imports": "import --list",
    "memory_record": "remember --kind memory",
    "policy_check": "policies check",
    "project_module": "projects show --module",
    "recall_context": "records search",
    "remediation_record": "remember --kind remediation",
    "save_context": "remember",
    "save_typed_context": "remember",
    "search_contexts": "records search",
    "show": "projects show",
    "tool_call": "dev call",
    "trust": "trust",
    "trusted_folders": "trust --list",
    "undo_import": "import --undo",
    "update_context": "records edit",
}
"""Operations without a command of their own, and the equivalent command."""

SHORTHANDS = {"--about-me": ("scope", "person")}
"""Short options for an option with a value, on every command that has that option."""

SYNONYMS = {
    word: line
    for line, words in {
        "inbox accept": "accept",
        "remember": "add create learn new note record save write",
        "search": "ask find query",
        "daemon start": "boot run start",
        "sessions briefing": "briefing",
        "records list-bubbles": "bubbles",
        "inbox list": "candidates review",
        "doctor": "check health",
        "sessions checkpoint": "checkpoint",
        "install": "clients connect",
        "--help": "commands",
        "records contradictions": "conflicts contradictions",
        "forget": "del delete remove rm",
        "uninstall": "disconnect",
        "daemon stop": "down kill quit restart shutdown stop",
        "records edit": "edit",
        "records feedback": "feedback",
        "projects gaps": "gaps",
        "records get": "get inspect",
        "code grep": "grep",
        "code index": "index",
        "status": "info",
        "init": "initialise initialize setup",
        "records schema": "kinds types",
        "daemon logs": "logs tail",
        "list": "ls",
        "code map": "map",
        "list memory": "memories",
        "records search": "memory",
        "projects modules": "modules",
        "list context": "notes",
        "dashboard": "open ui web",
        "dev call --help": "operations",
        "projects overview": "overview project",
        "records profile": "preferences profile",
        "daemon status": "ps server",
        "code read": "read",
        "code references": "references",
        "inbox reject": "reject",
        "code scan": "rescan sync update",
        "sessions resume": "resume",
        "dev plugins build": "marketplace plugin",
        "policies list": "rules",
        "policies standards": "standards",
        "config --help": "set",
        "config": "setting settings",
        "projects show --stats": "stats",
        "code symbol": "symbol",
        "sessions timeline": "timeline",
        "dev tools": "tools",
        "--version": "version",
        "sessions explain": "why",
    }.items()
    for word in words.split()
}
"""Unknown commands that people try, and the command each of them means."""

OPTION_SYNONYMS = {
    "all": "limit", "data": "field", "dir": "project", "fields": "field", "force": "anyway",
    "format": "json", "output": "json",
}  # fmt: skip
"""Unknown options that people try, besides the aliases of arguments, and the option they mean."""
