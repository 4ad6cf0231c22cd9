"""Receives with PyPI's pysher. Usage: pysher_recv.py PORT CHANNEL"""

import json
import logging
import os
import sys
import threading

import pysher
from measure import Measurement

port, channel = int(sys.argv[1]), sys.argv[2]
measurement, done = Measurement("pysher", channel), threading.Event()
client = pysher.Pusher("key", custom_host="127.0.0.1", port=port, secure=False, log_level=logging.CRITICAL, auto_sub=True)


def tick(data):
    data = json.loads(data)
    measurement.take(data["i"], data["t"])


def end(_):
    measurement.report()
    done.set()


def connected(_):
    subscribed = client.subscribe(channel)
    subscribed.bind("pusher_internal:subscription_succeeded", lambda _: measurement.begin())
    subscribed.bind("tick", tick)
    subscribed.bind("end", end)


client.connection.bind("pusher:connection_established", connected)
client.connect()
if not done.wait(120):
    print(f"not within 120 s, got {measurement.count}", file=sys.stderr)
# Its threads do not end.
os._exit(0 if done.is_set() else 1)
