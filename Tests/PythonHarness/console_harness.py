"""The console of a server: a way to its API as its own page has it, and a page in a browser."""

import http.client
import json

from lifeline_harness import Server, free_port, wait_until

ADMIN, READER = "correct horse battery staple", "only here to look around"


class ConsoleServer(Server):
    """A server with an admin port."""

    def __init__(self, *options, env=None, port=0):
        self.admin_port = free_port()
        super().__init__(
            port, "--admin-port", str(self.admin_port), *options,
            env={"LIFELINE_ADMIN_PASSWORD": ADMIN, "LIFELINE_ADMIN_READ_ONLY_PASSWORD": READER, **(env or {})})

    @property
    def console(self):
        return f"http://127.0.0.1:{self.admin_port}/console"


class Console:
    """Requests to an admin port; keeps the cookie and the token of its session."""

    def __init__(self, server, password=None):
        self.port, self.cookie, self.token = server.admin_port, None, None
        if password:
            status, told, _ = self.log_in(password)
            assert status == 200, told
            self.role = told["role"]

    def request(self, method, path, body=None, headers=None, cookie=True, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        given = {"Host": host or f"127.0.0.1:{self.port}"}
        if cookie and self.cookie:
            given["Cookie"] = self.cookie
        given.update(headers or {})
        try:
            connection.request(method, path, body=body, headers={name: value for name, value in given.items() if value is not None})
            answer = connection.getresponse()
            data = answer.read()
        finally:
            connection.close()
        try:
            told = json.loads(data)
        except ValueError:
            told = data.decode(errors="replace")
        return answer.status, told, answer

    def log_in(self, password, headers=None, **options):
        status, told, answer = self.request(
            "POST", "/console/api/login", json.dumps({"password": password}), {"Content-Type": "application/json", **(headers or {})}, **options)
        if status == 200:
            self.cookie, self.token = answer.headers["Set-Cookie"].split(";")[0], told["token"]
        return status, told, answer

    def ask(self, path):
        status, told, _ = self.request("GET", f"/console/api/{path}")
        assert status == 200, (status, told)
        return told

    def act(self, name, body, headers=None, **options):
        return self.request(
            "POST", f"/console/api/{name}", json.dumps(body),
            {"Content-Type": "application/json", "X-Lifeline-Token": self.token, **(headers or {})}, **options)


def log_in(page, server, password=ADMIN):
    """Types the password into the page."""
    page.open(server.console)
    page.wait("document.querySelector('input[type=password]') !== null")
    page.evaluate(f"document.querySelector('input[type=password]').value = {json.dumps(password)}")
    page.evaluate("document.querySelector('form').requestSubmit()")
    page.wait("document.querySelector('nav a[aria-current]') !== null")


def go(page, name, heading):
    """Opens a page of the console, and waits until its content is there."""
    page.evaluate(f"location.hash = {json.dumps('#' + name)}")
    page.wait(f"document.querySelector('main h1')?.innerText === {json.dumps(heading)}")


__all__ = ["ADMIN", "READER", "Console", "ConsoleServer", "go", "log_in", "wait_until"]
