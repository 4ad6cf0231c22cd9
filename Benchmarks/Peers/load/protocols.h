// What subscribers and publishers of each protocol say, and what they make of the answers.
#pragma once
#include "connection.h"

static string hostLine() {
    return "Host: " + host + ":" + std::to_string(port) + "\r\n";
}

static string upgradeRequest() {
    string sp;
    if (protocol == "mqtt")
        sp = "Sec-WebSocket-Protocol: mqtt\r\n";
    return "GET " + path + " HTTP/1.1\r\n" + hostLine() +
           "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: "
           "13\r\nOrigin: http://127.0.0.1\r\n" +
           sp + "\r\n";
}

static void poll(Connection *c) {
    string r;
    if (protocol == "pubnub")
        r = "GET /v2/subscribe/demo/" + channel + "/0?tt=" + c->tt + "&tr=1&uuid=u" + std::to_string(c->fd) + " HTTP/1.1\r\n" +
            hostLine() + "\r\n";
    else {
        r = "GET " + path + " HTTP/1.1\r\n" + hostLine();
        if (!c->lm.empty())
            r += "If-Modified-Since: " + c->lm + "\r\nIf-None-Match: " + c->et + "\r\n";
        r += "\r\n";
    }
    enqueue(c, r);
}

static bool isPolling() {
    return protocol == "pubnub" || protocol == "nchanlp";
}

static void connected(Connection *c) {
    if (c->http) {
        c->state = LIVE;
        live++;
        return;
    }
    if (isPolling()) {
        c->state = LIVE;
        poll(c);
        if (protocol == "nchanlp") {
            live++;
            c->first = false;
        }
        return;
    }
    c->state = UPG;
    enqueue(c, upgradeRequest());
}

static void goLive(Connection *c) {
    c->state = LIVE;
    live++;
    c->in.clear();
}

// Counts the marks in what came, and keeps what may be the beginning of one.
static void scan(Connection *c) {
    const char *b = c->in.data();
    size_t n = c->in.size(), p = 0, keep = 0;
    uint64_t t = 0;
    for (;;) {
        const char *m = (const char *)memmem(b + p, n - p, "@T", 2);
        if (!m) {
            keep = (n > 0 && b[n - 1] == '@' && n > p) ? n - 1 : n;
            break;
        }
        size_t o = m - b;
        if (n - o < 21) {
            keep = o;
            break;
        }
        if (counting && !c->pub) {
            uint64_t v = 0;
            for (int i = 0; i < 19; i++)
                v = v * 10 + (b[o + 2 + i] - '0');
            if (!t)
                t = nanoseconds();
            latencies.add((t - v) / 1000);
            deliveries++;
            lastDelivery = t;
        }
        p = o + 21;
    }
    c->in.erase(0, keep);
}

// Takes one complete answer of HTTP out of what came; false when there is none.
static bool takeAnswer(Connection *c, string &hd, string &body) {
    size_t e = c->in.find("\r\n\r\n");
    if (e == string::npos)
        return false;
    hd = c->in.substr(0, e + 2);
    size_t tot = e + 4;
    const char *h = strcasestr(hd.c_str(), "\r\ncontent-length:");
    if (h) {
        size_t L = strtoul(h + 17, 0, 10);
        if (c->in.size() < tot + L)
            return false;
        body = c->in.substr(tot, L);
        c->in.erase(0, tot + L);
        return true;
    }
    if (strcasestr(hd.c_str(), "transfer-encoding: chunked")) {
        size_t p = tot;
        body.clear();
        for (;;) {
            size_t q = c->in.find("\r\n", p);
            if (q == string::npos)
                return false;
            size_t L = strtoul(c->in.c_str() + p, 0, 16);
            if (c->in.size() < q + 2 + L + 2)
                return false;
            body.append(c->in, q + 2, L);
            p = q + 2 + L + 2;
            if (!L)
                break;
        }
        c->in.erase(0, p);
        return true;
    }
    c->in.erase(0, tot);
    body.clear();
    return true;
}

