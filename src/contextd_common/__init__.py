"""What both packages stand on: errors, a light dataclass, words and tokens, and guarded reading of files.

Imports point down: files, then text, and `dataclass.py` and `errors.py` at the bottom.
"""
