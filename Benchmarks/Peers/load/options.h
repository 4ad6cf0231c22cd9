// What the command line sets, with the defaults.
#pragma once
#include <stdlib.h>
#include <string>
#include <vector>

using std::string;

static string protocol = "pusher", publishBy = "http", host = "127.0.0.1", path, publishPath, channel = "bench", key = "key",
              secret = "secret", applicationID = "1";
static int port = 9001, publishPort = 0, subscriberCount = 1000, openingAtOnce = 64, payloadSize = 100, publisherCount = 1,
           window = 0;
static double seconds = 5, rate = 0, idle = 0;
static long mostPublishes = 1000000;
static std::vector<int> serverPids;

static const char *usage = R"(Usage: wsload --pid PID --port PORT [OPTION VALUE]...

Connects subscribers to a server on loopback, publishes, and prints one line of JSON: deliveries, their latencies, and the processor time and
memory of the server. At most 25,000 subscribers and 60 seconds.

  --proto pusher|raw|nats|mqtt|pubnub|nchanlp
                    how subscribers speak; raw: an open WebSocket is subscribed, as nchan has it
  --pub http|ws     how publishers speak: with a POST to --pubpath (pusher: a signed POST to /apps/ID/events, pubnub: GET /publish), or over a
                    WebSocket of the same protocol (pusher: a client event, so use --channel private-x)
  --host ADDRESS --port PORT --pubport PORT --path PATH --pubpath PATH --channel NAME --key KEY --secret SECRET --appid ID
  --subs N          subscribers
  --conc N          connections that are being opened at a time
  --secs S          how long to publish
  --rate R          messages a second, or
  --window W        messages that are on their way at a time (4)
  --size BYTES      of a message
  --pubs N          connections that publish over HTTP
  --max N           the most messages
  --pid A,B         processes of the server
  --idle S          opens the connections only, waits and prints the memory of each
)";

// Sets an option; false when there is none of that name.
static bool setOption(const string &name, const char *value) {
    if (name == "--proto")
        protocol = value;
    else if (name == "--pub")
        publishBy = value;
    else if (name == "--host")
        host = value;
    else if (name == "--port")
        port = atoi(value);
    else if (name == "--pubport")
        publishPort = atoi(value);
    else if (name == "--path")
        path = value;
    else if (name == "--pubpath")
        publishPath = value;
    else if (name == "--channel")
        channel = value;
    else if (name == "--key")
        key = value;
    else if (name == "--secret")
        secret = value;
    else if (name == "--appid")
        applicationID = value;
    else if (name == "--subs")
        subscriberCount = atoi(value);
    else if (name == "--conc")
        openingAtOnce = atoi(value);
    else if (name == "--secs")
        seconds = atof(value);
    else if (name == "--rate")
        rate = atof(value);
    else if (name == "--window")
        window = atoi(value);
    else if (name == "--size")
        payloadSize = atoi(value);
    else if (name == "--pubs")
        publisherCount = atoi(value);
    else if (name == "--max")
        mostPublishes = atol(value);
    else if (name == "--idle")
        idle = atof(value);
    else if (name == "--pid") {
        const char *q = value;
        while (*q) {
            serverPids.push_back(strtol(q, (char **)&q, 10));
            if (*q == ',')
                q++;
        }
    } else
        return false;
    return true;
}
