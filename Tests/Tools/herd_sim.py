#!/usr/bin/env python3
"""What policies of reconnecting do to a server that restarts: arithmetic, without sockets.

Usage: herd_sim.py [CLIENTS]     (default 1000)

All clients lose their connection at 0; the server refuses for some seconds, then accepts everything. The policies are those of published
clients, read in their sources or specifications, and this package's own (docs/rules/socket.md).
"""

import random
import sys

CHANCE = random.Random(7)


def ably(attempt):
    """RTN15: the first attempt at once, then RTB1."""
    return 0 if attempt == 0 else 15 * min((attempt + 2) / 3, 2) * CHANCE.uniform(0.8, 1)


def lifeline(attempt):
    return CHANCE.uniform(0, 5) if attempt == 0 else CHANCE.uniform(0.5, min(30, 2 ** (min(attempt, 31) + 1)))


# The pause before an attempt, in seconds; the first attempt is 0.
POLICIES = {
    "PusherSwift 10: n*n, no jitter": lambda attempt: min(attempt * attempt, 120),
    "pusher-js 8: constant 1 s": lambda attempt: 1.0,
    "Pusher 4200-4299: at once": lambda attempt: 0 if attempt == 0 else 1.0,
    "nats.swift 0.x: constant 2 s": lambda attempt: 2.0,
    "NATS guide: 2 s + U(0,0.1)": lambda attempt: 2 + CHANCE.uniform(0, 0.1),
    "PubNub Swift exponential: 2*2^n + U(0,1)": lambda attempt: min(150, 2 * 2 ** attempt) + CHANCE.uniform(0, 1),
    "PubNub Swift linear: 3 + U(0,1)": lambda attempt: 3 + CHANCE.uniform(0, 1),
    "Ably RTB1": ably,
    "Centrifuge: full jitter to 20 s": lambda attempt: min(20, 0.5 + CHANCE.uniform(0, min(20, 0.5 * 2 ** min(attempt, 31)))),
    "AWS full jitter: U(0,min(30,2^n))": lambda attempt: CHANCE.uniform(0, min(30, 2 ** attempt)),
    "Lifeline: U(0,5), then U(0.5,min(30,2^(n+1)))": lifeline,
}


def peak(times, window):
    """The most of these times within a window of so many seconds."""
    times, first, best = sorted(times), 0, 0
    for place, time in enumerate(times):
        while time - times[first] > window:
            first += 1
        best = max(best, place - first + 1)
    return best


def simulate(policy, clients, down):
    """The times of all attempts, and those at which clients were connected."""
    attempts, connected = [], []
    for _ in range(clients):
        time, attempt = CHANCE.gauss(0, 0.005) ** 2, 0
        while True:
            time += max(policy(attempt), 0.002)
            attempts.append(time)
            if time >= down:
                connected.append(time)
                break
            attempt += 1
    return attempts, sorted(connected)


def main():
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return
    clients = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    for down in (0.0, 5.0, 30.0):
        print(f"\n{clients} clients, server down {down:g} s")
        print(f"{'policy':46s} attempts  peak/100ms  peak/1s  peak/1s after up    50%    99%  last connected (s)")
        for name, policy in POLICIES.items():
            attempts, connected = simulate(policy, clients, down)
            after = peak([time for time in attempts if time >= down], 1)
            print(
                f"{name:46s} {len(attempts):7d} {peak(attempts, 0.1):11d} {peak(attempts, 1):8d} {after:17d} "
                f"{connected[clients // 2]:6.1f} {connected[int(clients * 0.99) - 1]:6.1f} {connected[-1]:6.1f}")


if __name__ == "__main__":
    main()
