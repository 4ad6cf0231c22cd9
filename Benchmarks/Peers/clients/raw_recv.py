"""Receives with PyPI's picows or websockets, and decodes both levels of JSON. Usage: raw_recv.py PORT CHANNEL picows|picows-count|websockets

picows-count decodes nothing: it counts frames.
"""

import asyncio
import json
import sys

from measure import Measurement

port, channel, library = int(sys.argv[1]), sys.argv[2], sys.argv[3]
URL = f"ws://127.0.0.1:{port}/app/key?protocol=7"
SUBSCRIBE = json.dumps({"event": "pusher:subscribe", "data": {"channel": channel}})
measurement = Measurement(f"py-{library}", channel)


def is_last(text):
    """Counts a message; True for the one that says that there are no more."""
    event = json.loads(text)
    if event["event"] == "end":
        return True
    data = json.loads(event["data"])
    measurement.take(data["i"], data["t"])
    return False


def is_greeting(text):
    """Whether a message before the subscription is the server's greeting; otherwise it confirms the subscription."""
    if json.loads(text)["event"] == "pusher:connection_established":
        return True
    measurement.begin()
    return False


async def with_picows():
    import picows

    decodes = library == "picows"

    class Listener(picows.WSListener):
        def on_ws_frame(self, transport, frame):
            if frame.msg_type != picows.WSMsgType.TEXT:
                return
            body = frame.get_payload_as_bytes()
            if measurement.start is None:
                if is_greeting(body):
                    transport.send(picows.WSMsgType.TEXT, SUBSCRIBE.encode())
            elif is_last(body) if decodes else body.startswith(b'{"event":"end"'):
                measurement.report()
                transport.disconnect()
            elif not decodes:
                measurement.count += 1

    transport, _ = await picows.ws_connect(Listener, URL)
    await asyncio.wait_for(transport.wait_disconnected(), 120)


async def with_websockets():
    import websockets

    async with websockets.connect(URL, compression=None, max_queue=1024) as link:
        async for text in link:
            if measurement.start is None:
                if is_greeting(text):
                    await link.send(SUBSCRIBE)
            elif is_last(text):
                return measurement.report()


asyncio.run(with_picows() if library.startswith("picows") else with_websockets())
