"""Understanding source code: git, tree, index, symbols, calls, project. Knows no store and no daemon.

Uses: domain, files, ports, runtime.
Start at: `index/scan.py`, `calls/call_graph.py`.
"""
