"""A project.yaml as a person keeps it, and what a scan knows of the same project."""

from datetime import UTC, datetime

from contextd.projects.project_yaml import ModuleFacts, ProjectFacts
from contextd_code.project.project_model import KeyFile

NOW = datetime(2025, 1, 15, 8, tzinfo=UTC)
LATER = datetime(2025, 1, 16, 9, 30, tzinfo=UTC)
FACTS = ProjectFacts(
    name="My SaaS App",
    type="fullstack",
    stack=("Next.js 14", "Express 4", "TypeScript 5"),
    runtime="Node.js 20",
    package_manager="pnpm",
    pattern="feature-based",
    description="Feature modules: auth, users",
    modules=(
        ModuleFacts(
            "auth",
            "Authentication",
            (KeyFile("src/auth/AuthService.ts"), KeyFile("src/auth/index.ts", "entry", "the door")),
            ("users",),
        ),
        ModuleFacts("users", "People", (KeyFile("src/users/UserRepository.ts"),)),
    ),
)
SEED = """\
version: "1.0"

project:
  name: "My SaaS App"
  type: "fullstack"
  path: "/srv/projects/my-saas"

tech:
  stack:
    - "Next.js 14"
    - "Express 4"
  runtime: "Node.js 20"
  packageManager: "pnpm"

architecture:
  pattern: "feature-based"
  description: "Feature modules with shared infrastructure"

# the heart of it
modules:
  auth:
    name: "auth"
    description: "Authentication and authorization"   # since 2023
    keyFiles:
      - path: "src/server/auth/AuthService.ts"
        role: "core"
    patterns:
      - "Use JWT tokens in httpOnly cookies"
      # ask Ana before changing this
      - "Implement token refresh with mutex locks"

    # from the lawyers
    businessRules:
      - "Sessions expire after 7 days"
    commonIssues:
      - description: "Token refresh race condition"
        solution: "Use mutex lock in TokenManager"
        sessionId: "session-123"
        discoveredAt: "2025-01-15T10:30:00Z"
    dependencies:
      - "users"

  users:
    name: "users"
    description: "User management and profiles"
    keyFiles: []
    patterns: []  # none yet
    businessRules:
      - "Email must be unique"
    commonIssues: []
    dependencies: []

metadata:
  createdAt: "2025-01-15T08:00:00Z"
  updatedAt: "2025-01-15T18:00:00Z"
  lastScanAt: "2025-01-15T08:00:00Z"
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
