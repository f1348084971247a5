"""The functions of FMI 2.0 as C knows them: thin text of LLVM around that of `instance`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    "the motion has ended at %s",
    "%s came too often, at t = %.9g s: a stop that comes to rest needs stiffness and damping, or "
    "a contact in its place",
    "%.0sthe step fell to nothing at t = %.9g s (%.3g s): look for a singular position, or a "
    "smaller tolerance",
    "%.0sthe start does not close the loops and constraints: give coordinates nearer to one that does",
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


HELPERS = """
@torseur.template = external global i64
@torseur.pointers = external global i64
@torseur.sizes = external global i64
@torseur.guid = external global i8
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i32 @strcmp(ptr, ptr)
declare ptr @strncpy(ptr, ptr, i64)
declare ptr @memcpy(ptr, ptr, i64)

define internal i64 @half(i64 %at, i64 %k) alwaysinline {
  %p = inttoptr i64 %at to ptr
  %q = getelementptr i32, ptr %p, i64 %k
  %x = load i32, ptr %q, align 4
  %y = zext i32 %x to i64
  ret i64 %y
}

define internal void @set_half(i64 %at, i64 %k, i64 %x) alwaysinline {
  %p = inttoptr i64 %at to ptr
  %q = getelementptr i32, ptr %p, i64 %k
  %y = trunc i64 %x to i32
  store i32 %y, ptr %q, align 4
  ret void
}
"""
"""32-bit numbers of C, which native text does not know."""
SAY = """
define internal void @say(ptr %me, i64 %status, i64 %number, i64 %text, double %a, double %b) noinline {
  %room = alloca [1024 x i8]
  %lp = getelementptr i8, ptr %me, i64 $logger$
  %logger = load ptr, ptr %lp, align 8
  %none = icmp eq ptr %logger, null
  br i1 %none, label %out, label %on
on:
  %row = getelementptr ptr, ptr @messages, i64 %number
  %format = load ptr, ptr %row, align 8
  %word = inttoptr i64 %text to ptr
  %noword = icmp eq i64 %text, 0
  %said = select i1 %noword, ptr @nothing, ptr %word
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %room, i64 1024, ptr %format, ptr %said, double %a, double %b)
  %ep = getelementptr i8, ptr %me, i64 $environment$
  %environment = load ptr, ptr %ep, align 8
  %sp = getelementptr i8, ptr %me, i64 $size$
  %size = load i64, ptr %sp, align 8
  %name = getelementptr i8, ptr %me, i64 %size
  %status32 = trunc i64 %status to i32
  %is_bad = icmp sgt i64 %status, 1
  %category = select i1 %is_bad, ptr @bad, ptr @doubtful
  call void (ptr, ptr, i32, ptr, ptr, ...) %logger(ptr %environment, ptr %name, i32 %status32, ptr %category, ptr %room)
  br label %out
