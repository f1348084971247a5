"""Facts of a system that a graph tells, kept in the cache beside its kernels."""

from collections.abc import Callable
from typing import Any

from . import cache


def remembered(key: bytes | None, make: Callable[[], Any]) -> Any:
    """What `make` gives, in lists, numbers and texts: from the cache, where the same sources kept
    it under this key, a digest of all that it depends on; None keeps nothing."""
    if key is None:
        return make()
    name = cache.entry(key, "facts")
    if (found := cache.load(name)) is not None:
        return found[0]["facts"]
    facts = make()
    cache.store(name, {"facts": facts}, b"")
    return facts
