"""Read the project model in `.context/project.yaml`."""

from __future__ import annotations

from pathlib import Path

from contextd.domain.trust import UNTRUSTED
from contextd.runtime.caches import Cache, as_of
from contextd.runtime.runtime import Runtime
from contextd_code.project.project_model import ProjectModel, parse_model, read_text
from contextd_common.errors import ContextdError

_MODELS = 16
"""Parsing takes 15 ms for many modules, and every file read needs it."""


def project_model(runtime: Runtime) -> ProjectModel | None:
    """The parsed `.context/project.yaml`; None if missing or malformed."""
    try:
        return _model(runtime)
    except ContextdError:
        return None


def unheeded(runtime: Runtime) -> bool:
    """Whether the checkout has a `.context/` that is ignored because its owner does not trust it."""
    checkout = runtime.checkout
    return checkout is not None and not checkout.trusted and checkout.context.is_dir()


def model_problem(runtime: Runtime) -> str:
    """Why project.yaml cannot be used, with the line; empty if it is valid or missing."""
    if unheeded(runtime):
        return UNTRUSTED
    try:
        _model(runtime)
    except ContextdError as error:
        return f"{error.message}; {error.hint}"
    return ""


def _model(runtime: Runtime) -> ProjectModel | None:
    if runtime.checkout is None or not runtime.checkout.trusted:
        return None
    path = runtime.checkout.project_yaml
    if not path.is_file():
        return None
    text = read_text(path)
    cache: Cache[Path, tuple[str, ProjectModel]]
    cache = runtime.organisation.caches.of("project models", _MODELS)
    return as_of(cache, path, text, lambda: parse_model(text, path))


def described(runtime: Runtime) -> list[str]:
    """A description of the project in a few lines, most important first."""
    name = runtime.project.name if runtime.project else "unknown"
    model = project_model(runtime)
    if unheeded(runtime):
        return [f"{name} ({runtime.scope})", UNTRUSTED]
    if model is None:
        return [
            f"{name} ({runtime.scope}); not initialised, `contextd init` adds stack and modules"
        ]
    facts = [f"{model.name}: {model.type}"]
    if model.stack:
        facts.append(" + ".join(model.stack[:8]))
    facts += [part for part in (model.runtime, model.package_manager) if part]
    lines = [", ".join(facts)]
    if model.description:
        lines.append(f"Architecture: {model.pattern}. {model.description}")
    if model.modules:
        shown = list(model.modules)[:10]
        more = f" and {len(model.modules) - 10} more" if len(model.modules) > 10 else ""
        lines.append("Modules: " + ", ".join(shown) + more)
    return lines
