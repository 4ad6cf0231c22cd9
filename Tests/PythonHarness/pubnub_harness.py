"""PyPI `pubnub` with each of its three subscription managers behind one face, and plain requests as the protocol has them."""

import asyncio
import json
import threading
import urllib.error
import urllib.parse
import urllib.request

from lifeline_harness import wait_until
from pubnub.callbacks import SubscribeCallback
from pubnub.enums import PNStatusCategory
from pubnub.pnconfiguration import PNConfiguration
from pubnub.pubnub import PubNub
from pubnub.pubnub_asyncio import AsyncioSubscriptionManager, EventEngineSubscriptionManager, PubNubAsyncio

MANAGERS = ["native", "asyncio", "event-engine"]
PUBLISH_KEY, SUBSCRIBE_KEY, SECRET_KEY = "demo", "demo", "demo-secret"


def configuration(port, user, **settings):
    config = PNConfiguration()
    config.publish_key, config.subscribe_key = PUBLISH_KEY, SUBSCRIBE_KEY
    config.origin, config.ssl, config.user_id = f"127.0.0.1:{port}", False, user
    config.daemon = True
    for name, value in settings.items():
        setattr(config, name, value)
    return config


class _Listener(SubscribeCallback):
    def __init__(self, owner):
        self.owner = owner

    def status(self, pubnub, status):
        self.owner.statuses.append(status)

    def message(self, pubnub, message):
        self.owner.messages.append(message)

    def presence(self, pubnub, presence):
        self.owner.presences.append(presence)

    def signal(self, pubnub, signal):
        self.owner.signals.append(signal)

    def message_action(self, pubnub, action):
        self.owner.actions.append(action)

    def uuid(self, pubnub, uuid):
        self.owner.objects.append(("uuid", uuid))

    def channel(self, pubnub, channel):
        self.owner.objects.append(("channel", channel))

    def membership(self, pubnub, membership):
        self.owner.objects.append(("membership", membership))


class Client:
    """A subscriber and caller. The asyncio managers run on an event loop of their own thread."""

    def __init__(self, manager, port, user, **settings):
        self.statuses, self.messages, self.presences, self.signals, self.actions = [], [], [], [], []
        # App Context: what an event is of, and the event.
        self.objects = []
        config = configuration(port, user, **settings)
        self.loop = None
        if manager == "native":
            self.pubnub = PubNub(config)
        else:
            self.loop = asyncio.new_event_loop()
            threading.Thread(target=self.loop.run_forever, daemon=True).start()
            kind = AsyncioSubscriptionManager if manager == "asyncio" else EventEngineSubscriptionManager

            async def make():
                return PubNubAsyncio(config, subscription_manager=kind)

            self.pubnub = asyncio.run_coroutine_threadsafe(make(), self.loop).result(30)
        self.pubnub.add_listener(_Listener(self))

    def run(self, body):
        """Calls `body(pubnub)` where the client lives, and returns what it gives."""
        if not self.loop:
            return body(self.pubnub)

        async def call():
            return body(self.pubnub)

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(30)

    def result(self, make):
        """Makes one request; `make` gives its builder. Returns the result, or raises what the service refused."""
        if not self.loop:
            return make(self.pubnub).sync().result

        async def call():
            envelope = await make(self.pubnub).future()
            if envelope.is_error():
                raise envelope
            return envelope.result

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(30)

    def subscribe(self, *channels, groups=(), presence=False, timetoken=None):
        seen = len(self.statuses)

        def go(pubnub):
            builder = pubnub.subscribe()
            if channels:
                builder = builder.channels(list(channels))
            if groups:
                builder = builder.channel_groups(list(groups))
            if presence:
                builder = builder.with_presence()
            if timetoken:
                builder = builder.with_timetoken(timetoken)
            builder.execute()

        self.run(go)
        good = (PNStatusCategory.PNConnectedCategory, PNStatusCategory.PNSubscriptionChangedCategory
                if hasattr(PNStatusCategory, "PNSubscriptionChangedCategory") else PNStatusCategory.PNConnectedCategory)
        if seen == 0:
            wait_until(lambda: any(s.category in good for s in self.statuses[seen:]), 30, lambda: f"connected, got {self.categories}")

    def unsubscribe(self, *channels):
        self.run(lambda pubnub: pubnub.unsubscribe().channels(list(channels)).execute())

    @property
    def categories(self):
        return [s.category.name if s.category else None for s in self.statuses]

    def wait(self, kind, count, timeout=30):
        items = getattr(self, kind)
        wait_until(lambda: len(items) >= count, timeout, lambda: f"{count} {kind}, got {len(items)}; statuses {self.categories}")
        return items

    def stop(self):
        if not self.loop:
            self.pubnub.stop()
            return
        asyncio.run_coroutine_threadsafe(self.pubnub.stop(), self.loop).result(30)
        self.loop.call_soon_threadsafe(self.loop.stop)


class Answer:
    def __init__(self, status, headers, text):
        self.status, self.headers, self.text = status, headers, text

    @property
    def json(self):
        return json.loads(self.text)


def ask(port, path, method="GET", body=None, headers=None, timeout=30, **query):
    """One plain request; the path is given percent-encoded."""
    text = urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
    url = f"http://127.0.0.1:{port}{path}" + (("&" if "?" in path else "?") + text if text else "")
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return Answer(answer.status, answer.headers, answer.read().decode())
    except urllib.error.HTTPError as error:
        return Answer(error.code, error.headers, error.read().decode())


def publish(port, channel, message, **query):
    text = urllib.parse.quote(json.dumps(message), safe="")
    name = urllib.parse.quote(channel, safe="")
    return ask(port, f"/publish/{PUBLISH_KEY}/{SUBSCRIBE_KEY}/0/{name}/0/{text}", uuid="p1", **query)


def cursor(port, channels="room", **query):
    query.setdefault("uuid", "u1")
    return ask(port, f"/v2/subscribe/{SUBSCRIBE_KEY}/{channels}/0", tt="0", **query).json["t"]["t"]


def poll(port, tt, channels="room", timeout=30, **query):
    query.setdefault("uuid", "u1")
    return ask(port, f"/v2/subscribe/{SUBSCRIBE_KEY}/{channels}/0", tt=tt, tr="1", timeout=timeout, **query)
