// Answers PubNub long-polls as fast as it can, so that it is never what a client's benchmark measures. Linux, loopback only, one thread.
//
// Usage: PollFeeder PORT. The position of a subscription is in its timetoken, so that nothing is remembered between requests:
//   feed-COUNT-BATCH      BATCH messages in every answer, at once
//   pace-COUNT-BATCH-MS   the same, MS milliseconds after the request
// A message is {"i":number,"t":CLOCK_MONOTONIC in nanoseconds}. After the last one polls are held. Other requests are answered with
// the shortest thing that SDKs take for a success.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#define BASE 17000000000000000ull
enum { most_connections = 4096, request_bytes = 16384, answer_bytes = 1 << 20 };

struct connection {
    size_t length;
    uint64_t due;  // When the held request in `bytes` is answered; 0 when none is held.
    char bytes[request_bytes];
};

static struct connection *connections[most_connections];
static char body[answer_bytes], answer[answer_bytes + 512];
static int poller, paced;

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void drop(int descriptor) {
    if (connections[descriptor]->due) paced--;
    free(connections[descriptor]);
    connections[descriptor] = NULL;
    close(descriptor);
}

// Answers are written blocking, and small enough for any socket buffer to take them soon.
static void reply(int descriptor, size_t length) {
    int head = sprintf(answer,
                       "HTTP/1.1 200 OK\r\nContent-Type: text/javascript; charset=\"UTF-8\"\r\nContent-Length: %zu\r\n"
                       "Connection: keep-alive\r\n\r\n",
                       length);
    memcpy(answer + head, body, length);
    size_t left = (size_t)head + length;
    for (char *next = answer; left;) {
        ssize_t written = send(descriptor, next, left, MSG_NOSIGNAL);
        if (written <= 0) return;
        next += written;
        left -= (size_t)written;
    }
}

// Writes the answer to a subscription; 0 when it has to be held, for ever or until *wait milliseconds have passed.
static size_t subscription(const char *path, int *wait) {
    char channel[128];
    unsigned long long token = 0;
    long count = 0, batch = 0;
    const char *name = strchr(path + strlen("/v2/subscribe/"), '/');
    if (!name || sscanf(name + 1, "%127[^/]", channel) != 1) return 0;
    const char *position = strstr(path, "tt=");
    if (position) token = strtoull(position + 3, NULL, 10);
    *wait = 0;
    if (sscanf(channel, "feed-%ld-%ld", &count, &batch) != 2 &&
        sscanf(channel, "pace-%ld-%ld-%d", &count, &batch, wait) != 3)
        return 0;
    if (token < BASE) return (size_t)sprintf(body, "{\"t\":{\"t\":\"%llu\",\"r\":1},\"m\":[]}", BASE);
    long first = (long)(token - BASE), last = first + batch < count ? first + batch : count;
    if (first >= last) {
        *wait = 0;
        return 0;
    }
    char *end = body + sprintf(body, "{\"t\":{\"t\":\"%llu\",\"r\":1},\"m\":[", BASE + (unsigned long long)last);
    uint64_t sent = now();
    for (long number = first; number < last && end < body + answer_bytes - 512; number++) {
        end += sprintf(end,
                       "%s{\"a\":\"2\",\"f\":0,\"i\":\"peer\",\"s\":%ld,\"p\":{\"t\":\"%llu\",\"r\":1},\"k\":\"demo\","
                       "\"c\":\"%s\",\"d\":{\"i\":%ld,\"t\":%llu}}",
                       number > first ? "," : "", number + 1, BASE + (unsigned long long)number + 1, channel, number,
                       (unsigned long long)sent);
    }
    end += sprintf(end, "]}");
    return (size_t)(end - body);
}

// Serves the complete requests that have come.
static void serve(int descriptor, struct connection *connection) {
    for (;;) {
        connection->bytes[connection->length] = 0;
        char *end = strstr(connection->bytes, "\r\n\r\n");
        if (!end) return;
        char *path = strchr(connection->bytes, ' ');
        if (!path || path > end) return drop(descriptor);
        *strchr(++path, ' ') = 0;
        size_t length = 0;
        if (!strncmp(path, "/v2/subscribe/", 14)) {
            int wait = 0;
            length = subscription(path, &wait);
            path[strlen(path)] = ' ';
            if (length && wait && !connection->due) {
                connection->due = now() + (uint64_t)wait * 1000000u;
                paced++;
                return;
            }
            if (!length) return;
        } else if (!strncmp(path, "/time/", 6)) {
            length = (size_t)sprintf(body, "[%llu]", BASE);
        } else {
            length = (size_t)sprintf(body, "{\"status\":200,\"message\":\"OK\",\"service\":\"Presence\"}");
        }
        reply(descriptor, length);
        size_t taken = (size_t)(end + 4 - connection->bytes);
        connection->length -= taken;
        memmove(connection->bytes, end + 4, connection->length);
    }
}

static void readable(int descriptor) {
    struct connection *connection = connections[descriptor];
    ssize_t count = recv(descriptor, connection->bytes + connection->length, request_bytes - 1 - connection->length, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0) return drop(descriptor);
    connection->length += (size_t)count;
    if (!connection->due) serve(descriptor, connection);
}

static void accepted(int listener) {
    int descriptor = accept(listener, NULL, NULL), on = 1;
    if (descriptor < 0) return;
    if (descriptor >= most_connections || !(connections[descriptor] = calloc(1, sizeof(struct connection)))) {
        close(descriptor);
        return;
    }
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
    epoll_ctl(poller, EPOLL_CTL_ADD, descriptor, &event);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: PollFeeder PORT\n");
        return 2;
    }
    int listener = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 128)) {
        perror("listen");
        return 1;
    }
    poller = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, events[64];
    epoll_ctl(poller, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int ready = epoll_wait(poller, events, 64, paced ? 1 : -1);
        for (int index = 0; index < ready; index++) {
            int descriptor = events[index].data.fd;
            if (descriptor == listener) accepted(listener);
            else if (connections[descriptor]) readable(descriptor);
        }
        if (!paced) continue;
        uint64_t time = now();
        for (int descriptor = 0; descriptor < most_connections; descriptor++) {
            struct connection *connection = connections[descriptor];
            if (!connection || !connection->due || connection->due > time) continue;
            serve(descriptor, connection);
            if (connections[descriptor] == connection && connection->due && connection->due <= time) {
                connection->due = 0;
                paced--;
            }
        }
    }
}
