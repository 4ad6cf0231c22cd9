// Processor time and memory of the servers, and of this process.
#pragma once
#include "options.h"
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static double serverCPU() {
    double s = 0;
    for (int p : serverPids) {
        char f[64];
        snprintf(f, 64, "/proc/%d/stat", p);
        FILE *x = fopen(f, "r");
        if (!x)
            continue;
        char b[2048];
        size_t n = fread(b, 1, 2047, x);
        fclose(x);
        b[n] = 0;
        char *q = strrchr(b, ')');
        unsigned long u = 0, k = 0;
        sscanf(q + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &u, &k);
        s += (double)(u + k) / sysconf(_SC_CLK_TCK);
    }
    return s;
}

static long serverMemory() {
    long s = 0;
    for (int p : serverPids) {
        char f[64];
        snprintf(f, 64, "/proc/%d/status", p);
        FILE *x = fopen(f, "r");
        if (!x)
            continue;
        char b[256];
        while (fgets(b, 256, x)) {
            long k;
            if (sscanf(b, "VmRSS: %ld", &k) == 1)
                s += k;
        }
        fclose(x);
    }
    return s;
}

static double ownCPU() {
    rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_stime.tv_sec + (r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}
