"""The console of `lifeline serve` in a browser: each page, small and large, light and dark (rules CO-30 to CO-42 and CO-100)."""

import json
import re
import threading
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pytest
from console_harness import ADMIN, CONTRAST, READER, Console, ConsoleServer, go, log_in
from devtools import DrivenBrowser
from lifeline_harness import free_port, wait_until
from chat_client import ChatSession, Farewell
from pusher_client import PusherSocket
from webhook_receiver import WebhookReceiver

PICTURES = Path(__file__).resolve().parents[2] / "build" / "console"
# What would run if a name were taken for markup.
MARKUP = "<img src=x onerror=window.broken=1>"
PAGES = {
    "overview": "Overview", "applications": "Applications", "channels": "Channels", "live": "Live feed", "publish": "Publish",
    "users": "Users", "connections": "Connections", "webhooks": "Webhooks", "polls": "Held polls", "errors": "Errors",
}


@pytest.fixture
def page(started):
    return started(DrivenBrowser)


@pytest.fixture
def busy(started, tmp_path):
    """A server with something on each page, and names that are markup wherever somebody else chooses them."""
    dead = free_port()
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({
        "apps": [
            {"id": "1001", "key": "app-key", "secret": "app-secret", "clientEvents": True, "subscriptionCounts": True,
             "limits": {"connections": 500},
             "webhooks": [{"url": f"http://user:hidden@127.0.0.1:{dead}/hook?token=hidden", "events": ["channel_occupied", "channel_vacated"]}]},
            {"id": "shop<b>", "key": "shop-key", "secret": "shop-secret-of-this-test"},
        ]}))
    server = started(ConsoleServer, "--config", str(config), "--data", str(tmp_path / "data"))
    clients = [started(PusherSocket, server.port) for _ in range(12)]
    for number, client in enumerate(clients):
        client.subscribe("prices")
        client.subscribe(f"private-room-{number}")
        client.subscribe("presence-lobby", {"user_id": MARKUP if number == 0 else f"user-{number}"})
        if number < 4:
            client.signin({"id": MARKUP if number == 0 else f"user-{number}"})
    clients.pop().drop()
    # A refused key, for the page of errors.
    with pytest.raises(Exception):
        PusherSocket(server.port, key="nobody")
    with pytest.raises(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{server.port}/apps/1001/channels", timeout=30)
    channel = urllib.parse.quote(MARKUP, safe="")
    poll = f"http://127.0.0.1:{server.port}/v2/subscribe/demo/{channel},weather/0?tt={{}}&uuid={channel}&heartbeat=300"

    def hold():
        token = 0
        try:
            while True:
                with urllib.request.urlopen(poll.format(token), timeout=300) as answer:
                    token = json.load(answer)["t"]["t"]
        except (OSError, ValueError):
            pass  # The server has ended.

    threading.Thread(target=hold, daemon=True).start()
    console = Console(server, ADMIN)
    for number in range(40):
        server.publish("prices", "tick", json.dumps({"price": number}))
    wait_until(lambda: console.ask("polls")["polls"], 30, "a held poll")
    wait_until(lambda: console.ask("webhooks")["webhooks"][0]["problem"], 30, "a webhook that fails")
    # With what the admin can do with it.
    assert console.act("apps", {"service": "pusher"})[0] == 201
    return server


def settled(page, name):
    """Waits until a page shows what it has to show."""
    content = "document.querySelector('main table, main form, main .empty, main svg')"
    page.wait(f"{content} !== null", f"something on {name}")


def reveal(page, name):
    """Something happens, so that the page is not empty."""
    if name == "channels":
        page.wait("document.querySelectorAll('main tbody tr').length > 5")
        page.evaluate("[...document.querySelectorAll('main button')].find(b => b.getAttribute('aria-label') === 'Members of presence-lobby').click()")
        page.wait("document.querySelector('main').innerText.includes('user-3')")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_each_page(busy, page, width, dark):
    page.look(width, 900, dark)
    page.open(busy.console)
    page.wait("document.querySelector('input[type=password]') !== null")
    page.picture(PICTURES / f"login-{width}-{'dark' if dark else 'light'}.png")
    log_in(page, busy)
    # Being told that one is not logged in yet is no error of the page.
    page.errors[:] = [error for error in page.errors if "401" not in error]
    console = Console(busy, ADMIN)
    for name, heading in PAGES.items():
        go(page, name, heading)
        settled(page, name)
        if name == "live":
            page.wait("document.querySelector('main').innerText.includes('listening')")
            page.evaluate("document.querySelector('[name=payloads]').click()")
            page.wait("document.querySelector('main').innerText.includes('listening')")
            for number in range(5):
                console.act("publish", {"service": "pusher", "app": "1001", "channel": "prices", "event": MARKUP, "data": f'{{"price":{number}}}'})
            console.act("publish", {"service": "pubnub", "app": "demo", "channel": MARKUP, "data": MARKUP})
            page.wait(f"document.querySelector('main').innerText.includes({json.dumps(MARKUP)})")
        reveal(page, name)
        if name in ("overview", "users", "polls", "connections", "errors"):
            page.wait("document.querySelectorAll('main tbody tr').length > 0")
        if width == 1280:
            # Nothing that can be pressed is beyond the edge of a table.
            hidden = page.evaluate("""[...document.querySelectorAll('main .scroll button')].filter(each =>
                each.getBoundingClientRect().right > each.closest('.scroll').getBoundingClientRect().right).map(each => each.innerText)""")
            assert hidden == [], (name, hidden)
        overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert overflow <= 0, f"{name} is {overflow} pixels too wide at {width}"
        # CO-100: on the page as it is.
        assert page.evaluate(CONTRAST) == [], name
        page.picture(PICTURES / f"{name}-{width}-{'dark' if dark else 'light'}.png")
    assert page.errors == []
    assert page.evaluate("window.broken") is None


def test_names_with_markup_are_texts(busy, page):
    page.look(1280)
    log_in(page, busy)
    for name, heading in PAGES.items():
        go(page, name, heading)
        settled(page, name)
        reveal(page, name)
        if name in ("users", "polls", "channels"):
            page.wait(f"document.querySelector('main').innerText.includes({json.dumps(MARKUP)})", f"the name on {name}")
        if name == "applications":
            page.wait("document.querySelector('main').innerText.includes('shop<b>')")
        assert page.evaluate("document.querySelectorAll('main img').length") == 0, name
    assert page.evaluate("window.broken") is None
    go(page, "webhooks", "Webhooks")
    page.wait("document.querySelector('main').innerText.includes('127.0.0.1')")
    text = page.text()
    assert "hidden" not in text, "addresses of receivers may have secrets in them"


def enter(page, server):
    """Logs in; that one was not logged in before is no error of the page."""
    log_in(page, server)
    page.errors[:] = [error for error in page.errors if "401" not in error]


def refreshed(page, what, times=2):
    """Waits until a page has asked for something again and shown the answer."""
    count = f"performance.getEntriesByType('resource').filter(entry => entry.name.includes('/console/api/{what}?') && entry.responseEnd).length"
    before = page.evaluate(count)
    page.wait(f"{count} >= {before + times}", f"{times} more answers about {what}")
    page.evaluate("new Promise(resolve => setTimeout(resolve, 0))")


REFRESHED = {"overview": "overview", "applications": "applications", "channels": "channels", "users": "users", "connections": "connections",
             "webhooks": "webhooks", "polls": "polls", "errors": "errors"}


@pytest.mark.parametrize("name", REFRESHED)
def test_a_page_is_brought_up_to_date_in_place(busy, page, name):
    """CO-70: what has the focus, what is selected and what was scrolled stay, and nothing that stays is replaced."""
    page.look(1280, 500)
    enter(page, busy)
    go(page, name, PAGES[name])
    page.wait("document.querySelectorAll('main tbody tr').length > 0")
    page.evaluate("""(() => {
        const region = document.querySelector('main .scroll');
        region.style.maxHeight = '60px';
        window.row = region.querySelector('tbody tr');
        window.cell = row.querySelector('td span');
        window.focused = region.querySelector('tbody button, tbody a') ?? region;
        focused.focus({preventScroll: true});
        getSelection().selectAllChildren(cell);
        window.chosen = getSelection().toString();
        region.scrollTop = 15;
        window.region = region;
    })()""")
    assert page.evaluate("chosen.length > 0")
    client = PusherSocket(busy.port)
    try:
        client.subscribe("zebra")
        refreshed(page, REFRESHED[name])
        kept = page.evaluate("""[document.activeElement === focused, row.isConnected, cell.isConnected, region.isConnected,
            getSelection().toString() === chosen, region.scrollTop]""")
        # A region stays where it was, as far as it is longer than what is shown of it.
        assert kept[:5] == [True] * 5 and (kept[5] == 15 or not page.evaluate("region.scrollHeight > region.clientHeight + 15")), kept
    finally:
        client.kill()
    assert page.errors == []


def test_rows_are_sorted_by_a_press_on_a_name_and_stay_sorted(busy, page, started):
    page.look(1280)
    enter(page, busy)
    go(page, "channels", PAGES["channels"])
    page.wait("document.querySelectorAll('main tbody tr').length > 5")
    press = "[...document.querySelectorAll('main th button')].find(b => b.innerText.startsWith('Subscriptions')).click()"
    names = "[...document.querySelectorAll('main tbody tr td:first-child')].map(cell => cell.innerText)"
    page.evaluate(press)
    page.evaluate(press)
    assert page.evaluate("document.querySelector('th[aria-sort]').getAttribute('aria-sort')") == "descending"
    assert set(page.evaluate(names)[:2]) == {"prices", "presence-lobby"}
    started(PusherSocket, busy.port).subscribe("aaa-first-by-name")
    page.wait("document.querySelector('main').innerText.includes('aaa-first-by-name')")
    assert set(page.evaluate(names)[:2]) == {"prices", "presence-lobby"} and page.errors == []


def test_the_head_of_every_page_says_how_the_server_is(busy, page):
    page.look(1280)
    log_in(page, busy)
    state = "document.getElementById('state').innerText"
    go(page, "publish", PAGES["publish"])
    page.wait(f"{state} === 'ready'")
    busy.end()
    page.wait(f"{state} === 'server is gone'")


def test_an_admin_publishes_and_ends_connections(busy, page, started):
    listener = started(PusherSocket, busy.port)
    listener.subscribe("prices")
    listener.signin({"id": "to-be-ended"})
    page.look(1280)
    log_in(page, busy)
    go(page, "publish", "Publish")
    page.wait("document.querySelector('[name=event]') !== null")
    page.evaluate("""(() => { const form = document.querySelector('main form');
        form.elements.channel.value = 'prices'; form.elements.event.value = 'tick'; form.elements.data.value = '{"price":7}'; form.requestSubmit(); })()""")
    page.wait("document.querySelector('main').innerText.includes('The event was published.')")
    assert listener.wait("tick", "prices")["data"] == '{"price":7}'
    go(page, "users", "Users")
    button = "[...document.querySelectorAll('main button')].find(b => b.getAttribute('aria-label') === 'End the connections of to-be-ended')"
    page.wait(f"{button} !== undefined")
    page.evaluate(f"{button}.click()")
    page.wait("document.querySelector('dialog[open]') !== null")
    page.picture(PICTURES / "ending-1280-light.png")
    page.evaluate("document.querySelector('dialog .danger').click()")
    page.wait("document.querySelector('#notes').innerText.includes('being ended')")
    wait_until(lambda: listener.end, 30, "the end of the connection")
    assert listener.end[0] == 4009


def test_a_reader_sees_and_cannot_touch(busy, page):
    page.look(1280)
    log_in(page, busy, READER)
    go(page, "publish", "Publish")
    page.wait("document.querySelector('main').innerText.includes('read-only password')")
    assert page.evaluate("document.querySelector('main form button.main').disabled")
    go(page, "users", "Users")
    page.wait("document.querySelectorAll('main button.danger').length > 0")
    assert page.evaluate("[...document.querySelectorAll('main button.danger')].every(b => b.disabled)")


def test_a_wrong_password_and_the_end_of_a_session(started, page):
    server = started(ConsoleServer)
    page.look(1280)
    page.open(server.console)
    page.wait("document.querySelector('input[type=password]') !== null")
    page.evaluate("document.querySelector('input[type=password]').value = 'not this one'; document.querySelector('form').requestSubmit()")
    page.wait("document.querySelector('main').innerText.includes('This is not the password.')")
    log_in(page, server)
    page.evaluate("document.getElementById('logout').click()")
    page.wait("document.querySelector('main').innerText.includes('You are logged out.')")
    # The page's cookie is out of reach for scripts.
    assert "lifeline" not in page.evaluate("document.cookie")


def test_pages_can_be_used_with_a_keyboard(busy, page):
    page.look(1280)
    log_in(page, busy)
    order = []
    # All around the page: the charts and the tables have places to stop, too.
    for _ in range(100):
        for kind in ("keyDown", "keyUp"):
            page.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)
        order.append(page.evaluate("document.activeElement?.innerText?.split('\\n')[0] ?? ''"))
        if {"Overview", "Live feed", "Errors", "Log out"} <= set(order):
            break
    assert "Skip to the content" in order or order.index("Channels") < order.index("Errors")
    assert {"Overview", "Live feed", "Errors", "Log out"} <= set(order), order
    unnamed = """[...document.querySelectorAll('button, a, input, select, textarea')].filter(e =>
        !(e.innerText || e.getAttribute('aria-label') || e.labels?.length || e.querySelector('img[alt]'))).length"""
    for name, heading in PAGES.items():
        go(page, name, heading)
        settled(page, name)
        assert page.evaluate(unnamed) == 0, name


