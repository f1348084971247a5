"""The functions of FMI 2.0 as C knows them: thin text of LLVM around that of `instance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..compiler import HELPERS, MAKING, SAY
from .instance import Instance

KINDS = {"p": "ptr", "w": "i32", "z": "i64", "f": "double"}
FUNCTIONS: Mapping[str, tuple[str, str]] = {
    "SetupExperiment": ("pwffwf", "setup"),
    "EnterInitializationMode": ("p", "enter_start"),
    "ExitInitializationMode": ("p", "exit_start"),
    "Terminate": ("p", "terminate"),
    "GetReal": ("ppzp", "get_real"),
    "SetReal": ("ppzp", "set_real"),
    **{f"{do}{of}": ("ppzp", "no_others") for do in ("Get", "Set")
       for of in ("Integer", "Boolean", "String")},
    "DoStep": ("pffw", "do_step"),
    "CancelStep": ("p", "refused"),
    "GetBooleanStatus": ("pwp", "terminated"),
    "GetRealStatus": ("pwp", "last_time"),
    "EnterEventMode": ("p", "in_order"),
    "EnterContinuousTimeMode": ("p", "in_order"),
    "NewDiscreteStates": ("pp", "new_states"),
    "CompletedIntegratorStep": ("pwpp", "completed"),
    "SetTime": ("pf", "set_time"),
    "SetContinuousStates": ("ppz", "set_states"),
    "GetContinuousStates": ("ppz", "get_states"),
    "GetNominalsOfContinuousStates": ("ppz", "get_nominals"),
    "GetDerivatives": ("ppz", "get_rates"),
    "GetEventIndicators": ("ppz", "get_indicators"),
}  # fmt: skip
"""By name, without the prefix: arguments in C, and the function of `instance`."""
REFUSED = {
    "SetRealInputDerivatives": "ppzpp",
    "GetRealOutputDerivatives": "ppzpp",
    "GetStatus": "pwp",
    "GetIntegerStatus": "pwp",
    "GetStringStatus": "pwp",
    "SerializedFMUstateSize": "ppp",
    "SerializeFMUstate": "pppz",
    "DeSerializeFMUstate": "ppzp",
    "GetDirectionalDerivative": "ppzpzpp",
}
"""What is not offered: it answers with an error."""
WRITTEN = (
    "GetVersion", "GetTypesPlatform", "SetDebugLogging", "Instantiate", "FreeInstance", "Reset",
    "GetFMUstate", "SetFMUstate", "FreeFMUstate",
)  # fmt: skip
EXPORTS = tuple(sorted(f"fmi2{n}" for n in (*FUNCTIONS, *REFUSED, *WRITTEN)))
OUTSIDE = {"half": "i", "set_half": "", "say": ""}
"""Functions of this text that native text calls, and the kinds of their answers."""
MESSAGES = (
    "%.0sthere is no variable number %.0f here",
    "%s cannot be set: it follows from others (given: %.9g)",
    "%.0sthis function is not allowed in the present state",
    "%s is set before the start, not on the way (given: %.9g)",
    "%.0sthe rates are not finite at t = %.9g s (step %.3g s): look for a singular position, or a "
    "law that grows without bound",
    "%.0sthe motion has ended at t = %.9g s; reset, or leave out stop_when",
    "%s came too often, at t = %.9g s: a stop that comes to rest needs stiffness and damping, or "
    "a contact in its place",
    "%.0sthe step fell to nothing at t = %.9g s (%.3g s): look for a singular position, or a "
    "smaller tolerance",
    "%.0sthe start does not close the loops and constraints: give coordinates nearer to one that "
    "does",
    "%s: the start is %.6g behind an end that only turns back what comes from inside",
    "%s starts %.4g m inside its ground",
    "%.0sa step from t = %.9g s: this instance stands at %.9g s",
    "%.0sstart at t = %.9g s: laws of this model begin at %.9g s, as it was exported",
    "%s = %.9g: a number is expected that is finite",
    "%.0sthe start was brought to its loops and constraints; the largest change of a coordinate "
    "or a speed is %.3g, relative or in SI",
    "%s = %.9g: laws of this model begin as they were exported, and its start cannot change",
    "%s ended the motion at t = %.9g s",
    "%.0sthis is not offered",
)
"""By the numbers of `instance`: a text, then two numbers; what is not told is skipped."""


def text() -> str:
    """LLVM of all functions: the same for every model."""
    at = {n: 8 * x.place for n, x in Instance.fields.items()}
    own = HELPERS + SAY + MAKING
    for name in sorted(at, key=len, reverse=True):
        own = own.replace(f"${name}$", str(at[name]))
    return "\n".join([_strings(), own, *(_wrapped(*x) for x in _offered())])


def _offered():
    for name, (kinds, own) in FUNCTIONS.items():
        yield name, kinds, own
    for name, kinds in REFUSED.items():
        yield name, kinds, "refused"


def _wrapped(name: str, kinds: str, own: str) -> str:
    """A function of C that calls one of ours with words and reals."""
    given = ", ".join(f"{KINDS[k]} %a{i}" for i, k in enumerate(kinds))
    lines, words = [], []
    for i, k in enumerate(kinds[:1] if own == "refused" else kinds):
        if k in "pw":
            how = "ptrtoint ptr" if k == "p" else "zext i32"
            lines.append(f"  %x{i} = {how} %a{i} to i64")
        words.append(f"double %a{i}" if k == "f" else f"i64 %{'a' if k == 'z' else 'x'}{i}")
    lines.append(f"  %y = call i64 @{own}({', '.join(words)})")
    lines.append("  %z = trunc i64 %y to i32\n  ret i32 %z")
    return "\n".join([f"define i32 @fmi2{name}({given}) {{", *lines, "}"])


def _strings() -> str:
    """Texts, and the table of messages."""
    texts = {"version": "2.0", "platform": "default", "bad": "logStatusError"}
    texts |= {"doubtful": "logStatusWarning"}
    texts |= {f"message{i}": x for i, x in enumerate(MESSAGES)}
    texts["other"] = "modelDescription.xml is not of this binary: its guid is another"
    lines = [_constant(n, x) for n, x in texts.items()]
    rows = ", ".join(f"ptr @message{i}" for i in range(len(MESSAGES)))
    lines.append(f"@messages = internal constant [{len(MESSAGES)} x ptr] [{rows}]")
    return "\n".join(lines)


def _constant(name: str, text: str) -> str:
    data = text.encode() + b"\0"
    shown = "".join(f"\\{b:02x}" for b in data)
    return f'@{name} = internal constant [{len(data)} x i8] c"{shown}"'


def texts_of(names: Sequence[str]) -> tuple[bytes, list[int]]:
    """Names as C reads them, one after the other, and where each begins.

    They go into formats of messages, where a percent sign is written twice.
    """
    data, at = b"", []
    for name in names:
        at.append(len(data))
        data += name.replace("%", "%%").encode() + b"\0"
    return data or b"\0", at
