"""The charts of the console in a browser (rules CO-81 to CO-84)."""

import json
import time

import pytest
from console_harness import ADMIN, Console, ConsoleServer, go, log_in
from devtools import DrivenBrowser
from lifeline_harness import wait_until
from pusher_client import PusherSocket

SERIES = ("connections", "messages", "deliveries", "errors", "delay")
SPANS = {"5m": (1, 300), "1h": (10, 360), "6h": (60, 360), "24h": (300, 288)}
READINGS = "[...document.querySelectorAll('figure .reading')].map(each => each.innerText)"


@pytest.fixture
def server(started):
    return started(ConsoleServer)


@pytest.fixture
def page(started):
    return started(DrivenBrowser)


def known(told, series):
    return [value for value in told["series"][series] if value is not None]


def test_figures_of_each_span(server, started):
    """CO-81: as many steps as the span has, with what has happened in the last ones."""
    console = Console(server, ADMIN)
    client = started(PusherSocket, server.port)
    client.subscribe("prices")

    def published():
        server.publish("prices", "tick", "{}")
        assert server.get("/nowhere")[0] == 404
        told = console.ask("history")
        return all(max(known(told, name), default=0) > 0 for name in SERIES[:4])

    wait_until(published, 60, "figures of what was done")
    for span, (step, count) in SPANS.items():
        before = int(time.time())
        told = console.ask(f"history?span={span}")
        assert (told["span"], told["step"], sorted(told["series"])) == (span, step, sorted(SERIES))
        assert all(len(told["series"][name]) == count for name in SERIES)
        # The last step has the present in it.
        last = told["start"] + (count - 1) * step
        assert before - step - 1 <= last <= int(time.time()) + 1
        assert known(told, "connections")[-1] == 1 and known(told, "delay")
    for wrong in ("2h", "", "5M", "5m&span=1h", "x" * 2000):
        status, answer, _ = console.request("GET", f"/console/api/history?span={wrong}")
        assert status == 400, answer
    assert "5m, 1h, 6h, 24h" in console.request("GET", "/console/api/history?span=2h")[1]["error"]


def test_connections_that_are_gone_stay_in_the_chart(server):
    """CO-81: a step keeps the highest number."""
    console = Console(server, ADMIN)
    clients = [PusherSocket(server.port) for _ in range(3)]
    wait_until(lambda: known(console.ask("history?span=24h"), "connections")[-1:] == [3], 60, "three connections")
    for client in clients:
        client.kill()
    wait_until(lambda: console.ask("overview")["connections"] == 0, 60, "no connection")
    wait_until(lambda: 0 in known(console.ask("history"), "connections")[-3:], 60, "a second without connections")
    assert max(known(console.ask("history?span=24h"), "connections")) == 3


def enter(page, server):
    log_in(page, server)
    page.errors[:] = [error for error in page.errors if "401" not in error]
    page.wait("document.querySelectorAll('figure path.curve').length === 2")
    # With points.
    page.wait("document.querySelector('figure path.curve').getAttribute('d').startsWith('M')")


def choose(page, span=None, series=()):
    """Sets the choice of a page's charts."""
    page.evaluate(f"""(() => {{ const form = document.querySelector('main form');
        for (const box of form.querySelectorAll('input')) if (box.checked !== {json.dumps(list(series))}.includes(box.value)) box.click();
        if ({json.dumps(span)}) {{ form.elements.span.value = {json.dumps(span)}; form.elements.span.dispatchEvent(new Event('change', {{bubbles: true}})); }} }})()""")


def press(page, key):
    for kind in ("keyDown", "keyUp"):
        page.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)


def test_series_and_spans_are_chosen_and_the_address_keeps_them(server, page):
    """CO-83: also when the page is loaded again."""
    page.look(1280)
    enter(page, server)
    choose(page, "6h", SERIES)
    shown = "[...document.querySelectorAll('figure')].map(each => each.dataset.series)"
    assert page.evaluate(shown) == list(SERIES)
    page.wait("document.querySelectorAll('figure path.curve').length === 5")
    choose(page, None, ("errors", "delay"))
    assert page.evaluate(shown) == ["errors", "delay"]
    page.call("Page.reload")
    page.wait(f"document.querySelector('figure') !== null && {shown}.join() === 'errors,delay'")
    assert page.evaluate("document.querySelector('[name=span]').value") == "6h"
    page.wait("document.querySelector('figure [role=slider]').getAttribute('aria-valuemax') === '359'")
    choose(page)
    assert "Choose what to show." in page.text() and page.errors == []


