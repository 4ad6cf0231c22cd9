// Connections, and what they have to send.
#pragma once
#include "histogram.h"
#include "wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <map>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static Histogram latencies;
static uint64_t deliveries = 0, published = 0;
static bool counting = false;
static uint64_t lastDelivery = 0;

// New, upgrading, waiting for the server's greeting, subscribing, live, closed.
enum { NEWC, UPG, HELLO, SUB, LIVE, DEAD };

struct Connection {
    int fd = -1;
    int state = NEWC;
    bool pub = false;
    bool http = false;
    // Waits for the answer to a publish.
    bool busy = false;
    string in, out;
    // Where the next poll goes on: PubNub's timetoken, nchan's Last-Modified and ETag.
    string tt = "0", lm, et;
    bool first = true;
};

static int poller;
static std::vector<Connection *> connections;
static int live = 0, dead = 0;
static long errors = 0;
static std::map<int, long> codes;

static void arm(Connection *c) {
    epoll_event e;
    e.events = EPOLLIN | (c->out.empty() ? 0 : EPOLLOUT);
    e.data.ptr = c;
    epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &e);
}

static void flush(Connection *c) {
    while (!c->out.empty()) {
        ssize_t r = send(c->fd, c->out.data(), c->out.size(), MSG_NOSIGNAL);
        if (r > 0) {
            if ((size_t)r == c->out.size())
                c->out.clear();
            else
                c->out.erase(0, r);
        } else {
            if (errno == EAGAIN) {
                arm(c);
                return;
            }
            return;
        }
    }
}

static void enqueue(Connection *c, const string &s) {
    bool was = c->out.empty();
    c->out += s;
    flush(c);
    if (!was && c->out.empty())
        arm(c);
}

static long reopens = 0;
static void openSocket(Connection *c, int prt);

static Connection *makeConnection(bool pub, bool http, int prt) {
    Connection *c = new Connection;
    c->pub = pub;
    c->http = http;
    openSocket(c, prt);
    connections.push_back(c);
    return c;
}

static void reopen(Connection *c) {
    openSocket(c, publishPort);
}

static void openSocket(Connection *c, int prt) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    if (c->fd < 0) {
        perror("socket");
        exit(1);
    }
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_port = htons(prt);
    inet_pton(AF_INET, host.c_str(), &a.sin_addr);
    if ((ntohl(a.sin_addr.s_addr) >> 24) != 127) {
        fprintf(stderr, "loopback only\n");
        exit(1);
    }
    connect(c->fd, (sockaddr *)&a, sizeof a);
    epoll_event e;
    e.events = EPOLLIN | EPOLLOUT;
    e.data.ptr = c;
    epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &e);
}
