"""Puts the reference models (`zoo`) within reach of every test, and settles hypothesis."""

import gc
import os
import sys
from pathlib import Path

# bytecode is kept, whatever the caller's shell says: dozens of the tests start Python anew
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
LATE = "numpy" in sys.modules  # BLAS has its threads already
os.environ.setdefault("OMP_NUM_THREADS", "1")  # small matrices: threads of BLAS only wait
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile(
    "torseur",
    deadline=None,
    derandomize=True,
    max_examples=20,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("torseur")


def pytest_collection_finish():
    """What was imported stays: the collector need not walk it, nor come as often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
