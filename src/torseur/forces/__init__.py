"""Forces: laws (`laws/`) on lines of action (`lines/`); one file each, one contract each."""

from .._lazy import attach_stub

_named, __dir__, __all__ = attach_stub(__name__, __file__, "base.law", "base.line")


def __getattr__(name: str):
    if name == "EVERY_LAW":
        return _named("law").examples()
    if name == "EVERY_LINE":
        return tuple(_named("line").values())
    return _named(name)
