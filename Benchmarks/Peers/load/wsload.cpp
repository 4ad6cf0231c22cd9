// Subscribers and publishers of a server, in one process with one thread; `wsload --help` says what it can do.
//
// Messages have "@T" and 19 digits in them (nanoseconds of CLOCK_MONOTONIC). Each such mark that comes back to a subscriber is one delivery, and
// its latency is from publishing to reading, in this process.
#include "process.h"
#include "protocols.h"

static char readBuffer[1 << 18];

static void turn(int ms) {
    epoll_event ev[512];
    int n = epoll_wait(poller, ev, 512, ms);
    for (int i = 0; i < n; i++) {
        Connection *c = (Connection *)ev[i].data.ptr;
        if (c->state == DEAD)
            continue;
        if (ev[i].events & EPOLLOUT) {
            if (c->state == NEWC) {
                int er = 0;
                socklen_t l = sizeof er;
                getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &er, &l);
                if (er) {
                    fprintf(stderr, "connect: %s\n", strerror(er));
                    exit(1);
                }
                connected(c);
                arm(c);
            } else {
                flush(c);
                if (c->out.empty())
                    arm(c);
            }
        }
        if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
            ssize_t r = recv(c->fd, readBuffer, sizeof readBuffer, 0);
            if (r > 0) {
                c->in.append(readBuffer, r);
                received(c);
            } else if (r == 0 || (errno != EAGAIN)) {
                if (c->http && c->state == LIVE) { // server closes after each answer: reopen the same publisher slot
                    live--;
                    close(c->fd);
                    c->in.clear();
                    c->out.clear();
                    c->busy = false;
                    c->state = NEWC;
                    reopen(c);
                    reopens++;
                    continue;
                }
                if (c->state == LIVE)
                    live--;
                c->state = DEAD;
                dead++;
                close(c->fd);
            }
        }
    }
}

static double now() {
    return nanoseconds() / 1e9;
}

static void turnFor(double duration, int ms) {
    double end = now() + duration;
    while (now() < end)
        turn(ms);
}

// Opens all subscribers, so many at a time; false when they cannot be had within two minutes.
static bool connectSubscribers() {
    int opened = 0;
    double limit = now() + 120;
    while (live < subscriberCount) {
        while (opened < subscriberCount && opened - live < openingAtOnce) {
            makeConnection(false, false, port);
            opened++;
        }
        turn(20);
        if (now() > limit || dead > 50) {
            fprintf(stderr, "only %d of %d live, %d dead\n", live, subscriberCount, dead);
            return false;
        }
    }
    return true;
}

// The connections that publish; none when the server does not take them within ten seconds.
static std::vector<Connection *> connectPublishers() {
    std::vector<Connection *> publishers;
    int before = live, count = publishBy == "http" ? publisherCount : 1;
    for (int i = 0; i < count; i++)
        publishers.push_back(makeConnection(true, publishBy == "http", publishBy == "http" ? publishPort : port));
    double limit = now() + 10;
    while (live < before + count) {
        turn(20);
        if (now() > limit) {
            fprintf(stderr, "publisher did not connect\n");
            return {};
        }
    }
    return publishers;
}

// Publishes 20 messages that are not counted.
static void warmUp(const std::vector<Connection *> &publishers) {
    for (int i = 0; i < 20; i++) {
        for (auto *c : publishers)
            if (!c->busy && c->state == LIVE) {
                publish(c);
                break;
            }
        turnFor(0.01, 2);
    }
    turnFor(0.5, 5);
    published = deliveries = 0;
    counting = true;
    errors = 0;
    codes.clear();
}

