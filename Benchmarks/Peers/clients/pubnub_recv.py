"""Receives with PyPI's pubnub. Usage: pubnub_recv.py PORT CHANNEL native|asyncio     (CHANNEL: feed-N-BATCH, as PollFeeder has it)"""

import asyncio
import os
import sys
import time

from measure import Measurement
from pubnub.callbacks import SubscribeCallback
from pubnub.pnconfiguration import PNConfiguration

port, channel, mode = int(sys.argv[1]), sys.argv[2], sys.argv[3]
wanted = int(channel.split("-")[1])
measurement = Measurement(f"pubnub-py-{mode}", channel)


class Listener(SubscribeCallback):
    def status(self, pubnub, status):
        pass

    def presence(self, pubnub, presence):
        pass

    def message(self, pubnub, message):
        measurement.begin()
        measurement.take(message.message["i"], message.message["t"])
        if measurement.count == wanted:
            measurement.report()
            # Its threads do not end.
            os._exit(0)


def subscribe(kind):
    configuration = PNConfiguration()
    configuration.subscribe_key = configuration.publish_key = "demo"
    configuration.origin, configuration.ssl, configuration.user_id = f"127.0.0.1:{port}", False, "peer"
    configuration.maximum_message_queue_size = None
    client = kind(configuration)
    client.add_listener(Listener())
    client.subscribe().channels(channel).execute()


async def main():
    from pubnub.pubnub_asyncio import PubNubAsyncio
    subscribe(PubNubAsyncio)
    await asyncio.sleep(100)


if mode == "native":
    from pubnub.pubnub import PubNub
    subscribe(PubNub)
    time.sleep(100)
else:
    asyncio.run(main())
print(f"not within 100 s, got {measurement.count}", file=sys.stderr)
os._exit(1)
