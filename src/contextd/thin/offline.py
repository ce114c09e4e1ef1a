"""Keep the libraries that contextd loads off the network. Standard library only, and light: `spawn` needs it."""

from __future__ import annotations

import os

TELEMETRY_OFF = {"ORT_DISABLE_TELEMETRY": "1"}
"""onnxruntime has sent telemetry to Microsoft since 1.31: on import it writes a device id below the user's
cache directory and looks up a host repeatedly. Only this variable, set before the import, prevents it;
`disable_telemetry_events` comes too late.
"""


def silence_telemetry() -> None:
    """Turn off the telemetry of libraries in this process and its children, overriding the environment. Call
    this before importing such a library.
    """
    os.environ.update(TELEMETRY_OFF)


def is_telemetry_off() -> bool:
    """Whether telemetry is still turned off in this process's environment."""
    return all(os.environ.get(name) == value for name, value in TELEMETRY_OFF.items())