// Publishes for as long as was asked for, and waits three seconds for what is still on its way.
static void publishAll(const std::vector<Connection *> &publishers, int subscribers, double start) {
    auto isDue = [&] { return rate ? published < rate * (now() - start) : published < deliveries / subscriberCount + window; };
    while (now() < start + seconds && (long)published < mostPublishes) {
        for (auto *c : publishers) {
            if (c->http) {
                if (!c->busy && c->state == LIVE && isDue())
                    publish(c);
                continue;
            }
            for (int i = 0; i < 64 && c->out.size() < 65536 && isDue(); i++)
                publish(c);
        }
        turn(1);
        if (live < (subscribers + 1) / 2) {
            fprintf(stderr, "lost subscribers\n");
            break;
        }
    }
    double limit = now() + 3;
    while (deliveries < published * subscriberCount && now() < limit)
        turn(5);
}

int main(int n, char **v) {
    setvbuf(stdout, 0, _IOLBF, 0);
    if (n % 2 == 0 || n == 1) {
        fputs(usage, stderr);
        return 2;
    }
    for (int i = 1; i + 1 < n; i += 2) {
        if (!setOption(v[i], v[i + 1])) {
            fprintf(stderr, "wsload: unknown option %s\n", v[i]);
            return 2;
        }
    }
    if (!publishPort)
        publishPort = port;
    if (path.empty())
        path = protocol == "pusher" ? "/app/" + key + "?protocol=7&client=wsload&version=1" : "/";
    if (!rate && !window)
        window = 4;
    seconds = std::min(seconds, 60.0);
    subscriberCount = std::min(subscriberCount, 25000);
    poller = epoll_create1(0);

    long memoryBefore = serverMemory();
    double start = now(), serverBefore = serverCPU();
    if (!connectSubscribers())
        return 1;
    double connecting = now() - start;
    if (idle > 0) {
        double serverUsed = serverCPU() - serverBefore;
        turnFor(idle, 50);
        long memory = serverMemory();
        printf("{\"proto\":\"%s\",\"idle_conns\":%d,\"dead\":%d,\"connect_secs\":%.2f,\"subs_per_s\":%.0f,"
               "\"server_cpu_us_per_conn\":%.1f,\"rss0_kb\":%ld,\"rss1_kb\":%ld,\"rss_per_conn_bytes\":%.0f}\n",
               protocol.c_str(), live, dead, connecting, live / connecting, serverUsed * 1e6 / live, memoryBefore, memory,
               (memory - memoryBefore) * 1024.0 / live);
        return 0;
    }

    int subscribers = live;
    auto publishers = connectPublishers();
    if (publishers.empty())
        return 1;
    warmUp(publishers);
    double ownBefore = ownCPU();
    serverBefore = serverCPU();
    start = now();
    publishAll(publishers, subscribers, start);
    bool isComplete = deliveries >= published * subscriberCount && lastDelivery;
    double took = (isComplete ? lastDelivery / 1e9 : now()) - start;
    double serverUsed = serverCPU() - serverBefore, ownUsed = ownCPU() - ownBefore;
    printf("{\"proto\":\"%s\",\"pub\":\"%s\",\"subs\":%d,\"size\":%d,\"%s\":%g,\"secs\":%.2f,\"published\":%lu,"
           "\"deliveries\":%lu,\"lost\":%ld,\"pub_per_s\":%.0f,\"deliv_per_s\":%.0f,",
           protocol.c_str(), publishBy.c_str(), subscriberCount, payloadSize, rate ? "rate" : "window", rate ? rate : window, took,
           published, deliveries, (long)(published * subscriberCount) - (long)deliveries, published / took, deliveries / took);
    printf("\"p50_ms\":%.3f,\"p90_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,", latencies.quantile(.5) / 1e3,
           latencies.quantile(.9) / 1e3, latencies.quantile(.99) / 1e3, latencies.maximum / 1e3);
    printf("\"server_cpu_us_per_deliv\":%.3f,\"server_cpu_pct\":%.0f,\"load_cpu_pct\":%.0f,\"rss_kb\":%ld,\"connect_secs\":%.2f,"
           "\"dead\":%d,\"pub_reopens\":%ld}\n",
           serverUsed * 1e6 / (deliveries ? deliveries : 1), serverUsed / took * 100, ownUsed / took * 100, serverMemory(),
           connecting, dead, reopens);
    return 0;
}
