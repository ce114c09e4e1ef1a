"""The command line in tables: groups, fixed commands, everyday verbs, and the words people try instead."""

from __future__ import annotations

from typing import Literal

from contextd.domain.dataclass import dataclass

GROUPS = {
    "everyday": "Everyday",
    "projects": "Project",
    "knowledge": "Search and memory",
    "lessons": "Lessons, fixes and skills",
    "policies": "Policies and standards",
    "code": "Code",
    "sessions": "Sessions",
    "folding": "Folding",
    "awareness": "Awareness",
    "upkeep": "Upkeep",
    "tools": "Agents and programs",
}
"""The headings of `contextd --help` in their order. A command of an operation stands in the group of the
room its operation is defined in, unless it is set apart below.
"""

GROUP_OF_ROOM = {
    "briefing": "sessions", "codebase": "code", "consolidation": "lessons", "imports": "knowledge", "invocation": "tools",
    "learning": "sessions", "person": "knowledge", "remedies": "lessons", "schema": "knowledge",
    "search": "knowledge", "skills": "lessons",
}  # fmt: skip
"""The group of a room that has no group of its own name."""

SET_APART = dict.fromkeys(
    ("memory_search", "memory_record", "memory_feedback", "settle_candidate"), "lessons"
)
"""Operations that stand in another group than the rest of their room."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A command that is not an operation: the module of this package that builds it, its group, and what
    it does, so that listing it imports nothing.
    """

    module: str
    group: str
    about: str


FIXED = {
    "log": Fixed("show", "everyday", "Show what was done lately: sessions, and what was recorded."),
    "init": Fixed(
        "home",
        "projects",
        "Scan a repository: stack, modules, code index, .context/project.yaml.",
    ),
    "trust": Fixed(
        "trust",
        "projects",
        "Trust a folder: its rules, settings, schema, skills and files for agents apply.",
    ),
    "show": Fixed("show", "projects", "Show what contextd knows about the project."),
    "inbox": Fixed("inbox", "knowledge", "List what waits for your word, and accept or reject it."),
    "import": Fixed(
        "imports",
        "knowledge",
        "Bring in what other programs know: old sessions, memory tools, files for agents.",
    ),
    "policy": Fixed(
        "policy",
        "policies",
        "Check changes against the policies, and keep the policies as files.",
    ),
    "daemon": Fixed("daemon", "upkeep", "Start, stop or look at the daemon."),
    "dashboard": Fixed(
        "daemon",
        "upkeep",
        "Open the dashboard in the browser, with a link that works once, for a minute.",
    ),
    "restore": Fixed(
        "home",
        "upkeep",
        "Put a backup in the store's place; the store that was there is kept beside it.",
    ),
    "install": Fixed(
        "clients",
        "tools",
        "Connect coding agents: register the MCP server and the hooks. Backs up what it edits.",
    ),
    "uninstall": Fixed(
        "clients", "tools", "Disconnect coding agents; their files are put back byte for byte."
    ),
    "plugins": Fixed(
        "plugins",
        "tools",
        "Write the plugins that coding agents take contextd from: one folder for all of them.",
    ),
    "mcp": Fixed(
        "agents", "tools", "What agents run: MCP over stdin and stdout, served by the daemon."
    ),
    "hook": Fixed("agents", "tools", "What a client's hooks run: takes the event on stdin."),
    "statusline": Fixed(
        "agents",
        "tools",
        "What a client's status line runs: takes the session on stdin, prints a line about the project.",
    ),
    "completion": Fixed(
        "completion", "tools", "Print the script that completes commands in a shell."
    ),
}
"""Every fixed command by name. What one of them imports, the others do not wait for."""

CALL_ABOUT = "Call any operation by its name: contextd call NAME --argument value."
HELP_ABOUT = "Show the help of contextd or of a command."


@dataclass(frozen=True, slots=True)
class Verb:
    """What people type for an operation. `positional` is the argument its words are, where that is not
    the operation's first required one; several words are `one` too many, are `join`ed to one text, or
    are `each` a call of its own. `wider` is the verb that looks through more when it finds nothing.
    """

    operation: str
    group: str = "everyday"
    positional: str = ""
    words: Literal["one", "join", "each"] = "one"
    wider: str = ""


