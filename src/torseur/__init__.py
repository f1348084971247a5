"""Multibody dynamics: one mechanism, written once; numbers, symbols and machine code from it.

    import torseur as ts

Describe a mechanism (`ts.Model`, `ts.Body`, `ts.Joint`, or `ts.load` a file), then simulate it
(`ts.simulate`), compile its dynamics (`ts.compile`) or derive its equations (`ts.equations`).
The modules `ts.robots`, `ts.control`, `ts.vehicles`, `ts.crash`, `ts.identify`, `ts.studies`,
`ts.solve`, `ts.signals`, `ts.spatial`, `ts.formalisms` and `ts.extend` hold the rest by subject.

The names are listed in `__init__.pyi`.  Each is loaded when first used.
"""

from importlib import import_module as _import

from . import keyboard as _keyboard, views as _views
from ._lazy import attach_stub as _attach_stub

_keyboard.resend_lost_interrupts()

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _attach_stub(__name__, __file__)


_SOLVED = ("posture",)  # views that compute: from `solve`, the others from `show`
_views.offer(
    lambda name: getattr(_import(".solve" if name in _SOLVED else ".show", __name__), name)
)