def test_the_live_feed_filters_pauses_and_hides_what_is_said(busy, page):
    page.look(1280)
    log_in(page, busy)
    console = Console(busy, ADMIN)

    def publish(channel, data):
        assert console.act("publish", {"service": "pusher", "app": "1001", "channel": channel, "event": "e", "data": data})[0] == 200

    def rows():
        return page.evaluate("document.querySelector('.feed')?.innerText ?? ''")

    go(page, "live", "Live feed")
    page.wait("document.querySelector('main').innerText.includes('listening')")
    publish("prices", "secret words")
    page.wait("document.querySelector('.feed')?.innerText.includes('prices')")
    assert "secret words" not in rows()
    page.evaluate("(() => { const f = document.querySelector('main form'); f.elements.prefix.value = 'wea'; f.elements.payloads.checked = true; f.requestSubmit(); })()")
    page.wait("document.querySelector('main').innerText.includes('listening')")
    wait_until(lambda: (publish("prices", "not shown"), publish("weather", "shown"), "shown" in rows())[-1], 30, "the filter")
    assert "not shown" not in rows()
    page.evaluate("[...document.querySelectorAll('main button')].find(b => b.innerText === 'Pause').click()")
    publish("weather", "while paused")
    page.wait("document.querySelector('main').innerText.includes('wait')")
    assert "while paused" not in rows()
    page.evaluate("[...document.querySelectorAll('main button')].find(b => b.innerText === 'Go on').click()")
    page.wait("document.querySelector('.feed').innerText.includes('while paused')")


