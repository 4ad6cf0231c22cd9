// Counts what a program allocates: preloaded, in a file that other processes read while it runs.
//
// LD_PRELOAD=allocations.so ALLOCATIONS=FILE program. FILE gets four 64-bit numbers: calls that allocated memory, bytes that they asked for,
// blocks that are in use, bytes that are in use (as the allocator rounds them).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct counters {
    uint64_t calls, bytes, blocksInUse, bytesInUse;
};
static struct counters before, *counters = &before;
static void *(*realMalloc)(size_t), *(*realCalloc)(size_t, size_t), *(*realRealloc)(void *, size_t);
static int (*realAlign)(void **, size_t, size_t);
static void (*realFree)(void *);

// What dlsym itself allocates before the functions are known; it is never given back.
static char early[65536];
static size_t earlyUsed;
static void *earlyBlock(size_t size) {
    size_t start = (earlyUsed + 15) & ~(size_t)15;
    if (size > sizeof early - start)
        abort();
    earlyUsed = start + size;
    return early + start;
}
static int isEarly(void *p) { return (char *)p >= early && (char *)p < early + sizeof early; }

static void start(void) {
    static int hasBegun;
    if (hasBegun)
        return;
    hasBegun = 1;
    realCalloc = dlsym(RTLD_NEXT, "calloc");
    realMalloc = dlsym(RTLD_NEXT, "malloc");
    realRealloc = dlsym(RTLD_NEXT, "realloc");
    realAlign = dlsym(RTLD_NEXT, "posix_memalign");
    realFree = dlsym(RTLD_NEXT, "free");
    const char *path = getenv("ALLOCATIONS");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (fd < 0 || ftruncate(fd, sizeof before))
        return;
    void *shared = mmap(0, sizeof before, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared != MAP_FAILED)
        counters = shared;
    close(fd);
}

static void *taken(void *p, size_t asked) {
    if (!p)
        return p;
    __atomic_fetch_add(&counters->calls, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counters->bytes, asked, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counters->blocksInUse, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&counters->bytesInUse, malloc_usable_size(p), __ATOMIC_RELAXED);
    return p;
}
static void given(void *p) {
    __atomic_fetch_sub(&counters->blocksInUse, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&counters->bytesInUse, malloc_usable_size(p), __ATOMIC_RELAXED);
}

// Libraries allocate before the constructor of this one would run, so the first call of a program looks the functions up.
void *malloc(size_t size) {
    if (!realMalloc)
        start();
    return realMalloc ? taken(realMalloc(size), size) : earlyBlock(size);
}
void *calloc(size_t count, size_t size) {
    if (!realMalloc)
        start();
    return realMalloc ? taken(realCalloc(count, size), count * size) : earlyBlock(count * size);
}
void *realloc(void *p, size_t size) {
    if (!p)
        return malloc(size);
    if (isEarly(p))
        abort();
    size_t before = malloc_usable_size(p);
    void *moved = realRealloc(p, size);
    if (!moved)
        return moved;
    __atomic_fetch_sub(&counters->blocksInUse, 1, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&counters->bytesInUse, before, __ATOMIC_RELAXED);
    return taken(moved, size);
}
int posix_memalign(void **p, size_t alignment, size_t size) {
    if (!realMalloc)
        start();
    int code = realAlign(p, alignment, size);
    if (!code)
        taken(*p, size);
    return code;
}
void free(void *p) {
    if (!p || isEarly(p))
        return;
    given(p);
    realFree(p);
}
