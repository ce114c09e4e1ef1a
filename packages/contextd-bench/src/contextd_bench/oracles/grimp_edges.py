"""What grimp says of one package: `python grimp_edges.py FOLDER PACKAGE` prints JSON with its
`modules`, and its `edges` as [importer, imported]. In a process of its own: it looks packages up on
the path, and a package it cannot read ends the process.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import grimp


def main(folder: str, package: str) -> int:
    """Print the graph; returns 1 when the name leads to another package."""
    sys.path.insert(0, folder)
    spec = importlib.util.find_spec(package)
    own = Path(folder, package, "__init__.py")
    if spec is None or spec.origin is None or not own.samefile(spec.origin):
        return 1
    graph = grimp.build_graph(package, cache_dir=None)
    edges = [
        [module, other]
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
    ]
    print(json.dumps({"modules": sorted(graph.modules), "edges": sorted(edges)}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
