"""Agent programs: how each is told of the scripted model, and what of contextd can reach its model. Of contextd
they are told by `contextd install`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from scripted_model import Asked, Caller, Use, by_its_name, find_tool
from stage import Stage
from wire import Called, Tool


@dataclass(frozen=True)
class Agent:
    """One program, by the name that contextd has for it: `command` with the prompt behind it. `configure`
    writes what its user has set up before contextd comes. `briefed` says whether a hook can bring the
    briefing to its model at the start: none is brought where the client says that a program runs it, `prompted` whether one can bring what is known about a prompt,
    `followed` whether contextd hears of its prompts. `placed` says whether its server stands in the project;
    else each call names it, as contextd's instructions ask.
    """

    name: str
    package: str
    command: tuple[str, ...]
    configure: Callable[[Stage, str], None]
    environment: Callable[[Stage, str], Mapping[str, str]]
    call: Caller = by_its_name
    briefed: bool = True
    prompted: bool = True
    followed: bool = True
    placed: bool = True

    def names(self, asked: Asked, operation: str) -> bool:
        """Whether the model is told that there is a tool for an operation: listed, or to be searched for."""
        return find_tool(operation, asked.tools) is not None or f"__{operation}" in asked.text


def first_start_of_claude_code(stage: Stage, url: str) -> None:
    """Have everything answered that it asks when it starts for the first time."""
    # What its first start would ask: the theme, whether the folder is trusted, whether the key is.
    # Versions before 2.1 read `allowedTools` of each project.
    known = {"hasTrustDialogAccepted": True, "allowedTools": []}
    trusted = {str(folder): known for folder in (stage.shop, stage.bakery)}
    asked = {"hasCompletedOnboarding": True, "theme": "dark", "projects": trusted}
    keys = {"approved": [_NO_KEY], "rejected": []}
    stage.write(".claude.json", {**asked, "customApiKeyResponses": keys})


def model_of_codex(stage: Stage, url: str) -> None:
    """Have it ask the scripted model."""
    stage.write(
        ".codex/config.toml",
        f"""model = "scripted"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
""",
    )


def model_of_gemini(stage: Stage, url: str) -> None:
    """Have it ask the scripted model."""
    security = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    stage.write(".gemini/settings.json", {"security": security})


def _qwen(stage: Stage, url: str) -> None:
    security = {"auth": {"selectedType": "openai"}}
    stage.write(".qwen/settings.json", {"security": security, "$version": 4})


def _through_its_bridge(use: Use, tools: Sequence[Tool]) -> Called:
    """Qwen Code lists no tool of a server: they are found by searching and called through one of its own."""
    name = f"mcp__contextd__{use.operation}"
    return Called(Tool("tool_call"), {"name": name, "arguments": dict(use.arguments)})


def model_of_opencode(stage: Stage, url: str, **more: object) -> None:
    """Have it ask the scripted model, with what else it is told."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"scripted": {"name": "scripted"}},
    }
    settings = {
        "provider": {"scripted": provider},
        "model": "scripted/scripted",
        "autoupdate": False,
        **more,
    }
    stage.write(".config/opencode/opencode.json", settings)


def model_of_cline(stage: Stage, url: str) -> None:
    """Have it ask the scripted model."""
    chosen = ("-p", "openai-compatible", "-k", "none", "-m", "scripted", "-b", f"{url}/v1")
    done = stage.run("cline", "auth", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr


def _continue(stage: Stage, url: str) -> None:
    stage.write(
        ".continue/config.yaml",
        f"""name: scripted
version: 1.0.0
schema: v1
models:
  - name: scripted
    provider: openai
    model: gpt-4.1
    apiBase: {url}/v1
    apiKey: none
    roles: [chat, edit, apply]
    capabilities: [tool_use]
""",
    )


def _no_settings(stage: Stage, url: str) -> None:
    """It is told of the model by its environment."""


_NO_KEY = "sk-ant-none"


def _nothing(stage: Stage, url: str) -> Mapping[str, str]:
    return {}


CLAUDE_CODE = Agent(
    name="claude-code",
    package="@anthropic-ai/claude-code@2.1.332",
    command=("claude", "--permission-mode", "default", "--allowedTools=Read,mcp__contextd", "--"),
    configure=first_start_of_claude_code,
    environment=lambda stage, url: {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": _NO_KEY,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    },
)
"""The one that also runs on a terminal: sessions that a program runs are not learned from."""

HEADLESS: tuple[Agent, ...] = (
    Agent(
        name="codex",
        package="@openai/codex@0.171.0",
        command=(
            "codex", "exec", "--json", "--dangerously-bypass-hook-trust",
            "--dangerously-bypass-approvals-and-sandbox",
        ),
        configure=model_of_codex,
        environment=lambda stage, url: {"SCRIPTED_KEY": "none"},
        briefed=False,
        followed=False,
    ),
    Agent(
        name="gemini-cli",
        package="@google/gemini-cli@0.61.0",
        command=("gemini", "-m", "gemini-2.5-pro", "-y", "-p"),
        configure=model_of_gemini,
        environment=lambda stage, url: {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": url},
    ),
    Agent(
        name="qwen-code",
        package="@qwen-code/qwen-code@0.24.4",
        command=("qwen", "-y", "-p"),
        configure=_qwen,
        environment=lambda stage, url: {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "none",
            "OPENAI_MODEL": "scripted",
        },
        call=_through_its_bridge,
    ),
    Agent(
        name="copilot-cli",
        package="@github/copilot@1.0.102",
        command=("copilot", "--allow-all-tools", "-p"),
        configure=_no_settings,
        environment=lambda stage, url: {
            "COPILOT_OFFLINE": "true",
            "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
            "COPILOT_MODEL": "gpt-4.1",
        },
    ),
    Agent(
        name="opencode",
        package="opencode-ai@1.18.33",
        command=("opencode", "run"),
        configure=model_of_opencode,
        environment=lambda stage, url: {
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            # It fetches its library for plugins first, and nothing here reaches a registry.
            "npm_config_fetch_retries": "0",
        },
    ),
    Agent(
        name="cline",
        package="cline@3.0.65",
        command=("cline", "--json"),
        configure=model_of_cline,
        environment=lambda stage, url: {"CLINE_PLUGIN_IMPORT_TIMEOUT_MS": "60000"},
        prompted=False,
        followed=False,
        placed=False,
    ),
    Agent(
        name="continue",
        package="@continuedev/cli@1.5.47",
        command=("cn", "--auto", "-p"),
        configure=_continue,
        environment=_nothing,
        briefed=False,
        prompted=False,
        followed=False,
    ),
)  # fmt: skip
"""Programs that take a prompt and end."""
