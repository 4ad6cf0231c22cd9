// Time, signatures, and the frames of WebSocket and MQTT.
#pragma once
#include "options.h"
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdint.h>
#include <time.h>

static uint64_t nanoseconds() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static string hex(const unsigned char *b, int n) {
    string s;
    char t[3];
    for (int i = 0; i < n; i++) {
        sprintf(t, "%02x", b[i]);
        s += t;
    }
    return s;
}

static string hmac(const string &m) {
    unsigned char o[32];
    unsigned l = 32;
    HMAC(EVP_sha256(), secret.data(), secret.size(), (const unsigned char *)m.data(), m.size(), o, &l);
    return hex(o, 32);
}

static string md5(const string &m) {
    unsigned char o[16];
    unsigned l = 16;
    EVP_Digest(m.data(), m.size(), o, &l, EVP_md5(), 0);
    return hex(o, 16);
}

static string frame(const string &p, int op) {
    string f;
    f += (char)(0x80 | op);
    size_t n = p.size();
    if (n < 126)
        f += (char)(0x80 | n);
    else if (n < 65536) {
        f += (char)(0x80 | 126);
        f += (char)(n >> 8);
        f += (char)n;
    } else {
        f += (char)(0x80 | 127);
        for (int i = 7; i >= 0; i--)
            f += (char)((uint64_t)n >> (8 * i));
    }
    f.append(4, '\0');
    return f + p;
}

static string mqttString(const string &s) {
    string o;
    o += (char)(s.size() >> 8);
    o += (char)s.size();
    return o + s;
}

static string mqttLength(size_t n) {
    string o;
    do {
        unsigned char b = n % 128;
        n /= 128;
        if (n)
            b |= 128;
        o += (char)b;
    } while (n);
    return o;
}

static string mqttPacket(int t, const string &b) {
    string o;
    o += (char)t;
    return o + mqttLength(b.size()) + b;
}