def test_the_badge_of_the_live_feed_waits_for_the_new_filter(busy, page):
    """CO-80: while the server has not taken a filter yet, the page does not say that it listens with it."""
    page.look(1280)
    log_in(page, busy)
    go(page, "live", "Live feed")
    badge = "document.querySelector('main [role=status]').innerText"
    page.wait(f"{badge} === 'listening'")
    # The change and the question are one turn of the page's event loop, so no answer can be there yet.
    assert page.evaluate(f"(() => {{ document.querySelector('[name=payloads]').click(); return {badge}; }})()") == "connecting"
    page.wait(f"{badge} === 'listening'")


def test_a_live_feed_that_was_refused_is_tried_again(busy, page):
    """CO-80: as soon as another page that looked on is closed."""
    others = [Console(busy, ADMIN) for _ in range(2)]
    feeds = [urllib.request.urlopen(urllib.request.Request(f"{busy.console}/api/feed", headers={"Cookie": console.cookie}), timeout=60)
             for console in others for _ in range(2)]
    page.look(1280)
    log_in(page, busy)
    go(page, "live", "Live feed")
    badge = "document.querySelector('main [role=status]').innerText"
    page.wait(f"{badge} === 'trying again'")
    for feed in feeds:
        feed.close()
    page.wait(f"{badge} === 'listening'")