out:
  ret void
}
@nothing = internal constant [1 x i8] zeroinitializer
"""
"""A message to the importer."""
MAKING = """
define ptr @fmi2GetVersion() {
  ret ptr @version
}
define ptr @fmi2GetTypesPlatform() {
  ret ptr @platform
}
define i32 @fmi2SetDebugLogging(ptr %me, i32 %on, i64 %count, ptr %categories) {
  ret i32 0
}
define internal void @filled(ptr %me) {
  %size = load i64, ptr @torseur.sizes, align 8
  %c = call ptr @memcpy(ptr %me, ptr @torseur.template, i64 %size)
  %np = getelementptr i64, ptr @torseur.sizes, i64 1
  %count = load i64, ptr %np, align 8
  %block = ptrtoint ptr %me to i64
  %table = ptrtoint ptr @torseur.pointers to i64
  %x = call i64 @addressed(i64 %block, i64 %table, i64 %count)
  ret void
}
define ptr @fmi2Instantiate(ptr %name, i32 %kind, ptr %guid, ptr %resources, ptr %functions, i32 %visible, i32 %logs) {
  %logger = load ptr, ptr %functions, align 8
  %ap = getelementptr ptr, ptr %functions, i64 1
  %allocate = load ptr, ptr %ap, align 8
  %fp = getelementptr ptr, ptr %functions, i64 2
  %free = load ptr, ptr %fp, align 8
  %ep = getelementptr ptr, ptr %functions, i64 4
  %environment = load ptr, ptr %ep, align 8
  %differ = call i32 @strcmp(ptr %guid, ptr @torseur.guid)
  %same = icmp eq i32 %differ, 0
  br i1 %same, label %make, label %wrong
wrong:
  %silent = icmp eq ptr %logger, null
  br i1 %silent, label %none, label %tell
tell:
  call void (ptr, ptr, i32, ptr, ptr, ...) %logger(ptr %environment, ptr %name, i32 3, ptr @bad, ptr @other)
  br label %none
none:
  ret ptr null
make:
  %size = load i64, ptr @torseur.sizes, align 8
  %whole = add i64 %size, 256
  %me = call ptr %allocate(i64 1, i64 %whole)
  %failed = icmp eq ptr %me, null
  br i1 %failed, label %none, label %fill
fill:
  call void @filled(ptr %me)
  %title = getelementptr i8, ptr %me, i64 %size
  %t = call ptr @strncpy(ptr %title, ptr %name, i64 255)
  %last = getelementptr i8, ptr %title, i64 255
  store i8 0, ptr %last
  %p0 = getelementptr i8, ptr %me, i64 $logger$
  store ptr %logger, ptr %p0, align 8
  %p1 = getelementptr i8, ptr %me, i64 $allocate$
  store ptr %allocate, ptr %p1, align 8
  %p2 = getelementptr i8, ptr %me, i64 $free$
  store ptr %free, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %me, i64 $environment$
  store ptr %environment, ptr %p3, align 8
  %k = zext i32 %kind to i64
  %p4 = getelementptr i8, ptr %me, i64 $kind$
  store i64 %k, ptr %p4, align 8
  ret ptr %me
}
define void @fmi2FreeInstance(ptr %me) {
  %none = icmp eq ptr %me, null
  br i1 %none, label %out, label %on
on:
  %p = getelementptr i8, ptr %me, i64 $free$
  %free = load ptr, ptr %p, align 8
  call void %free(ptr %me)
  br label %out
out:
  ret void
}
define i32 @fmi2Reset(ptr %me) {
  %p0 = getelementptr i8, ptr %me, i64 $logger$
  %logger = load i64, ptr %p0, align 8
  %p1 = getelementptr i8, ptr %me, i64 $allocate$
  %allocate = load i64, ptr %p1, align 8
  %p2 = getelementptr i8, ptr %me, i64 $free$
  %free = load i64, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %me, i64 $environment$
  %environment = load i64, ptr %p3, align 8
  %p4 = getelementptr i8, ptr %me, i64 $kind$
  %kind = load i64, ptr %p4, align 8
  call void @filled(ptr %me)
  store i64 %logger, ptr %p0, align 8
  store i64 %allocate, ptr %p1, align 8
  store i64 %free, ptr %p2, align 8
  store i64 %environment, ptr %p3, align 8
  store i64 %kind, ptr %p4, align 8
  ret i32 0
}
define i32 @fmi2GetFMUstate(ptr %me, ptr %to) {
  %size = load i64, ptr @torseur.sizes, align 8
  %old = load ptr, ptr %to, align 8
  %new = icmp eq ptr %old, null
  br i1 %new, label %make, label %copy
make:
  %p = getelementptr i8, ptr %me, i64 $allocate$
  %allocate = load ptr, ptr %p, align 8
  %made = call ptr %allocate(i64 1, i64 %size)
  store ptr %made, ptr %to, align 8
  %failed = icmp eq ptr %made, null
  br i1 %failed, label %none, label %copy
none:
  ret i32 3
copy:
  %state = load ptr, ptr %to, align 8
  %c = call ptr @memcpy(ptr %state, ptr %me, i64 %size)
  ret i32 0
}
define i32 @fmi2SetFMUstate(ptr %me, ptr %state) {
  %size = load i64, ptr @torseur.sizes, align 8
  %c = call ptr @memcpy(ptr %me, ptr %state, i64 %size)
  ret i32 0
}
define i32 @fmi2FreeFMUstate(ptr %me, ptr %at) {
  %state = load ptr, ptr %at, align 8
  %p = getelementptr i8, ptr %me, i64 $free$
  %free = load ptr, ptr %p, align 8
  call void %free(ptr %state)
  store ptr null, ptr %at, align 8
  ret i32 0
}
"""
"""Memory of instances: their callbacks, name and kind stay when they are filled anew."""
