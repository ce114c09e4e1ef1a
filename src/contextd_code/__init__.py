"""Understand source code: git, files, symbols, references, calls and what a project is built with.

Independent of contextd, which builds on it. Imports point down: project, calls, symbols, index, tree, git, files,
values, text, then `dataclass.py` and `errors.py`. Start at: `index/scan.py`, `calls/call_graph.py`.
"""
