// A server that speaks the Pusher protocol and sends what the name of a channel says, in plain C, so that it is never the slower side: one process
// for each connection, blocking writes of 64 KiB. Loopback only.
// Usage: feeder PORT [--log]     --log: prints when a client connects, subscribes and leaves
//   feed-COUNT-SIZE       so many events of so many bytes at once, then the event "end"
//   pace-COUNT-SIZE-MS    with a pause before each
//   drop-MS               closes the connection after so many milliseconds
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
static int lg, fd;

static uint64_t ns() {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void ev(const char *e, const char *x) {
    if (lg) {
        char b[400];
        int n = snprintf(b, 400, "%.6f %s %.300s\n", ns() / 1e9, e, x);
        write(1, b, n);
    }
}

static void wr(const char *b, size_t n) {
    while (n) {
        ssize_t r = send(fd, b, n, MSG_NOSIGNAL);
        if (r <= 0) {
            ev("close", "");
            _exit(0);
        }
        b += r;
        n -= r;
    }
}

static int hd(char *o, size_t n) {
    o[0] = (char)0x81;
    if (n < 126) {
        o[1] = n;
        return 2;
    }
    if (n < 65536) {
        o[1] = 126;
        o[2] = n >> 8;
        o[3] = n;
        return 4;
    }
    o[1] = 127;
    for (int i = 0; i < 8; i++)
        o[2 + i] = n >> (56 - 8 * i);
    return 10;
}

static void text(const char *s) {
    char b[4096];
    size_t n = strlen(s);
    int k = hd(b, n);
    memcpy(b + k, s, n);
    wr(b, k + n);
}

static int tick(char *o, const char *ch, long i, int size) {
    char t[70000];
    int n = sprintf(t, "{\"event\":\"tick\",\"channel\":\"%s\",\"data\":\"{\\\"i\\\":%ld,\\\"t\\\":%llu,\\\"p\\\":\\\"", ch, i,
                    (unsigned long long)ns());
    while (n + 5 < size)
        t[n++] = 'x';
    memcpy(t + n, "\\\"}\"}", 5);
    n += 5;
    int k = hd(o, n);
    memcpy(o + k, t, n);
    return k + n;
}

static void serve() {
    char b[65536];
    size_t len = 0;
    char *e;
    for (;;) {
        ssize_t r = recv(fd, b + len, sizeof b - 1 - len, 0);
        if (r <= 0)
            _exit(0);
        len += r;
        b[len] = 0;
        if ((e = strstr(b, "\r\n\r\n")))
            break;
    }
    char *k = strcasestr(b, "sec-websocket-key:");
    if (!k)
        _exit(0);
    k += 18;
    while (*k == ' ')
        k++;
    char in[128];
    int n = 0;
    while (k[n] != '\r' && n < 60) {
        in[n] = k[n];
        n++;
    }
    strcpy(in + n, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    unsigned char d[20];
    unsigned dl;
    EVP_Digest(in, strlen(in), d, &dl, EVP_sha1(), 0);
    char a[64], o[512];
    EVP_EncodeBlock((unsigned char *)a, d, 20);
    n = sprintf(
        o, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", a);
    wr(o, n);
    ev("open", "");
    sprintf(
        o,
        "{\"event\":\"pusher:connection_established\",\"data\":\"{\\\"socket_id\\\":\\\"%d.%d\\\",\\\"activity_timeout\\\":120}\"}",
        100000 + getpid(), getpid());
    text(o);
    len -= e + 4 - b;
    memmove(b, e + 4, len);
    for (;;) {
        size_t p = 0;
        while (len - p >= 6) {
            unsigned char *f = (unsigned char *)b + p;
            size_t L = f[1] & 127, h = 2;
            if (L == 126) {
                if (len - p < 8)
                    break;
                L = f[2] << 8 | f[3];
                h = 4;
            } else if (L == 127)
                _exit(0);
            if (len - p < h + 4 + L)
                break;
            unsigned char *m = f + h, *q = f + h + 4;
            for (size_t i = 0; i < L; i++)
                q[i] ^= m[i & 3];
            int op = f[0] & 15;
            char s[4096];
            size_t c = L < 4095 ? L : 4095;
            memcpy(s, q, c);
            s[c] = 0;
            p += h + 4 + L;
            if (op == 8) {
                ev("close", "");
                _exit(0);
            }
            if (op == 9) {
                char x[140];
                x[0] = (char)0x8a;
                x[1] = L;
                memcpy(x + 2, s, L < 126 ? L : 0);
                wr(x, 2 + (L < 126 ? L : 0));
                continue;
            }
            if (op != 1)
                continue;
            if (strstr(s, "pusher:ping")) {
                text("{\"event\":\"pusher:pong\",\"data\":\"{}\"}");
                continue;
            }
            if (strstr(s, "pusher:subscribe")) {
                char *x = strstr(s, "\"channel\"");
                if (!x)
                    continue;
                x = strchr(x + 9, '"');
                if (!x)
                    continue;
                char ch[200];
                int j = 0;
                for (x++; *x && *x != '"' && j < 199; x++)
                    ch[j++] = *x;
                ch[j] = 0;
                ev("subscribe", ch);
                sprintf(o, "{\"event\":\"pusher_internal:subscription_succeeded\",\"channel\":\"%s\",\"data\":\"{}\"}", ch);
                text(o);
                long N;
                int size, ms = 0;
                if (sscanf(ch, "feed-%ld-%d", &N, &size) == 2 || sscanf(ch, "pace-%ld-%d-%d", &N, &size, &ms) == 3) {
                    if (N > 5000000)
                        N = 5000000;
                    if (size > 60000)
                        size = 60000;
                    static char out[1 << 17];
                    size_t ol = 0;
                    for (long i = 0; i < N; i++) {
                        ol += tick(out + ol, ch, i, size);
                        if (ms) {
                            wr(out, ol);
                            ol = 0;
                            usleep(ms * 1000);
                        } else if (ol > 65536) {
                            wr(out, ol);
                            ol = 0;
                        }
                    }
                    if (ol)
                        wr(out, ol);
                    sprintf(o, "{\"event\":\"end\",\"channel\":\"%s\",\"data\":\"{}\"}", ch);
                    text(o);
                } else if (sscanf(ch, "drop-%d", &ms) == 1) {
                    usleep(ms * 1000);
                    ev("drop", "");
                    _exit(0);
                }
            }
        }
        memmove(b, b + p, len - p);
        len -= p;
        ssize_t r = recv(fd, b + len, sizeof b - 1 - len, 0);
        if (r <= 0) {
            ev("close", "");
            _exit(0);
        }
        len += r;
    }
}

int main(int c, char **v) {
    if (c < 2) {
        fprintf(stderr, "usage: feeder PORT [--log]\n");
        return 2;
    }
    int port = atoi(v[1]);
    lg = c > 2;
    signal(SIGCHLD, SIG_IGN);
    int s = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(s, (void *)&a, sizeof a) || listen(s, 128)) {
        perror("listen");
        return 1;
    }
    for (;;) {
        fd = accept(s, 0, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (!fork()) {
            // Clients of a feeder that was killed have to notice it.
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            close(s);
            serve();
            _exit(0);
        }
        close(fd);
    }
}
