// Latencies in microseconds, with an error of two percent at most.
#pragma once
#include <algorithm>
#include <stdint.h>
#include <vector>

struct Histogram {
    std::vector<uint64_t> buckets = std::vector<uint64_t>(64 * 64, 0);
    uint64_t count = 0, maximum = 0;

    void add(uint64_t v) {
        count++;
        if (v > maximum)
            maximum = v;
        int e = v < 64 ? 0 : 63 - __builtin_clzll(v) - 5;
        uint64_t i = v < 64 ? v : (uint64_t)e * 64 + (v >> e);
        if (i >= buckets.size())
            i = buckets.size() - 1;
        buckets[i]++;
    }

    double quantile(double p) {
        uint64_t k = (uint64_t)(p * count), c = 0;
        for (size_t i = 0; i < buckets.size(); i++) {
            c += buckets[i];
            if (c > k) {
                if (i < 64)
                    return i;
                uint64_t e = i / 64, m = i % 64;
                return std::min((double)maximum, ((double)m + 0.5) * (double)(1ull << e));
            }
        }
        return maximum;
    }
};
