"""A home of schema 17, as a contextd from before the first release left it, with two projects.

Recorded once: `init` in both, a note in each, a session in the shop that stated a rule. Its paths are
`/srv/shop` and `/srv/blog`; here the repositories are made anew elsewhere.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Mapping
from pathlib import Path

import apsw

from contextd.thin.home import LOCAL, database_path, make_home
from contextd_code.git.identity import identify
from support.repositories import committed

RECORDED = Path(__file__).parents[1] / "fixtures" / "homes" / "schema-17.db.xz"
FILES = {
    "shop": {
        "retry.py": 'def retry_upload(tenant):\n    """Retry the upload of a tenant five times."""\n'
        "    return [tenant] * 5\n",
        "invoice.py": "from retry import retry_upload\n\n\ndef print_invoice(tenant):\n"
        '    """Print the invoice of a tenant."""\n    return retry_upload(tenant)\n',
    },
    "blog": {
        "post.py": 'def post_title(post):\n    """The title of a post."""\n    return post["title"]\n'
    },
}
"""What stood in the repositories."""


def write_old_home(home: Path, roots: Mapping[str, Path]) -> None:
    """Write the home, with its projects `shop` and `blog` at these roots."""
    make_home(home)
    path = database_path(home, LOCAL)
    path.parent.mkdir(parents=True, mode=0o700)
    path.write_bytes(lzma.decompress(RECORDED.read_bytes()))
    connection = apsw.Connection(str(path))
    for project, root in roots.items():
        committed(root, FILES[project])
        connection.execute(
            "UPDATE projects SET roots = ?, identity = ? WHERE name = ?",
            (json.dumps([str(root)]), identify(root).identity, project),
        )
    connection.close()
