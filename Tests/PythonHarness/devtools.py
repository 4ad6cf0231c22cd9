"""A browser without a window that a test drives: Chromium over the DevTools protocol."""

import base64
import itertools
import json
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

import websocket
from browser import Browser, browser
from lifeline_harness import wait_until


class DrivenBrowser(Browser):
    """One page. Everything that a page reports as wrong is gathered in `errors`."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="lifeline-browser-", ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [browser(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
             "--disable-background-networking", "--remote-debugging-port=0", f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.errors, self.numbers = [], itertools.count(1)
        try:
            file = Path(self.profile.name) / "DevToolsActivePort"
            port = wait_until(lambda: file.exists() and file.read_text().split("\n")[0], 60, "the browser's port")

            def page():
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as answer:
                    return next((target for target in json.load(answer) if target["type"] == "page"), None)

            self.socket = websocket.create_connection(
                wait_until(page, 60, "a page")["webSocketDebuggerUrl"], suppress_origin=True, timeout=60)
            for domain in ("Page", "Runtime", "Log", "Network"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.kill()
            raise

    def call(self, method, **parameters):
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv())
            self._note(message)
            if message.get("id") == number:
                assert "error" not in message, (method, message["error"])
                return message["result"]

    def _note(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "assert"):
            self.errors.append(json.dumps(told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] == "error":
            self.errors.append(f"{told['entry']['text']} {told['entry'].get('url', '')}")

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, expression, what=None, timeout=30):
        return wait_until(lambda: self.evaluate(expression), timeout, lambda: f"{what or expression}; the page says {self.text()!r}, errors {self.errors}")

    def text(self):
        return self.evaluate("document.body?.innerText ?? ''")

    def open(self, url):
        self.call("Page.navigate", url=url)

    def look(self, width, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, path):
        # What the page draws last has to be on the screen.
        time.sleep(0.15)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
