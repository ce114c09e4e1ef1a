"""Source code analysis: git, tree, index, symbols, calls, project. Independent of store and daemon.

Uses: domain, files, ports, runtime.
Start at: `index/scan.py`, `calls/call_graph.py`.
"""
