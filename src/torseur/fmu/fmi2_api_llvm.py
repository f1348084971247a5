"""C functions of FMI 2.0: thin wrappers in LLVM around the functions of restricted Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..compiler import FMI_HELPERS, FMI_INSTANCE_FUNCTIONS, FMI_LOGGING
from .instance import Instance

C_TYPES = {"p": "ptr", "w": "i32", "z": "i64", "f": "double"}
FUNCTIONS: Mapping[str, tuple[str, str]] = {
    "SetupExperiment": ("pwffwf", "setup_experiment"),
    "EnterInitializationMode": ("p", "enter_initialization"),
    "ExitInitializationMode": ("p", "exit_initialization"),
    "Terminate": ("p", "terminate_instance"),
    "GetReal": ("ppzp", "get_real"),
    "SetReal": ("ppzp", "set_real"),
    **{f"{do}{of}": ("ppzp", "reject_other_types") for do in ("Get", "Set")
       for of in ("Integer", "Boolean", "String")},
    "DoStep": ("pffw", "do_step"),
    "CancelStep": ("p", "reject_call"),
    "GetBooleanStatus": ("pwp", "get_terminated"),
    "GetRealStatus": ("pwp", "get_last_time"),
    "EnterEventMode": ("p", "check_ready"),
    "EnterContinuousTimeMode": ("p", "check_ready"),
    "NewDiscreteStates": ("pp", "update_discrete_states"),
    "CompletedIntegratorStep": ("pwpp", "complete_step"),
    "SetTime": ("pf", "set_time"),
    "SetContinuousStates": ("ppz", "set_states"),
    "GetContinuousStates": ("ppz", "get_states"),
    "GetNominalsOfContinuousStates": ("ppz", "get_nominals"),
    "GetDerivatives": ("ppz", "get_rates"),
    "GetEventIndicators": ("ppz", "get_indicators"),
}  # fmt: skip
"""By name, without the prefix: arguments in C, and the function of `instance`."""
NOT_OFFERED_FUNCTIONS = {
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
NATIVE_FUNCTIONS = (
    "GetVersion", "GetTypesPlatform", "SetDebugLogging", "Instantiate", "FreeInstance", "Reset",
    "GetFMUstate", "SetFMUstate", "FreeFMUstate",
)  # fmt: skip
EXPORTS = tuple(sorted(f"fmi2{n}" for n in (*FUNCTIONS, *NOT_OFFERED_FUNCTIONS, *NATIVE_FUNCTIONS)))
EXTERNAL_KINDS = {"load_int32": "i", "store_int32": "", "log_message": ""}
"""Functions of this text that native text calls, and the kinds of their answers."""
MESSAGES = (
    "%.0svalue reference %.0f does not exist",
    "%s cannot be set to %.9g: it is computed from other variables",
    "%.0sthis function is not allowed in the present state of the instance",
    "%s cannot be set to %.9g after the initialization",
    "%.0sthe rates are not finite at t = %.9g s (step %.3g s): look for a singular position, or a "
    "law that grows without bound",
    "%.0sthe motion has ended at t = %.9g s; reset, or leave out stop_when",
    "%s has too many events at t = %.9g s: give a stop that comes to rest stiffness and damping, "
    "or use a contact instead",
    "%.0sthe step size fell to zero at t = %.9g s (%.3g s): look for a singular position, or a "
    "smaller tolerance",
    "%.0sthe start does not close the loops and constraints: give coordinates closer to one that "
    "does",
    "%s: the start is %.6g beyond a rigid end stop",
    "%s starts %.4g m inside its ground",
    "%.0sstep from t = %.9g s, but this instance is at t = %.9g s",
    "%.0sstart at t = %.9g s: the laws of this model start at %.9g s, as exported",
    "%s = %.9g: expected a finite number",
    "%.0sthe start was projected onto loops and constraints; the largest change of a coordinate "
    "or a speed is %.3g, relative or in SI",
    "%s = %.9g: the laws of this model start as exported, so its initial state cannot change",
    "%s ended the motion at t = %.9g s",
    "%.0sthis function is not supported",
)
"""By the numbers of `instance`: format strings of a name and two numbers; `%.0s` skips the name."""


def write_module() -> str:
    """LLVM IR of all functions, the same for every model."""
    offsets = {n: 8 * x.place for n, x in Instance.fields.items()}
    native_text = FMI_HELPERS + FMI_LOGGING + FMI_INSTANCE_FUNCTIONS
    for name in sorted(offsets, key=len, reverse=True):
        native_text = native_text.replace(f"${name}$", str(offsets[name]))
    return "\n".join(
        [_write_strings(), native_text, *(_write_wrapper(*x) for x in _iterate_functions())]
    )


def _iterate_functions():
    """Names, types of arguments, and wrapped functions."""
    for name, (kinds, function) in FUNCTIONS.items():
        yield name, kinds, function
    for name, kinds in NOT_OFFERED_FUNCTIONS.items():
        yield name, kinds, "reject_call"


def _write_wrapper(name: str, kinds: str, function: str) -> str:
    """C function that calls a function of restricted Python with integers and doubles."""
    parameters = ", ".join(f"{C_TYPES[k]} %a{i}" for i, k in enumerate(kinds))
    lines, arguments = [], []
    for i, k in enumerate(kinds[:1] if function == "reject_call" else kinds):
        if k in "pw":
            how = "ptrtoint ptr" if k == "p" else "zext i32"
            lines.append(f"  %x{i} = {how} %a{i} to i64")
        arguments.append(f"double %a{i}" if k == "f" else f"i64 %{'a' if k == 'z' else 'x'}{i}")
    lines.append(f"  %y = call i64 @{function}({', '.join(arguments)})")
    lines.append("  %z = trunc i64 %y to i32\n  ret i32 %z")
    return "\n".join([f"define i32 @fmi2{name}({parameters}) {{", *lines, "}"])


def _write_strings() -> str:
    """Constant strings, and the table of messages."""
    strings = {"version": "2.0", "platform": "default", "error": "logStatusError"}
    strings |= {"warning": "logStatusWarning"}
    strings |= {f"message{i}": x for i, x in enumerate(MESSAGES)}
    strings["wrong_guid"] = "modelDescription.xml does not belong to this binary: the guid differs"
    lines = [_format_string(n, x) for n, x in strings.items()]
    rows = ", ".join(f"ptr @message{i}" for i in range(len(MESSAGES)))
    lines.append(f"@messages = internal constant [{len(MESSAGES)} x ptr] [{rows}]")
    return "\n".join(lines)


def _format_string(name: str, text: str) -> str:
    """LLVM constant of a C string."""
    data = text.encode() + b"\0"
    escaped = "".join(f"\\{b:02x}" for b in data)
    return f'@{name} = internal constant [{len(data)} x i8] c"{escaped}"'


def join_strings(names: Sequence[str]) -> tuple[bytes, list[int]]:
    """Names as C strings, one after the other, and the offset of each.

    The names are inserted in format strings, so a percent sign is doubled.
    """
    data, offsets = b"", []
    for name in names:
        offsets.append(len(data))
        data += name.replace("%", "%%").encode() + b"\0"
    return data or b"\0", offsets
