"""Native text of FMI: memory and strings, which restricted Python does not have, as LLVM IR.

`$name$` is the offset of a field of an instance [bytes].
"""

FMI_HELPERS = """
@torseur.template = external global i64
@torseur.pointers = external global i64
@torseur.sizes = external global i64
@torseur.guid = external global i8
declare i32 @snprintf(ptr, i64, ptr, ...)
declare i32 @strcmp(ptr, ptr)
declare ptr @strncpy(ptr, ptr, i64)
declare ptr @memcpy(ptr, ptr, i64)

define internal i64 @load_int32(i64 %at, i64 %k) alwaysinline {
  %p = inttoptr i64 %at to ptr
  %q = getelementptr i32, ptr %p, i64 %k
  %x = load i32, ptr %q, align 4
  %y = zext i32 %x to i64
  ret i64 %y
}

define internal void @store_int32(i64 %at, i64 %k, i64 %x) alwaysinline {
  %p = inttoptr i64 %at to ptr
  %q = getelementptr i32, ptr %p, i64 %k
  %y = trunc i64 %x to i32
  store i32 %y, ptr %q, align 4
  ret void
}
"""
"""Access to 32-bit integers of C, which restricted Python does not have."""
FMI_LOGGING = """
define internal void @log_message(ptr %instance, i64 %status, i64 %number, i64 %text,
    double %a, double %b) noinline {
  %buffer = alloca [1024 x i8]
  %lp = getelementptr i8, ptr %instance, i64 $logger$
  %logger = load ptr, ptr %lp, align 8
  %none = icmp eq ptr %logger, null
  br i1 %none, label %out, label %on
on:
  %row = getelementptr ptr, ptr @messages, i64 %number
  %format = load ptr, ptr %row, align 8
  %given_name = inttoptr i64 %text to ptr
  %no_name = icmp eq i64 %text, 0
  %name_or_empty = select i1 %no_name, ptr @nothing, ptr %given_name
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %buffer, i64 1024, ptr %format,
    ptr %name_or_empty, double %a, double %b)
  %end = getelementptr i8, ptr %buffer, i64 1023
  store i8 0, ptr %end
  %ep = getelementptr i8, ptr %instance, i64 $environment$
  %environment = load ptr, ptr %ep, align 8
  %sp = getelementptr i8, ptr %instance, i64 $size$
  %size = load i64, ptr %sp, align 8
  %name = getelementptr i8, ptr %instance, i64 %size
  %status32 = trunc i64 %status to i32
  %is_error = icmp sgt i64 %status, 1
  %category = select i1 %is_error, ptr @error, ptr @warning
  call void (ptr, ptr, i32, ptr, ptr, ...) %logger(ptr %environment, ptr %name,
    i32 %status32, ptr %category, ptr %buffer)
  br label %out
out:
  ret void
}
@nothing = internal constant [1 x i8] zeroinitializer
"""
"""Messages to the importer."""
FMI_INSTANCE_FUNCTIONS = """
define ptr @fmi2GetVersion() {
  ret ptr @version
}
define ptr @fmi2GetTypesPlatform() {
  ret ptr @platform
}
define i32 @fmi2SetDebugLogging(ptr %instance, i32 %on, i64 %count, ptr %categories) {
  ret i32 0
}
define internal void @fill_instance(ptr %instance) {
  %size = load i64, ptr @torseur.sizes, align 8
  %c = call ptr @memcpy(ptr %instance, ptr @torseur.template, i64 %size)
  %np = getelementptr i64, ptr @torseur.sizes, i64 1
  %count = load i64, ptr %np, align 8
  %block = ptrtoint ptr %instance to i64
  %table = ptrtoint ptr @torseur.pointers to i64
  %x = call i64 @relocate_addresses(i64 %block, i64 %table, i64 %count)
  ret void
}
define ptr @fmi2Instantiate(ptr %name, i32 %kind, ptr %guid, ptr %resources,
    ptr %functions, i32 %visible, i32 %logs) {
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
  br i1 %silent, label %none, label %report
report:
  call void (ptr, ptr, i32, ptr, ptr, ...) %logger(ptr %environment, ptr %name, i32 3,
    ptr @error, ptr @wrong_guid)
  br label %none
none:
  ret ptr null
make:
  %size = load i64, ptr @torseur.sizes, align 8
  %total = add i64 %size, 256
  %instance = call ptr %allocate(i64 1, i64 %total)
  %failed = icmp eq ptr %instance, null
  br i1 %failed, label %none, label %fill
fill:
  call void @fill_instance(ptr %instance)
  %title = getelementptr i8, ptr %instance, i64 %size
  %t = call ptr @strncpy(ptr %title, ptr %name, i64 255)
  %last = getelementptr i8, ptr %title, i64 255
  store i8 0, ptr %last
  %p0 = getelementptr i8, ptr %instance, i64 $logger$
  store ptr %logger, ptr %p0, align 8
  %p1 = getelementptr i8, ptr %instance, i64 $allocate$
  store ptr %allocate, ptr %p1, align 8
  %p2 = getelementptr i8, ptr %instance, i64 $free$
  store ptr %free, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %instance, i64 $environment$
  store ptr %environment, ptr %p3, align 8
  %k = zext i32 %kind to i64
  %p4 = getelementptr i8, ptr %instance, i64 $kind$
  store i64 %k, ptr %p4, align 8
  ret ptr %instance
}
define void @fmi2FreeInstance(ptr %instance) {
  %none = icmp eq ptr %instance, null
  br i1 %none, label %out, label %on
on:
  %p = getelementptr i8, ptr %instance, i64 $free$
  %free = load ptr, ptr %p, align 8
  call void %free(ptr %instance)
  br label %out
out:
  ret void
}
define i32 @fmi2Reset(ptr %instance) {
  %p0 = getelementptr i8, ptr %instance, i64 $logger$
  %logger = load i64, ptr %p0, align 8
  %p1 = getelementptr i8, ptr %instance, i64 $allocate$
  %allocate = load i64, ptr %p1, align 8
  %p2 = getelementptr i8, ptr %instance, i64 $free$
  %free = load i64, ptr %p2, align 8
  %p3 = getelementptr i8, ptr %instance, i64 $environment$
  %environment = load i64, ptr %p3, align 8
  %p4 = getelementptr i8, ptr %instance, i64 $kind$
  %kind = load i64, ptr %p4, align 8
  call void @fill_instance(ptr %instance)
  store i64 %logger, ptr %p0, align 8
  store i64 %allocate, ptr %p1, align 8
  store i64 %free, ptr %p2, align 8
  store i64 %environment, ptr %p3, align 8
  store i64 %kind, ptr %p4, align 8
  ret i32 0
}
define i32 @fmi2GetFMUstate(ptr %instance, ptr %to) {
  %size = load i64, ptr @torseur.sizes, align 8
  %old = load ptr, ptr %to, align 8
  %new = icmp eq ptr %old, null
  br i1 %new, label %make, label %copy
make:
  %p = getelementptr i8, ptr %instance, i64 $allocate$
  %allocate = load ptr, ptr %p, align 8
  %allocated = call ptr %allocate(i64 1, i64 %size)
  store ptr %allocated, ptr %to, align 8
  %failed = icmp eq ptr %allocated, null
  br i1 %failed, label %none, label %copy
none:
  ret i32 3
copy:
  %state = load ptr, ptr %to, align 8
  %c = call ptr @memcpy(ptr %state, ptr %instance, i64 %size)
  ret i32 0
}
define i32 @fmi2SetFMUstate(ptr %instance, ptr %state) {
  %size = load i64, ptr @torseur.sizes, align 8
  %c = call ptr @memcpy(ptr %instance, ptr %state, i64 %size)
  ret i32 0
}
define i32 @fmi2FreeFMUstate(ptr %instance, ptr %at) {
  %state = load ptr, ptr %at, align 8
  %p = getelementptr i8, ptr %instance, i64 $free$
  %free = load ptr, ptr %p, align 8
  call void %free(ptr %state)
  store ptr null, ptr %at, align 8
  ret i32 0
}
"""
"""Memory of instances.  A reset keeps callbacks, name and interface type."""
