"""The reference store: the promises of `contextd.ports` in memory, in plain Python.

Every other store must answer as it does; the tests compare them. It keeps nothing on disk.
"""

from contextd.stores import STORES

STORES["memory"] = "reference_store.store:open_memory"
STORES["memory-without-code"] = "reference_store.store:open_memory_without_code"

WITHOUT_CODE = frozenset({"memory-without-code"})
"""The stores that have no code indexes, as a store for a team has none."""