VERBS = {
    "search": Verb("context_search", words="join"),
    "remember": Verb("remember", positional="text", words="join"),
    "recall": Verb("memory_search", words="join", wider="search"),
    "forget": Verb("delete_record", words="each"),
    "list": Verb("list_records", positional="kind"),
    "schema": Verb("describe_schema", group="knowledge"),
    "impact": Verb("impact", group="code", positional="path"),
    "explain": Verb("explain_injection", group="sessions", positional="session_id"),
}
"""Every verb by name."""

SHORTHANDS = {"--about-me": ("scope", "person")}
"""Options that stand for an option with a value, wherever a command has that one."""

SYNONYMS = {
    "accept": "inbox accept",
    "add": "remember",
    "ask": "search",
    "boot": "daemon start",
    "briefing": "briefing-get",
    "bubbles": "list-bubbles",
    "candidates": "inbox list",
    "check": "doctor",
    "checkpoint": "session-checkpoint",
    "clients": "install",
    "commands": "--help",
    "conflicts": "list-contradictions",
    "connect": "install",
    "contradictions": "list-contradictions",
    "create": "remember",
    "del": "forget",
    "delete": "forget",
    "disconnect": "uninstall",
    "down": "daemon stop",
    "edit": "edit-record",
    "feedback": "memory-feedback",
    "find": "search",
    "gaps": "get-gaps",
    "get": "get-record",
    "grep": "grep-codebase",
    "health": "doctor",
    "index": "codebase-index",
    "info": "status",
    "initialise": "init",
    "initialize": "init",
    "inspect": "get-record",
    "kinds": "describe-schema",
    "kill": "daemon stop",
    "learn": "remember",
    "logs": "daemon logs",
    "ls": "list",
    "map": "repo-map",
    "memories": "list memory",
    "modules": "list-modules",
    "new": "remember",
    "note": "remember",
    "notes": "list context",
    "open": "dashboard",
    "operations": "call --help",
    "overview": "project-overview",
    "preferences": "user-profile",
    "profile": "user-profile",
    "project": "project-overview",
    "projects": "list-projects",
    "ps": "daemon status",
    "query": "search",
    "quit": "daemon stop",
    "read": "read-file",
    "record": "remember",
    "records": "list",
    "references": "find-references",
    "reject": "inbox reject",
    "remove": "forget",
    "rescan": "scan",
    "restart": "daemon stop",
    "resume": "session-resume",
    "review": "inbox list",
    "rm": "forget",
    "marketplace": "plugins build",
    "plugin": "plugins build",
    "policies": "list-policies",
    "rules": "list-policies",
    "standards": "standards-get",
    "run": "daemon start",
    "save": "remember",
    "serve": "daemon start",
    "server": "daemon status",
    "sessions": "list-sessions",
    "set": "config --help",
    "setting": "config",
    "settings": "config",
    "setup": "init",
    "shutdown": "daemon stop",
    "start": "daemon start",
    "stats": "show --stats",
    "stop": "daemon stop",
    "store": "remember",
    "symbol": "find-symbol",
    "sync": "scan",
    "tail": "daemon logs",
    "timeline": "session-timeline",
    "tools": "tools-list",
    "types": "describe-schema",
    "ui": "dashboard",
    "update": "scan",
    "version": "--version",
    "why": "explain",
    "web": "dashboard",
    "write": "remember",
}
"""Words people try that are no commands, and what they mean in ours."""

OPTION_SYNONYMS = {
    "all": "limit",
    "body": "text",
    "count": "limit",
    "data": "field",
    "description": "text",
    "dir": "project",
    "fields": "field",
    "file": "path",
    "force": "anyway",
    "format": "json",
    "id": "session-id",
    "kind": "type",
    "label": "tags",
    "level": "scope",
    "max": "limit",
    "message": "text",
    "name": "title",
    "number": "limit",
    "output": "json",
    "q": "query",
    "repo": "project",
    "search": "query",
    "size": "limit",
    "subject": "title",
    "tag": "tags",
    "top": "limit",
    "type": "kind",
}
"""Words people try as options, and the option they mean where a command has it."""
