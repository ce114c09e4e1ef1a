"""Whatever a member of any role sends to a server, the answer is as described and never a defect."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.team_processes import Processes, ask, free_port, made, ready

SCHEMATHESIS = Path(sys.executable).with_name("schemathesis")
CHECKS = "not_a_server_error,response_schema_conformance,status_code_conformance,content_type_conformance"
ROLES = {
    "org_admin": "",
    "team_admin": "/web",
    "team_member": "/web",
    "project_dev": "/web/shop",
    "viewer": "",
}
EXAMPLES = 25
"""Per route and role: 10,000 requests and more."""

FREE = {
    "CONTEXTD_SERVER_MEMBER_RATE": "1000000",
    "CONTEXTD_SERVER_ORGANISATION_RATE": "1000000",
}


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    found = Processes(tmp_path)
    yield found
    found.close()


@pytest.mark.slow
@pytest.mark.skipif(not SCHEMATHESIS.exists(), reason="schemathesis is not installed")
@pytest.mark.timeout(3600)
def test_no_request_of_any_role_is_answered_with_a_defect(
    processes: Processes, tmp_path: Path
) -> None:
    port = free_port()
    server = processes.start("serve", "--listen", f"127.0.0.1:{port}", **FREE)
    ready(port)
    name, admin = made(processes, port)
    ask(port, "POST /api/projects", {"name": "Shop", "team": "web"}, admin)
    sent = 0
    for role, scope in ROLES.items():
        body = {"name": role, "role": role, "scope": f"{name}{scope}"}
        code = ask(port, "POST /api/members", body, admin)[1]["code"]
        token = ask(port, "POST /api/codes/exchange", {"code": code})[1]["token"]
        done = subprocess.run(
            [
                str(SCHEMATHESIS), "run", f"http://127.0.0.1:{port}/openapi.json",
                "--header", f"Authorization: Bearer {token}",
                "--header", "X-Contextd-Project: shop",
                "--checks", CHECKS,
                "--max-examples", str(EXAMPLES), "--phases", "fuzzing",
                "--generation-deterministic", "--no-color", "--warnings", "off",
                "--request-timeout", "30",
            ],
            capture_output=True, text=True, timeout=1200, check=False, cwd=tmp_path,
            env={**os.environ, "HYPOTHESIS_STORAGE_DIRECTORY": str(tmp_path)},
        )  # fmt: skip
        assert done.returncode == 0, f"{role}: {done.stdout[-6000:]}{done.stderr[-2000:]}"
        found = re.search(r"(\d[\d,]*) generated", done.stdout)
        assert found, done.stdout[-2000:]
        sent += int(found[1].replace(",", ""))
    assert server.poll() is None, "the server did not survive"
    assert sent >= 10_000
