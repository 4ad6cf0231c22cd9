"""A service that is not ours: answers PubNub requests with bodies recorded from the real one, byte for byte.

Knows nothing of Lifeline. Polls get the recorded answers one after the other, then are held; every request is remembered.
"""

import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = 'text/javascript; charset="UTF-8"'
ACCESS_TEXT = "text/javascript; charset=UTF-8"

MESSAGE = '{"a":"5","f":0,"i":"Serhii","s":1,"p":{"t":"15808216792242557","r":12},"k":"demo","c":"test-channel1","d":{"test-message":["message"]},"b":"test-channel-group1"}'
WITH_META = '{"a":"5","f":0,"i":"serhii","s":185,"p":{"t":"15782703013118714","r":12},"k":"demo","c":"test-channel","u":{"access-level":"editor"},"d":"Hello there"}'
WITH_ORIGIN = '{"a":"5","f":0,"i":"ruby-test-uuid-client-two","s":503,"o":{"t":"14654005804445482"},"p":{"t":"14654005804762109","r":12},"k":"sub-a-mock-key","c":"demo.ruby","d":"test_message","b":"demo.*"}'
SIGNAL = '{"a":"5","f":0,"e":1,"i":"serhii","p":{"t":"15782703064777659","r":12},"k":"demo","c":"test-channel","d":{"hello":"there"}}'
ACTION = '{"a":"5","f":0,"e":3,"i":"serhii","p":{"t":"15782701614559434","r":12},"k":"demo","c":"test-channel","d":{"source":"actions","version":"1.0","data":{"messageTimetoken":"15782701574872716","type":"custom","value":"test-value","actionTimetoken":"15782701613560578"},"event":"added"}}'
OBJECT = '{"a":"5","f":0,"e":2,"p":{"t":"16027064963065890","r":12},"k":"sub-a-mock-key","c":"rb_channel_3","d":{"source":"objects","version":"2.0","event":"set","type":"channel","data":{"custom":{"XXX":"YYYY"},"eTag":"AZTUtcvx6NDGLQ","id":"rb_channel_3","name":"some_name","updated":"2020-10-14T20:14:56.301877Z"}}}'
JOIN = '{"a":"5","f":0,"p":{"t":"15800701747899763","r":12},"k":"demo","c":"test-channel1-pnpres","u":{"pn_action":"join","pn_uuid":"serhii","pn_timestamp":1580070174,"pn_occupancy":1,"pn_ispresence":1,"pn_channel":"test-channel1"},"d":{"action":"join","uuid":"serhii","timestamp":1580070174,"occupancy":1},"b":"test-channel1-pnpres"}'
TIMEOUT = '{"a":"2","f":0,"p":{"t":"15800701747899764","r":12},"k":"demo","c":"test-channel1-pnpres","d":{"action":"timeout","timestamp":1580070176,"uuid":"hb","occupancy":1},"b":"test-channel1-pnpres"}'
INTERVAL = '{"a":"4","f":0,"p":{"t":"15800701747899765","r":1},"k":"demo","c":"test-channel1-pnpres","d":{"action":"interval","timestamp":1580070180,"occupancy":4,"join":["Client-d39lr"]}}'


def answer(token, *elements, region=12):
    return '{"t":{"t":"%s","r":%d},"m":[%s]}' % (token, region, ",".join(elements))


class RecordedService:
    """Started with the answers that polls get in turn: a body, or (status, content type, body)."""

    def __init__(self, *polls, routes=None):
        self.polls, self.routes, self.requests, self.bodies = list(polls), routes or {}, [], []
        self.lock, self.ended = threading.Lock(), threading.Event()
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path, _, query = self.path.partition("?")
                parameters = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
                with service.lock:
                    service.requests.append((path, parameters))
                self._send(*service.find(path, parameters))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with service.lock:
                    service.bodies.append(body)
                self.do_GET()

            def _send(self, status, kind, body):
                data = body.encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next_poll(self):
        with self.lock:
            return self.polls.pop(0) if self.polls else None

    def give(self, poll):
        """Has one more poll answered, the one that is held first."""
        with self.lock:
            self.polls.append(poll)

    def find(self, path, parameters):
        if path.startswith("/v2/subscribe/"):
            if parameters.get("tt", "0") == "0":
                return 200, TEXT, answer("15782702386156836")
            following = self.next_poll()
            # Held, until a test gives another answer.
            end = time.monotonic() + 20
            while following is None and time.monotonic() < end and not self.ended.wait(0.02):
                following = self.next_poll()
            if following is None:
                return 200, TEXT, answer(parameters["tt"])
            return following if isinstance(following, tuple) else (200, TEXT, following)
        for beginning, body in self.routes.items():
            if path.startswith(beginning):
                return body if isinstance(body, tuple) else (200, TEXT, body)
        if path == "/time/0":
            return 200, TEXT, "[15808218107205592]"
        if path.endswith("/heartbeat"):
            return 200, TEXT, '{"status": 200, "message": "OK", "service": "Presence"}'
        if path.endswith("/leave"):
            return 200, TEXT, '{"status": 200, "action": "leave", "message": "OK", "service": "Presence"}'
        return 404, TEXT, '{"status":404,"message":"Not found","error":1,"service":"Presence"}'

    def subscribes(self):
        with self.lock:
            return [(path, parameters) for path, parameters in self.requests if path.startswith("/v2/subscribe/")]

    def kill(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()
