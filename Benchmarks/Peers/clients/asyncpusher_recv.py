"""Receives with PyPI's asyncpusher. Usage: asyncpusher_recv.py PORT CHANNEL"""

import asyncio
import json
import logging
import sys

from asyncpusher import Pusher
from measure import Measurement


async def main(port, channel):
    measurement, done = Measurement("asyncpusher", channel), asyncio.get_running_loop().create_future()
    log = logging.getLogger("asyncpusher")
    log.setLevel(logging.CRITICAL)
    client = Pusher("key", custom_host="127.0.0.1", custom_port=port, secure=False, log=log, auto_sub=True)
    await client.connect()
    subscribed = await client.subscribe(channel)

    async def begin(*_):
        measurement.begin()

    async def tick(data):
        data = json.loads(data) if isinstance(data, str) else data
        measurement.begin()
        measurement.take(data["i"], data["t"])

    async def end(*_):
        measurement.report()
        done.set_result(None)

    subscribed.bind("pusher_internal:subscription_succeeded", begin)
    subscribed.bind("tick", tick)
    subscribed.bind("end", end)
    await asyncio.wait_for(done, 120)


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