static string headerValue(const string &h, const char *n) {
    string k = string("\r\n") + n + ":";
    const char *p = strcasestr(h.c_str(), k.c_str());
    if (!p)
        return "";
    p += k.size();
    while (*p == ' ')
        p++;
    const char *e = strstr(p, "\r\n");
    return string(p, e - p);
}

// Answers to publishes over HTTP.
static void receivedAnswers(Connection *c) {
    string head, body;
    while (takeAnswer(c, head, body)) {
        int code = atoi(head.c_str() + 9);
        codes[code]++;
        if (code >= 300 && errors++ < 3)
            fprintf(stderr, "publish answer: %s %s\n", head.substr(0, head.find("\r\n")).c_str(), body.substr(0, 200).c_str());
        // A server that once closed after its answer will do so again: wait for that.
        c->busy = reopens > 0;
    }
}

static void count(uint64_t sent, uint64_t now) {
    latencies.add((now - sent) / 1000);
    deliveries++;
    lastDelivery = now;
}

// Answers to polls: each one goes on where the last one ended.
static void receivedPolls(Connection *c) {
    string head, body;
    while (takeAnswer(c, head, body)) {
        if (protocol == "pubnub") {
            size_t start = body.find("\"t\":\"");
            if (start != string::npos) {
                size_t end = body.find('"', start + 5);
                c->tt = body.substr(start + 5, end - start - 5);
            }
            if (c->first) {
                c->first = false;
                live++;
            }
        } else {
            string modified = headerValue(head, "Last-Modified");
            if (!modified.empty()) {
                c->lm = modified;
                c->et = headerValue(head, "Etag");
            }
        }
        for (size_t mark = 0; counting && (mark = body.find("@T", mark)) != string::npos; mark += 21)
            count(strtoull(body.substr(mark + 2, 19).c_str(), 0, 10), nanoseconds());
        poll(c);
    }
}

// The answer to the upgrade; false while it is not complete, and when nothing more has to be said.
static bool upgraded(Connection *c) {
    size_t end = c->in.find("\r\n\r\n");
    if (end == string::npos)
        return false;
    if (c->in.compare(9, 3, "101")) {
        fprintf(stderr, "no upgrade: %s\n", c->in.substr(0, 200).c_str());
        exit(1);
    }
    c->in.erase(0, end + 4);
    if (protocol == "raw") {
        goLive(c);
        return false;
    }
    c->state = HELLO;
    if (protocol == "mqtt") {
        string name = "c" + std::to_string(getpid()) + "-" + std::to_string(c->fd);
        enqueue(c, frame(mqttPacket(0x10, mqttString("MQTT") + string("\x04\x02\x00\x3c", 4) + mqttString(name)), 2));
    }
    return true;
}

static void subscribe(Connection *c, const string &request, int opcode) {
    enqueue(c, frame(request, opcode));
    c->state = SUB;
    c->in.clear();
}

// The subscription to the channel, signed with the socket id when the channel needs that.
static string pusherSubscription(Connection *c, const string &socketID) {
    string data = "{\"channel\":\"" + channel + "\"";
    if (channel.compare(0, 8, "private-") == 0)
        data += ",\"auth\":\"" + key + ":" + hmac(socketID + ":" + channel) + "\"";
    else if (channel.compare(0, 9, "presence-") == 0) {
        string user = std::to_string(c->fd), member = "{\"user_id\":\"u" + user + "\"}";
        data += ",\"auth\":\"" + key + ":" + hmac(socketID + ":" + channel + ":" + member) + "\",\"channel_data\":\"" +
                "{\\\"user_id\\\":\\\"u" + user + "\\\"}\"";
    }
    return "{\"event\":\"pusher:subscribe\",\"data\":" + data + "}}";
}