def test_webhooks_for_push_notifications_are_shown(started):
    """CO-34: with the others, without what may be secret in their address."""
    dead = free_port()
    server = started(ConsoleServer, env={"LIFELINE_PUBNUB_PUSH_WEBHOOK": f"http://user:hidden@127.0.0.1:{dead}/push?token=hidden"})
    console = Console(server, ADMIN)
    [shown] = [hook for hook in console.ask("webhooks")["webhooks"] if hook["service"] == "pubnub"]
    assert shown["url"] == f"http://127.0.0.1:{dead}/push" and (shown["app"], shown["receiver"], shown["queued"]) == ("demo", 0, 0)
    [keyset] = [one for one in console.ask("applications")["applications"] if one["service"] == "pubnub"]
    assert keyset["webhooks"] == 1
    base = f"http://127.0.0.1:{server.port}"
    urllib.request.urlopen(f"{base}/v1/push/sub-key/demo/devices/{'0' * 63}1?add=news&type=fcm", timeout=30).read()
    message = urllib.parse.quote(json.dumps({"pn_gcm": {"notification": {"title": "t", "body": "b"}}}))
    urllib.request.urlopen(f"{base}/publish/demo/demo/0/news/0/{message}?uuid=u", timeout=30).read()
    wait_until(lambda: console.ask("overview")["webhooks"]["failed"] > 0, 30, "a webhook that fails")
    assert console.ask("webhooks")["webhooks"][0]["problem"]


