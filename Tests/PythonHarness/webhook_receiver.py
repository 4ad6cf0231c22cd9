"""An application's receiver of webhooks, which judges each request with the vendor's own library."""

import http.server
import threading
import time

import pusher
from lifeline_harness import APP_ID, KEY, SECRET, wait_until


class WebhookReceiver:
    """On a free port of loopback. Answers with the next of `statuses`, then with 200."""

    def __init__(self, statuses=()):
        self.library = pusher.Pusher(app_id=APP_ID, key=KEY, secret=SECRET)
        self.requests, self.statuses = [], list(statuses)
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.take(self.path, self.headers, body.decode(), status := receiver.next_status())
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hook"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next_status(self):
        return self.statuses.pop(0) if self.statuses else 200

    def take(self, path, headers, body, status):
        valid = self.library.validate_webhook(headers["X-Pusher-Key"], headers["X-Pusher-Signature"], body)
        self.requests.append({
            "path": path, "headers": headers, "body": body, "valid": valid, "status": status, "at": time.monotonic()})

    @property
    def taken(self):
        """The events of requests that were taken, in order of arrival."""
        return [event for request in list(self.requests) if request["status"] == 200 for event in request["valid"]["events"]]

    def of(self, name):
        return [event for event in self.taken if event["name"] == name]

    def wait(self, name, count=1, timeout=40, **fields):
        """Events of this name with these fields, at least so many."""
        def found():
            events = [e for e in self.of(name) if all(e.get(k) == v for k, v in fields.items())]
            return events if len(events) >= count else None

        return wait_until(found, timeout, lambda: f"{count} {name} {fields}; told so far: {self.taken}")

    def kill(self):
        """For the fixture that ends what was started."""
        self.server.shutdown()
        self.server.server_close()
