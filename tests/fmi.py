"""An importer of FMI 2.0 by ctypes: it knows the standard, and nothing of this project."""

import ctypes as c
import itertools
import sys
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from scipy.integrate import DOP853

LOG = c.CFUNCTYPE(None, c.c_void_p, c.c_char_p, c.c_int, c.c_char_p, c.c_char_p)
ALLOCATE = c.CFUNCTYPE(c.c_void_p, c.c_size_t, c.c_size_t)
FREE = c.CFUNCTYPE(None, c.c_void_p)
STEPPED = c.CFUNCTYPE(None, c.c_void_p, c.c_int)
EXCHANGE, SIMULATION = 0, 1
PLATFORM, SUFFIX = ("win64", ".dll") if sys.platform == "win32" else ("linux64", ".so")


class Callbacks(c.Structure):
    _fields_ = (
        ("log", LOG),
        ("allocate", ALLOCATE),
        ("free", FREE),
        ("stepped", STEPPED),
        ("environment", c.c_void_p),
    )


class EventInfo(c.Structure):
    _fields_ = (
        ("again", c.c_int),
        ("ends", c.c_int),
        ("nominals", c.c_int),
        ("states", c.c_int),
        ("timed", c.c_int),
        ("time", c.c_double),
    )


class Refused(Exception):
    """A function answered with an error; the messages said so far."""


class Fmu:
    """A file, its description and its library."""

    def __init__(self, path, folder):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        self.root = ElementTree.parse(Path(folder) / "modelDescription.xml").getroot()
        self.rows = self.root.findall("ModelVariables/ScalarVariable")
        self.references = {x.get("name"): int(x.get("valueReference")) for x in self.rows}
        self.guid = self.root.get("guid")
        self.identifier = self.root.find("CoSimulation").get("modelIdentifier")
        self.file = Path(folder) / "binaries" / PLATFORM / f"{self.identifier}{SUFFIX}"
        self.library = c.CDLL(str(self.file))
        self.states = len(self.root.findall("ModelStructure/Derivatives/Unknown"))
        self.guards = int(self.root.get("numberOfEventIndicators"))

    def start(self, kind=SIMULATION, t=0.0, **values):
        """An instance that is ready for steps; `values` are set before it begins."""
        return Instance(self, kind).begin(t, values)


class Instance:
    """A model under way."""

    def __init__(self, fmu, kind=SIMULATION, guid=None):
        self.fmu, self.said, self.blocks = fmu, [], {}
        self.callbacks = Callbacks(
            LOG(self._log), ALLOCATE(self._allocate), FREE(self._free), STEPPED(0), None
        )
        make = fmu.library.fmi2Instantiate
        make.restype = c.c_void_p
        guid = (guid or fmu.guid).encode()
        made = make(b"one", kind, guid, b"", c.byref(self.callbacks), 0, 0)
        if not made:
            raise Refused("\n".join(self.said))
        self.at = c.c_void_p(made)

    def _log(self, _environment, _name, _status, _category, message):
        self.said.append(message.decode())

    def _allocate(self, count, size):
        block = c.create_string_buffer(count * size + 16)
        at = c.addressof(block)
        self.blocks[at] = block
        return at

    def _free(self, at):
        del self.blocks[at]

    def __call__(self, name, *given, good=(0,)):
        """A function of FMI; raises with the messages where it fails."""
        answer = getattr(self.fmu.library, f"fmi2{name}")(self.at, *given)
        if answer not in good:
            raise Refused("\n".join(self.said) or f"fmi2{name} answers {answer}")
        return answer

    def begin(self, t=0.0, values=None, tolerance=None):
        said = (c.c_int(tolerance is not None), c.c_double(tolerance or 0.0))
        self("SetupExperiment", *said, c.c_double(t), c.c_int(0), c.c_double(0.0))
        if values:
            self.set(values)
        self("EnterInitializationMode")
        self("ExitInitializationMode")
        self.t = t
        return self

    def set(self, values):
        n = len(values)
        own = (c.c_uint * n)(*(self.fmu.references[x] for x in values))
        self("SetReal", own, c.c_size_t(n), (c.c_double * n)(*values.values()))

    def get(self, names):
        n = len(names)
        own, out = (c.c_uint * n)(*(self.fmu.references[x] for x in names)), (c.c_double * n)()
        self("GetReal", own, c.c_size_t(n), out)
        return list(out)

    def step(self, h):
        self("DoStep", c.c_double(self.t), c.c_double(h), c.c_int(1))
        self.t += h

    def run(self, times, names):
        """Values at times, (times, names), by co-simulation."""
        out = [self.get(names)]
        for before, t in itertools.pairwise(times):
            self.t = before
            self.step(t - before)
            out.append(self.get(names))
        return np.array(out)

    def release(self):
        self.fmu.library.fmi2FreeInstance(self.at)

    # model exchange ----------------------------------------------------------------------
    def _states(self):
        out = (c.c_double * self.fmu.states)()
        self("GetContinuousStates", out, c.c_size_t(self.fmu.states))
        return np.array(out)

    def _put(self, t, x):
        self("SetTime", c.c_double(t))
        self("SetContinuousStates", (c.c_double * len(x))(*x), c.c_size_t(len(x)))

    def _rates(self, t, x):
        self._put(t, x)
        out = (c.c_double * len(x))()
        self("GetDerivatives", out, c.c_size_t(len(x)))
        return np.array(out)

    def _indicators(self, t, x):
        self._put(t, x)
        out = (c.c_double * self.fmu.guards)()
        self("GetEventIndicators", out, c.c_size_t(self.fmu.guards))
        return np.array(out)

    def _event(self):
        """Event mode, until nothing changes any more."""
        info = EventInfo(1, 0, 0, 0, 0, 0.0)
        self("EnterEventMode")
        while info.again:
            self("NewDiscreteStates", c.byref(info))
        self("EnterContinuousTimeMode")
        return self._states()

    def exchange(self, times, names, rtol=1e-9, most=np.inf):
        """Values at times by an integrator of SciPy; events are located by halving."""
        x, t, out = self._event(), times[0], [self.get(names)]
        for end in times[1:]:
            while t < end:
                way = DOP853(self._rates, t, x, end, rtol=rtol, atol=1e-11, max_step=most)
                g = self._indicators(t, x) > 0
                while way.status == "running":
                    way.step()
                    assert way.status != "failed"
                    between, low, high = way.dense_output(), way.t_old, way.t
                    fired = ((self._indicators(high, way.y) > 0) != g).any()
                    while fired and high - low > 1e-13:
                        middle = 0.5 * (low + high)
                        here = ((self._indicators(middle, between(middle)) > 0) != g).any()
                        low, high = (low, middle) if here else (middle, high)
                    t, x = high, between(high) if fired else way.y
                    self._put(t, x)
                    wanted, ends = c.c_int(), c.c_int()
                    last = (c.c_int(1), c.byref(wanted), c.byref(ends))
                    self("CompletedIntegratorStep", *last)
                    if fired or wanted.value:
                        x = self._event()
                        break
                else:
                    continue
            out.append(self.get(names))
        return np.array(out)