def test_each_receiver_of_webhooks_has_a_row(started, page, tmp_path):
    """CO-71: with its number, and the last error also when it works again; one that fails is not hidden behind one that does not."""
    good, recovering, dead = started(WebhookReceiver), started(WebhookReceiver, [500]), free_port()
    config = tmp_path / "lifeline.json"
    config.write_text(json.dumps({"apps": [{
        "id": "1001", "key": "app-key", "secret": "app-secret",
        "webhooks": [{"url": url, "events": ["channel_occupied"]} for url in (good.url, f"{recovering.url}?token=hidden", f"http://127.0.0.1:{dead}/hook")]}]}))
    server = started(ConsoleServer, "--config", str(config))
    console = Console(server, ADMIN)
    assert [(row["receiver"], row["failure"]) for row in console.ask("webhooks")["webhooks"]] == [(0, None), (1, None), (2, None)]
    started(PusherSocket, server.port).subscribe("room")

    def settled():
        rows = console.ask("webhooks")["webhooks"]
        return rows if rows[1]["delivered"] and rows[2]["failure"] and rows[0]["delivered"] else None

    rows = wait_until(settled, 30, "what became of the webhooks")
    assert [row["url"] for row in rows] == [good.url, recovering.url, f"http://127.0.0.1:{dead}/hook"]
    assert [(row["problem"] is None, row["failure"] and row["failure"]["reason"]) for row in rows[:2]] == [(True, None), (True, "status 500")]
    assert "refuses connections" in rows[2]["problem"] and rows[2]["failure"]["seconds"] < 60
    log_in(page, server)
    go(page, "webhooks", "Webhooks")
    page.wait("document.querySelectorAll('main tbody tr').length === 3")
    shown = page.evaluate("[...document.querySelectorAll('main tbody tr')].map((row) => row.innerText).join('|')").split("|")
    assert "works" in shown[0] and "ago" not in shown[0] and "works" in shown[1] and "status 500, " in shown[1]
    assert "fails" in shown[2] and shown[2].count("refuses connections") == 1 and " ago" in shown[2]


def test_every_code_of_an_error_has_a_sentence(started, page):
    """CO-91: on the page, and for each code with which Pusher's clients are refused."""
    server = started(ConsoleServer)
    with pytest.raises(Farewell):
        ChatSession(server.port, "no token of ours").connect()
    with pytest.raises(Farewell):
        ChatSession(server.port, "no token of ours", app_key="nobody").connect()
    codes = Console(server, ADMIN).ask("errors")["codes"]
    told = {(row["service"], row["code"]): row["sentence"] for row in codes}
    assert told == {("chat", 31004): "The access token is not valid for this app key.", ("chat", 31002): "No application has this app key."}
    page.look(1280)
    log_in(page, server)
    go(page, "errors", "Errors")
    page.wait("document.querySelector('main').innerText.includes('Tokens were refused.')")
    root = Path(__file__).resolve().parents[2] / "Sources"
    sources = "".join(file.read_text() for file in (root / "PusherServer").rglob("*.swift"))
    sent = {int(code) for code in re.findall(r"(?:PusherCloseReason\(|\.error\(|code: )\s*(4\d{3})\b", sources)}
    explained = {int(code) for code in re.findall(r"^    (4\d{3}): \[", (root / "ConsolePages/Files/trouble.js").read_text(), re.M)}
    assert len(sent) >= 12 and sent <= explained, sent - explained
