"""The page of the browser's tests, which speaks the Pusher protocol and tells what it sees."""

import itertools
import json
import urllib.parse

from browser import Browser
from lifeline_harness import KEY, ROOT, wait_until
from web_host import WebHost

PAGE = (ROOT / "Tests" / "InteropTests" / "page" / "pusher.html").read_text()


class Page:
    """The page in a browser, and what it has told."""

    def __init__(self, started, port, **parameters):
        self.host = started(WebHost, member={"user_id": "page", "user_info": {"name": "Page"}}, user={"id": "page"},
                            pages={"/": PAGE})
        query = urllib.parse.urlencode({"server": f"127.0.0.1:{port}", "key": KEY, **parameters})
        started(Browser, f"{self.host.url}/?{query}")

    @property
    def told(self):
        """In the order in which the page saw it; its reports may overtake one another, so what is behind a missing one is left out."""
        reports = [json.loads(body) for path, body in list(self.host.posted) if path == "/report"]
        reports.sort(key=lambda report: report["number"])
        complete = itertools.takewhile(lambda place: place[0] == place[1]["number"], enumerate(reports))
        return [{name: value for name, value in report.items() if name != "number"} for _, report in complete]

    def wait(self, timeout=120, **expected):
        """The first thing told with these values."""
        return wait_until(
            lambda: next((t for t in self.told if all(t.get(k) == v for k, v in expected.items())), None), timeout,
            lambda: f"{expected} from the page; told so far: {self.told}")

    def wait_event(self, event, channel=None):
        return self.wait(what="event", event=event, **({"channel": channel} if channel else {}))