// The server's greeting, which the subscription follows.
static void greeted(Connection *c) {
    if (protocol == "pusher") {
        size_t start = c->in.find("socket_id");
        if (c->in.find("connection_established") == string::npos || start == string::npos)
            return;
        while (start < c->in.size() && !isdigit(c->in[start]))
            start++;
        size_t end = start;
        while (end < c->in.size() && (isdigit(c->in[end]) || c->in[end] == '.'))
            end++;
        if (end < c->in.size())
            subscribe(c, pusherSubscription(c, c->in.substr(start, end - start)), 1);
    } else if (protocol == "nats") {
        if (c->in.find("INFO ") == string::npos || c->in.find("\r\n") == string::npos)
            return;
        string options = "{\"verbose\":false,\"pedantic\":false,\"echo\":true,\"lang\":\"c\",\"version\":\"1\",\"protocol\":1}";
        subscribe(c, "CONNECT " + options + "\r\n" + (c->pub ? string() : "SUB " + channel + " 1\r\n") + "PING\r\n", 2);
    } else if (protocol == "mqtt") {
        if (c->in.find(string("\x20\x02\x00\x00", 4)) == string::npos)
            return;
        if (c->pub)
            goLive(c);
        else
            subscribe(c, mqttPacket(0x82, string("\x00\x01", 2) + mqttString(channel) + string(1, '\0')), 2);
    }
}

// The confirmation of the subscription.
static void subscribed(Connection *c) {
    auto has = [&](const char *text) { return c->in.find(text) != string::npos; };
    if (protocol == "pusher" && (has("subscription_error") || has("pusher:error"))) {
        fprintf(stderr, "sub error: %s\n", c->in.c_str());
        exit(1);
    }
    if ((protocol == "pusher" && has("subscription_succeeded")) || (protocol == "nats" && has("PONG")) ||
        (protocol == "mqtt" && has("\x90")))
        goLive(c);
}

static void received(Connection *c) {
    if (c->http)
        return receivedAnswers(c);
    if (isPolling())
        return receivedPolls(c);
    if (c->state == LIVE)
        return scan(c);
    if (c->state == UPG && !upgraded(c))
        return;
    if (c->state == HELLO)
        greeted(c);
    else if (c->state == SUB)
        subscribed(c);
}

static string stamp() {
    char b[32];
    snprintf(b, 32, "@T%019llu", (unsigned long long)nanoseconds());
    string s = b;
    if ((int)s.size() < payloadSize)
        s.append(payloadSize - s.size(), 'x');
    return s;
}

static void publish(Connection *c) {
    published++;
    string s = stamp();
    if (c->http) {
        c->busy = true;
        string q, body = s, pp = publishPath, m = "POST", ct = "text/plain";
        if (protocol == "pubnub") {
            enqueue(c, "GET /publish/demo/demo/0/" + channel + "/0/%22" + s + "%22 HTTP/1.1\r\n" + hostLine() + "\r\n");
            return;
        }
        if (protocol == "pusher") {
            body = "{\"name\":\"tick\",\"channels\":[\"" + channel + "\"],\"data\":\"" + s + "\"}";
            ct = "application/json";
            string qs =
                "auth_key=" + key + "&auth_timestamp=" + std::to_string(time(0)) + "&auth_version=1.0&body_md5=" + md5(body);
            string p = "/apps/" + applicationID + "/events";
            pp = p + "?" + qs + "&auth_signature=" + hmac("POST\n" + p + "\n" + qs);
        }
        enqueue(c, m + " " + pp + " HTTP/1.1\r\n" + hostLine() + "Content-Type: " + ct +
                       "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
        return;
    }
    if (protocol == "pusher")
        enqueue(c, frame("{\"event\":\"client-tick\",\"channel\":\"" + channel + "\",\"data\":{\"p\":\"" + s + "\"}}",
                         1)); /* client event data is an object, as pusher-js sends it; Reverb drops strings */
    else if (protocol == "nats")
        enqueue(c, frame("PUB " + channel + " " + std::to_string(s.size()) + "\r\n" + s + "\r\n", 2));
    else if (protocol == "mqtt")
        enqueue(c, frame(mqttPacket(0x30, mqttString(channel) + s), 2));
    else
        enqueue(c, frame(s, 1));
}
