// Receives in plain C, as the limit of what a client can do: blocking reads of 256 KiB, in which it walks the frames.
// Usage: raw_recv PORT CHANNEL [count|scan] [PATH]     scan: also finds the values of event, channel and data, and leaves them as they are
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double now() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}

static double cpu() {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return r.ru_utime.tv_sec + r.ru_utime.tv_usec / 1e6 + r.ru_stime.tv_sec + r.ru_stime.tv_usec / 1e6;
}

static void sendtext(int fd, const char *s) {
    size_t n = strlen(s);
    unsigned char h[16];
    int k = 0;
    h[k++] = 0x81;
    if (n < 126)
        h[k++] = 0x80 | n;
    else {
        h[k++] = 0x80 | 126;
        h[k++] = n >> 8;
        h[k++] = n;
    }
    memset(h + k, 0, 4);
    k += 4;
    char o[1024];
    memcpy(o, h, k);
    memcpy(o + k, s, n);
    write(fd, o, k + n);
}

int main(int c, char **v) {
    if (c < 3) {
        fprintf(stderr, "usage: raw_recv PORT CHANNEL [count|scan] [PATH]\n");
        return 2;
    }
    int port = atoi(v[1]);
    const char *ch = v[2];
    int scan = c > 3 && !strcmp(v[3], "scan");
    const char *path = c > 4 ? v[4] : "/app/key?protocol=7";
    double t00 = now();
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (connect(fd, (void *)&a, sizeof a)) {
        perror("connect");
        return 1;
    }
    char b[512];
    int n = snprintf(b, sizeof b,
                     "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "
                     "dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
                     path, port);
    write(fd, b, n);
    size_t cap = 1 << 18, len = 0;
    char *buf = malloc(cap + 1);
    int up = 0;
    long cnt = 0, bytes = 0;
    double t0 = 0, c0 = 0, tsub = 0;
    volatile uint64_t sink = 0;
    for (;;) {
        ssize_t r = recv(fd, buf + len, cap - len, 0);
        if (r <= 0) {
            fprintf(stderr, "closed\n");
            return 1;
        }
        len += r;
        size_t p = 0;
        if (!up) {
            buf[len] = 0;
            char *e = strstr(buf, "\r\n\r\n");
            if (!e)
                continue;
            p = e + 4 - buf;
            up = 1;
        }
        for (;;) {
            if (len - p < 2)
                break;
            unsigned char *f = (unsigned char *)buf + p;
            size_t h = 2, L = f[1] & 127;
            if (L == 126) {
                if (len - p < 4)
                    break;
                L = f[2] << 8 | f[3];
                h = 4;
            } else if (L == 127) {
                if (len - p < 10)
                    break;
                L = 0;
                for (int i = 0; i < 8; i++)
                    L = L << 8 | f[2 + i];
                h = 10;
            }
            if (len - p < h + L)
                break;
            char *m = buf + p + h;
            p += h + L;
            if (!t0) {
                if (memmem(m, L, "connection_established", 22)) {
                    char s[400];
                    snprintf(s, sizeof s, "{\"event\":\"pusher:subscribe\",\"data\":{\"channel\":\"%s\"}}", ch);
                    sendtext(fd, s);
                } else if (memmem(m, L, "subscription_succeeded", 22)) {
                    tsub = now();
                    t0 = now();
                    c0 = cpu();
                }
                continue;
            }
            if (L >= 14 && !memcmp(m, "{\"event\":\"end\"", 14)) {
                double t = now() - t0, q = cpu() - c0;
                printf("{\"client\":\"raw_c_%s\",\"n\":%ld,\"secs\":%.4f,\"msgs_per_s\":%.0f,\"cpu_us_per_msg\":%.3f,\"MBps\":%.1f,"
                       "\"connect_ms\":%.2f}\n",
                       scan ? "scan" : "count", cnt, t, cnt / t, q * 1e6 / cnt, bytes / t / 1e6, (tsub - t00) * 1e3);
                return 0;
            }
            cnt++;
            bytes += L;
            if (scan) {
                char *e = memmem(m, L, "\"event\":\"", 9);
                char *d = memmem(m, L, "\"channel\":\"", 11);
                char *x = memmem(m, L, "\"data\":", 7);
                if (e && d && x) {
                    char *q = x + 8;
                    while (q < m + L && *q != '"') {
                        if (*q == '\\')
                            q++;
                        q++;
                    }
                    sink += q - x;
                }
            }
        }
        memmove(buf, buf + p, len - p);
        len -= p;
    }
}
