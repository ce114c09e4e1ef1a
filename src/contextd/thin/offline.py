"""What keeps the libraries contextd loads away from the network. Standard library only, and light:
`spawn` needs it.
"""

from __future__ import annotations

import os

TELEMETRY_OFF = {"ORT_DISABLE_TELEMETRY": "1"}
"""onnxruntime reports to its maker since 1.31: from the import on it writes a device id below the
user's cache directory and looks up a host, again and again. Only this variable, set before the import,
prevents it; `disable_telemetry_events` comes too late.
"""


def silence_telemetry() -> None:
    """Turn the telemetry of libraries off in this process, and in those it starts, whatever the
    environment said before. To be called before such a library is imported.
    """
    os.environ.update(TELEMETRY_OFF)


def is_telemetry_off() -> bool:
    """Whether this process's environment still turns it off."""
    return all(os.environ.get(name) == value for name, value in TELEMETRY_OFF.items())
