/* Runs an FMU for a second and prints one of its variables: no Python anywhere. */
#ifdef _WIN32
#include <windows.h>
#define dlopen(file, how) LoadLibraryA(file)
#define dlsym(library, name) ((void *)GetProcAddress(library, name))
#define dlerror() "it does not load"
#else
#include <dlfcn.h>
#endif
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    void (*logger)(void *, const char *, int, const char *, const char *, ...);
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, int);
    void *environment;
} Callbacks;

static void logger(void *e, const char *name, int status, const char *category, const char *text, ...)
{
    (void)e, (void)name, (void)category;
    fprintf(stderr, "%d %s\n", status, text);
}

int main(int count, char **given)
{
    void *library = dlopen(given[1], RTLD_NOW);
    Callbacks calls = {logger, calloc, free, NULL, NULL};
    unsigned reference = count > 2 ? (unsigned)atoi(given[2]) : 0;
    double x, t = 0, h = 0.05;
    int i, bad = 0;
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    void *(*make)(const char *, int, const char *, const char *, const Callbacks *, int, int) =
        dlsym(library, "fmi2Instantiate");
    int (*setup)(void *, int, double, double, int, double) = dlsym(library, "fmi2SetupExperiment");
    int (*enter)(void *) = dlsym(library, "fmi2EnterInitializationMode");
    int (*leave)(void *) = dlsym(library, "fmi2ExitInitializationMode");
    int (*step)(void *, double, double, int) = dlsym(library, "fmi2DoStep");
    int (*get)(void *, const unsigned *, size_t, double *) = dlsym(library, "fmi2GetReal");
    void (*release)(void *) = dlsym(library, "fmi2FreeInstance");
    void *one = make("one", 1, "$GUID", "", &calls, 0, 0);
    bad |= !one || setup(one, 0, 0, 0, 0, 0) || enter(one) || leave(one);
    for (i = 0; i < 20 && !bad; i++, t += h)
        bad |= step(one, t, h, 1);
    bad |= bad || get(one, &reference, 1, &x);
    printf("%.17g\n", x);
    release(one);
    return bad;
}
