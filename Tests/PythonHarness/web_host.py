"""An application's own web server: answers clients' questions for authorisation with the vendor's library, and serves pages."""

import http.server
import json
import threading
import urllib.parse

import pusher
from lifeline_harness import APP_ID, KEY, SECRET

MASTER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="


class WebHost:
    """On a free port of loopback. `asked` has the path, the form and the header fields of each question."""

    def __init__(self, member=None, user=None, pages=None):
        self.library = pusher.Pusher(app_id=APP_ID, key=KEY, secret=SECRET, encryption_master_key_base64=MASTER_KEY)
        self.member, self.user, self.pages = member or {"user_id": "u7", "user_info": {"name": "Ada"}}, user, pages or {}
        self.asked, self.posted = [], []
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                page = host.pages.get(self.path.partition("?")[0])
                self._answer(200 if page is not None else 404, (page or "").encode(), "text/html; charset=utf-8")

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                if self.path.startswith("/pusher/"):
                    form = {name: values[0] for name, values in urllib.parse.parse_qs(body).items()}
                    host.asked.append((self.path, form, dict(self.headers)))
                    self._answer(200, json.dumps(host.answer(self.path, form)).encode(), "application/json")
                else:
                    host.posted.append((self.path, body))
                    self._answer(200, b"{}", "application/json")

            def _answer(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, path, form):
        if path == "/pusher/user-auth":
            return self.library.authenticate_user(form["socket_id"], self.user or {"id": "u7"})
        channel = form["channel_name"]
        member = self.member if channel.startswith("presence-") else None
        answer = self.library.authenticate(channel, form["socket_id"], member)
        # The library leaves this one as bytes, which no JSON encoder takes.
        if isinstance(answer.get("shared_secret"), bytes):
            answer["shared_secret"] = answer["shared_secret"].decode()
        return answer

    def kill(self):
        """For the fixture that ends what was started."""
        self.server.shutdown()
        self.server.server_close()
