"""The console of a server: a way to its API as its own page has it, and a page in a browser."""

import http.client
import json

from lifeline_harness import Server, free_port, wait_until

ADMIN, READER = "correct horse battery staple", "only here to look around"

# What has too little contrast on a page: texts below 4.5 to 1, edges of fields, buttons and frames below 3 to 1 (rule CO-100). What cannot
# be used now, lines between rows and the head of a table are left out, as WCAG does.
CONTRAST = """(() => {
    const parts = (color) => { const all = color.match(/[\\d.]+/g).map(Number); return all.length < 4 ? [...all, 1] : all; };
    const over = (color, ground) => color.slice(0, 3).map((part, index) => part * color[3] + ground[index] * (1 - color[3])).concat(1);
    const light = (color) => color.slice(0, 3).map(each => each / 255).map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
        .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
    const contrast = (one, other) => (Math.max(light(one), light(other)) + 0.05) / (Math.min(light(one), light(other)) + 0.05);
    const ground = (element) => {
        const layers = [];
        for (let each = element; each; each = each.parentElement) layers.push(parts(getComputedStyle(each).backgroundColor));
        return layers.reverse().reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
    };
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
        if (!element.getClientRects().length || element.matches(':disabled')) continue;
        const style = getComputedStyle(element);
        const own = ground(element);
        const name = `${element.localName}.${element.getAttribute('class') ?? ''}`;
        if ([...element.childNodes].some(each => each.nodeType === Node.TEXT_NODE && each.data.trim())) {
            const color = parts(element instanceof SVGElement ? style.fill : style.color);
            color[3] *= Number(style.opacity);
            const value = contrast(over(color, own), own);
            if (value < 4.5) found.push(`${value.toFixed(2)} text ${name}: ${element.textContent.slice(0, 40)}`);
        }
        if (element.matches('tr, th, td, .facts div, .quiet, [type=checkbox]') || !element.parentElement) continue;
        const around = ground(element.parentElement);
        for (const side of ['Top', 'Bottom']) {
            if (!parseFloat(style[`border${side}Width`])) continue;
            const edge = over(parts(style[`border${side}Color`]), around);
            const value = Math.max(contrast(edge, around), contrast(own, around));
            if (value < 3) found.push(`${value.toFixed(2)} edge ${name}`);
        }
    }
    return [...new Set(found)];
})()"""


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


__all__ = ["ADMIN", "CONTRAST", "READER", "Console", "ConsoleServer", "go", "log_in", "wait_until"]
