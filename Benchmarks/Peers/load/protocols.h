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

static void scan(Connection *c) { // count markers in raw stream
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

static bool takeAnswer(Connection *c, string &hd, string &body) { // one complete HTTP response out of c->in
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

static void received(Connection *c) {
    if (c->http) {
        string h, b;
        while (takeAnswer(c, h, b)) {
            int code = atoi(h.c_str() + 9);
            codes[code]++;
            if (code >= 300) {
                if (errors++ < 3)
                    fprintf(stderr, "publish answer: %s %s\n", h.substr(0, h.find("\r\n")).c_str(), b.substr(0, 200).c_str());
            }
            c->busy = reopens > 0; /* once a server closed after answering, wait for its EOF */
        }
        return;
    }
    if (isPolling()) {
        string h, b;
        while (takeAnswer(c, h, b)) {
            if (protocol == "pubnub") {
                size_t p = b.find("\"t\":\"");
                if (p != string::npos) {
                    size_t e = b.find('"', p + 5);
                    c->tt = b.substr(p + 5, e - p - 5);
                }
                if (c->first) {
                    c->first = false;
                    live++;
                }
            } else {
                string l = headerValue(h, "Last-Modified");
                if (!l.empty()) {
                    c->lm = l;
                    c->et = headerValue(h, "Etag");
                }
            }
            if (counting) {
                size_t p = 0;
                while ((p = b.find("@T", p)) != string::npos) {
                    uint64_t v = strtoull(b.substr(p + 2, 19).c_str(), 0, 10);
                    uint64_t t = nanoseconds();
                    latencies.add((t - v) / 1000);
                    deliveries++;
                    lastDelivery = t;
                    p += 21;
                }
            }
            poll(c);
        }
        return;
    }
    if (c->state == LIVE) {
        scan(c);
        return;
    }
    if (c->state == UPG) {
        size_t e = c->in.find("\r\n\r\n");
        if (e == string::npos)
            return;
        if (c->in.compare(9, 3, "101")) {
            fprintf(stderr, "no upgrade: %s\n", c->in.substr(0, 200).c_str());
            exit(1);
        }
        c->in.erase(0, e + 4);
        if (protocol == "raw") {
            goLive(c);
            return;
        }
        c->state = HELLO;
        if (protocol == "mqtt")
            enqueue(c, frame(mqttPacket(0x10, mqttString("MQTT") + string("\x04\x02\x00\x3c", 4) +
                                                  mqttString("c" + std::to_string(getpid()) + "-" + std::to_string(c->fd))),
                             2));
    }
    if (c->state == HELLO) {
        if (protocol == "pusher") {
            size_t p = c->in.find("connection_established");
            if (p == string::npos)
                return;
            size_t s = c->in.find("socket_id");
            if (s == string::npos)
                return;
            while (s < c->in.size() && !isdigit(c->in[s]))
                s++;
            size_t e = s;
            while (e < c->in.size() && (isdigit(c->in[e]) || c->in[e] == '.'))
                e++;
            if (e >= c->in.size())
                return;
            string sid = c->in.substr(s, e - s);
            string d = "{\"channel\":\"" + channel + "\"";
            if (channel.compare(0, 8, "private-") == 0)
                d += ",\"auth\":\"" + key + ":" + hmac(sid + ":" + channel) + "\"";
            else if (channel.compare(0, 9, "presence-") == 0) {
                string cd = "{\"user_id\":\"u" + std::to_string(c->fd) + "\"}",
                       esc = "{\\\"user_id\\\":\\\"u" + std::to_string(c->fd) + "\\\"}";
                d += ",\"auth\":\"" + key + ":" + hmac(sid + ":" + channel + ":" + cd) + "\",\"channel_data\":\"" + esc + "\"";
            }
            enqueue(c, frame("{\"event\":\"pusher:subscribe\",\"data\":" + d + "}}", 1));
            c->state = SUB;
            c->in.clear();
            return;
        }
        if (protocol == "nats") {
            if (c->in.find("INFO ") == string::npos || c->in.find("\r\n") == string::npos)
                return;
            c->in.clear();
            enqueue(
                c,
                frame("CONNECT "
                      "{\"verbose\":false,\"pedantic\":false,\"echo\":true,\"lang\":\"c\",\"version\":\"1\",\"protocol\":1}\r\n" +
                          (c->pub ? string() : "SUB " + channel + " 1\r\n") + "PING\r\n",
                      2));
            c->state = SUB;
            return;
        }
        if (protocol == "mqtt") {
            if (c->in.find(string("\x20\x02\x00\x00", 4)) == string::npos)
                return;
            c->in.clear();
            if (c->pub) {
                goLive(c);
                return;
            }
            enqueue(c, frame(mqttPacket(0x82, string("\x00\x01", 2) + mqttString(channel) + string(1, '\0')), 2));
            c->state = SUB;
            return;
        }
        return;
    }
    if (c->state == SUB) {
        if (protocol == "pusher") {
            if (c->in.find("subscription_succeeded") != string::npos)
                goLive(c);
            else if (c->in.find("subscription_error") != string::npos || c->in.find("pusher:error") != string::npos) {
                fprintf(stderr, "sub error: %s\n", c->in.c_str());
                exit(1);
            }
        } else if (protocol == "nats") {
            if (c->in.find("PONG") != string::npos)
                goLive(c);
        } else if (protocol == "mqtt") {
            if (c->in.find('\x90') != string::npos)
                goLive(c);
        }
    }
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