def test_a_chart_has_axes(server, page):
    """CO-83: values are round, and times are full minutes or hours."""
    page.look(1280)
    page.call("Emulation.setTimezoneOverride", timezoneId="UTC")
    enter(page, server)
    texts = page.evaluate("[...document.querySelectorAll('figure[data-series=connections] text')].map(each => each.textContent)")
    values, times = [text for text in texts if ":" not in text], [text for text in texts if ":" in text]
    assert values[0] == "0" and len(values) >= 2 and [float(value) for value in values] == sorted(float(value) for value in values)
    # Five minutes have four or five full minutes in them.
    minutes = [int(text[:2]) * 60 + int(text[3:]) for text in times]
    assert 4 <= len(times) <= 6 and {(after - before) % 1440 for before, after in zip(minutes, minutes[1:])} == {1}
    ticks = page.evaluate("""import('/console/charts.js').then(({ valueTicks, timeTicks }) => [
        [[0, 1], [1, 1], [3, 1], [7, 1], [99, 1], [100, 1], [0.003, 0], [0, 0], [1234567, 0]].map(each => valueTicks(...each)),
        [[0, 300, 5], [30, 330, 20], [0, 3600, 4], [0, 86400, 1], [0, 86400, 12]].map(each => timeTicks(...each).length)])""")
    assert ticks[0][:6] == [[0, 1], [0, 1], [0, 1, 2, 3], [0, 2, 4, 6, 8], [0, 50, 100], [0, 50, 100]]
    assert ticks[0][6][-1] == 0.003 and ticks[0][7] == [0, 0.5] and ticks[0][8][-1] >= 1234567
    assert ticks[1] == [6, 5, 4, 2, 13]


def test_the_value_at_the_pointer(server, page):
    """CO-83: in all charts at once, until the pointer leaves them."""
    page.look(1280)
    enter(page, server)
    assert page.evaluate(READINGS) == ["", ""]
    box = page.evaluate("(({left, top, width, height}) => [left, top, width, height])(document.querySelector('.plot').getBoundingClientRect())")
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + box[2] - 14, y=box[1] + 60)
    page.wait(f"{READINGS}.every(each => /^\\d\\d:\\d\\d:\\d\\d: (unknown|\\d)/.test(each))", "a value with its time")
    assert page.evaluate("document.querySelectorAll('.mark line').length") == 2
    # It is a moment of the past, and stays the same while time goes on.
    moment = page.evaluate(READINGS)[0][:8]
    latest = "document.querySelector('.plot').getAttribute('aria-valuenow')"
    place = int(page.evaluate(latest))
    page.wait(f"Number({latest}) < {place}", "a chart that goes on")
    assert abs(int(page.evaluate(READINGS)[0][6:8]) - int(moment[6:8])) in (0, 1, 59)
    page.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
    page.wait(f"{READINGS}.every(each => each === '')")
    assert page.errors == []


def test_the_value_by_the_keys(server, page):
    """CO-83: as the value of a slider, and what has the focus keeps it."""
    page.look(1280)
    enter(page, server)
    choose(page, "24h", ("connections", "delay"))
    page.wait("document.querySelector('.plot').getAttribute('aria-valuemax') === '287'")
    press(page, "Tab")
    page.evaluate("document.querySelector('.plot').focus()")
    now = "[document.activeElement.getAttribute('role'), document.activeElement.getAttribute('aria-valuenow')]"
    assert page.evaluate(now) == ["slider", "287"]
    for key, place in (("ArrowLeft", "286"), ("PageDown", "276"), ("ArrowRight", "277"), ("Home", "0"), ("ArrowLeft", "0"), ("PageUp", "10"), ("End", "287"),
                       ("ArrowRight", "287"), ("ArrowDown", "286"), ("Home", "0")):
        press(page, key)
        assert page.evaluate(now) == ["slider", place], key
    text = page.evaluate("document.activeElement.getAttribute('aria-valuetext')")
    assert page.evaluate(READINGS)[0] == text and " to " in text and text.rsplit(": ", 1)[1] == "unknown"
    press(page, "Escape")
    assert page.evaluate(READINGS) == ["", ""]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Connections in the last day; the arrow keys choose a time"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_charts_can_be_read_on_all_screens(server, page, width, dark):
    """CO-84: contrast, and nothing is wider than the page or beyond the picture."""
    page.look(width, 900, dark)
    enter(page, server)
    choose(page, "5m", SERIES)
    page.wait("document.querySelectorAll('figure path.curve').length === 5")
    page.evaluate("document.querySelector('.plot').focus()")
    press(page, "ArrowLeft")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.evaluate("""[...document.querySelectorAll('figure')].every(figure => {
        const room = figure.getBoundingClientRect();
        return [...figure.querySelectorAll('text, path, line, .reading')].every(each => {
            const box = each.getBoundingClientRect();
            return box.left >= room.left - 1 && box.right <= room.right + 1 && box.bottom <= room.bottom + 1;
        });
    })""")
    contrasts = page.evaluate("""(() => {
        const parts = (color) => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
        const light = (color) => parts(color).map(each => each / 255).map(each => each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4)
            .reduce((sum, each, index) => sum + each * [0.2126, 0.7152, 0.0722][index], 0);
        const ground = light(getComputedStyle(document.querySelector('.panel:has(figure)')).backgroundColor);
        const contrast = (selector, property) => {
            const one = light(getComputedStyle(document.querySelector(selector))[property]);
            return (Math.max(one, ground) + 0.05) / (Math.min(one, ground) + 0.05);
        };
        return { text: contrast('.chart text', 'fill'), reading: contrast('.reading', 'color'), summary: contrast('figcaption .soft', 'color'),
            curve: contrast('.chart .curve', 'stroke'), axis: contrast('.chart .axis', 'stroke'), mark: contrast('.mark line', 'stroke') };
    })()""")
    assert all(contrasts[name] >= 4.5 for name in ("text", "reading", "summary")) and all(value >= 3 for value in contrasts.values()), contrasts
    assert page.errors == []
