"""What the clients of this folder measure: messages that come in order, the time and processor time from the first to the last, latencies."""

import json
import resource
import time


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


class Measurement:
    """Begins when the client is subscribed. `channel` names what the feeder sends; on `pace-` channels latency counts too."""

    def __init__(self, client, channel):
        self.client, self.is_paced = client, channel.startswith("pace-")
        self.count, self.latencies = 0, []
        self.created = time.monotonic()
        self.start = self.processor = None

    def begin(self):
        if self.start is None:
            self.start, self.processor = time.monotonic(), processor_time()

    def take(self, number, sent):
        """A message: its number, and the nanoseconds of CLOCK_MONOTONIC at which it was sent."""
        if number != self.count:
            raise RuntimeError(f"message {number} came instead of {self.count}")
        if self.is_paced:
            self.latencies.append((time.monotonic_ns() - sent) / 1e6)
        self.count += 1

    def report(self):
        """Prints the line of JSON that recv.sh reads."""
        took, used, latencies = time.monotonic() - self.start, processor_time() - self.processor, sorted(self.latencies)
        quantiles = {f"p{part}_ms": round(latencies[len(latencies) * part // 100], 3) if latencies else None for part in (50, 99)}
        print(json.dumps({
            "client": self.client, "n": self.count, **quantiles, "secs": round(took, 4), "msgs_per_s": round(self.count / took),
            "cpu_us_per_msg": round(used * 1e6 / self.count, 3), "sub_ms": round((self.start - self.created) * 1e3, 2)}), flush=True)
