// Receives with libwebsockets. Usage: lws_recv PORT CHANNEL
#define _GNU_SOURCE
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

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

static const char *ch;
static int want, done;
static double t0, c0, t00, tsub;
static long cnt;
static char acc[70000];
static size_t al;

static int cb(struct lws *w, enum lws_callback_reasons r, void *u, void *in, size_t n) {
    switch (r) {
    case LWS_CALLBACK_CLIENT_CONNECTION_ERROR:
        fprintf(stderr, "err %s\n", in ? (char *)in : "");
        done = 1;
        break;
    case LWS_CALLBACK_CLOSED:
        done = 1;
        break;
    case LWS_CALLBACK_CLIENT_WRITEABLE:
        if (want) {
            char b[LWS_PRE + 300];
            int k = snprintf(b + LWS_PRE, 300, "{\"event\":\"pusher:subscribe\",\"data\":{\"channel\":\"%s\"}}", ch);
            lws_write(w, (unsigned char *)b + LWS_PRE, k, LWS_WRITE_TEXT);
            want = 0;
        }
        break;
    case LWS_CALLBACK_CLIENT_RECEIVE: {
        if (al + n < sizeof acc) {
            memcpy(acc + al, in, n);
            al += n;
        }
        if (!lws_is_final_fragment(w) || lws_remaining_packet_payload(w))
            break;
        size_t L = al;
        al = 0;
        if (!t0) {
            if (memmem(acc, L, "connection_established", 22)) {
                want = 1;
                lws_callback_on_writable(w);
            } else if (memmem(acc, L, "subscription_succeeded", 22)) {
                tsub = t0 = now();
                c0 = cpu();
            }
            break;
        }
        if (L >= 14 && !memcmp(acc, "{\"event\":\"end\"", 14)) {
            double t = now() - t0, q = cpu() - c0;
            printf("{\"client\":\"libwebsockets\",\"n\":%ld,\"secs\":%.4f,\"msgs_per_s\":%.0f,\"cpu_us_per_msg\":%.3f,\"connect_"
                   "ms\":%.2f}\n",
                   cnt, t, cnt / t, q * 1e6 / cnt, (tsub - t00) * 1e3);
            done = 1;
            break;
        }
        cnt++;
        break;
    }
    default:
        break;
    }
    return 0;
}
static struct lws_protocols P[] = {{"", cb, 0, 65536}, {0}};

int main(int c, char **v) {
    if (c < 3) {
        fprintf(stderr, "usage: lws_recv PORT CHANNEL\n");
        return 2;
    }
    t00 = now();
    ch = v[2];
    lws_set_log_level(LLL_ERR, 0);
    struct lws_context_creation_info i = {0};
    i.port = CONTEXT_PORT_NO_LISTEN;
    i.protocols = P;
    struct lws_context *x = lws_create_context(&i);
    struct lws_client_connect_info k = {0};
    k.context = x;
    k.address = "127.0.0.1";
    k.port = atoi(v[1]);
    k.path = "/app/key?protocol=7";
    k.host = k.origin = "127.0.0.1";
    k.local_protocol_name = "";
    lws_client_connect_via_info(&k);
    while (!done)
        lws_service(x, 0);
    return 0;
}
