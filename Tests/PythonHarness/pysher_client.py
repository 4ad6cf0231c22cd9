"""PyPI `pysher` for tests that must not miss an event."""

import threading


def subscribed(client, name):
    """Subscribes and waits for the confirmation; returns the channel and the list that its events go to.

    pysher lets nobody bind before it has asked, when the answer may be there already: so this listens one step before it.
    """
    confirmed, events = threading.Event(), []
    original = client.connection.event_handler
    told = {"tick", "client-hello", "pusher:cache_miss", "pusher_internal:member_added", "pusher_internal:member_removed"}

    def hear(event, data, channel):
        if channel == name and event == "pusher_internal:subscription_succeeded":
            confirmed.set()
        elif channel == name and event in told:
            events.append((event, data))
        original(event, data, channel)

    client.connection.event_handler = hear
    channel = client.subscribe(name)
    assert confirmed.wait(30), name
    return channel, events
