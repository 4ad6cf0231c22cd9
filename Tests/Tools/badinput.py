#!/usr/bin/env python3
"""A hostile server for clients. Needs Python 3.9 or later and nothing else; listens on loopback.

  badinput.py list [ws|http]     the named cases, a JSON object a line: kind, id, want, bytes, and the first 64 bytes as hex
  badinput.py ws PORT            a WebSocket server that speaks the Pusher protocol; connection number i gets case i, from the first one again
                                 after the last
  badinput.py http PORT          an HTTP server that answers PubNub's subscribe; request number i gets case i

Options of ws and http: --out FILE (JSON lines of what the client did: {"case", "want", "did": "close:1002|eof|pong|silent|sent", "ms"};
without it, standard output), --mut N --seed S (N more cases: mutations of valid traffic, drawn by the seed).

The cases and what a client has to do are in hostile_websocket.py and hostile_http.py. Besides, a client must never crash, spin or leak.
"""

import argparse
import asyncio
import base64
import contextlib
import hashlib
import json
import random
import struct
import sys
import time

import hostile_http
import hostile_websocket
from hostile_websocket import event, frame

KINDS = {"ws": hostile_websocket.CASES, "http": hostile_http.CASES}
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# Seconds within which a client has to answer, or to take what it is sent.
PATIENCE, DRAIN = 2, 5
# What a case may be long to be mutated, in bytes.
SMALL = 4096


def mutated(raw, chance):
    """Valid bytes with one to six changes."""
    raw = bytearray(raw[:SMALL])
    for _ in range(chance.randint(1, 6)):
        if not raw:
            break
        kind, place = chance.randrange(5), chance.randrange(len(raw))
        if kind == 0:
            raw[place] ^= 1 << chance.randrange(8)
        elif kind == 1:
            raw[place] = chance.choice(b'\x00\xff\x7f\x80"{}[],:\\')
        elif kind == 2:
            del raw[place:place + chance.randint(1, 8)]
        elif kind == 3:
            raw[place:place] = bytes(chance.randrange(256) for _ in range(chance.randint(1, 8)))
        else:
            raw[place:place] = raw[max(0, place - chance.randint(1, 64)):place] * chance.randint(1, 4)
    return bytes(raw)


def cases(kind, mutations, seed):
    valid = hostile_websocket.EVENT if kind == "ws" else hostile_http.answer(200, hostile_http.GOOD)
    sources = [raw for _, _, raw in KINDS[kind] if len(raw) < SMALL] + [valid] * 20
    chance = random.Random(seed)
    return KINDS[kind] + [(f"mut-{seed}-{number}", "any", mutated(chance.choice(sources), chance)) for number in range(mutations)]


async def read_frame(reader):
    """Opcode and payload of a client's frame."""
    head = await reader.readexactly(2)
    length = head[1] & 127
    if length == 126:
        length = struct.unpack(">H", await reader.readexactly(2))[0]
    elif length == 127:
        length = struct.unpack(">Q", await reader.readexactly(8))[0]
    mask = await reader.readexactly(4) if head[1] & 128 else bytes(4)
    payload = await reader.readexactly(min(length, 1 << 20))
    return head[0] & 15, bytes(byte ^ mask[place & 3] for place, byte in enumerate(payload))


class HostileServer:
    def __init__(self, kind, hostile, log_file):
        self.kind, self.cases, self.log_file, self.connections = kind, hostile, log_file, 0

    async def serve(self, reader, writer):
        try:
            request = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 10)).decode("latin1")
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.close()
            return
        name, want, raw = self.cases[self.connections % len(self.cases)]
        self.connections += 1
        start, did = time.monotonic(), "silent"
        try:
            if self.kind == "ws":
                did = await self.websocket(name, raw, request, reader, writer)
            else:
                writer.write(raw)
                await asyncio.wait_for(writer.drain(), DRAIN)
                did = "sent"
        except (asyncio.IncompleteReadError, ConnectionError):
            did = "eof"
        except asyncio.TimeoutError:
            did = "silent"
        finally:
            line = {"case": name, "want": want, "did": did, "ms": round((time.monotonic() - start) * 1000)}
            self.log_file.write(json.dumps(line) + "\n")
            self.log_file.flush()
            writer.close()

    async def websocket(self, name, raw, request, reader, writer):
        """Opens the session, sends the case and a ping, and returns what the client did."""
        lines = [line.partition(":") for line in request.split("\r\n")]
        key = next((value.strip() for field, _, value in lines if field.lower() == "sec-websocket-key"), "")
        accept = base64.b64encode(hashlib.sha1((key + GUID).encode()).digest()).decode()
        head = f"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
        hello = event("pusher:connection_established", {"socket_id": f"{self.connections}.1", "activity_timeout": 120})
        writer.write(head.encode() + hello)
        await writer.drain()
        await asyncio.sleep(0.02)
        writer.write(raw)
        with contextlib.suppress(ConnectionError, asyncio.TimeoutError):
            await asyncio.wait_for(writer.drain(), DRAIN)
        if "then-fin" in name:
            writer.write_eof()
        else:
            await asyncio.sleep(0.05)
            writer.write(frame(9, b"probe"))
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            opcode, payload = await asyncio.wait_for(read_frame(reader), max(0.01, end - time.monotonic()))
            if opcode == 8:
                return f"close:{struct.unpack('>H', payload[:2])[0] if len(payload) > 1 else 1005}"
            if opcode == 10 and payload == b"probe":
                return "pong"
        return "silent"


async def serve(options):
    hostile = cases(options.command, options.mut, options.seed)
    with open(options.out, "a") if options.out else contextlib.nullcontext(sys.stdout) as log_file:
        server = HostileServer(options.command, hostile, log_file)
        listener = await asyncio.start_server(server.serve, "127.0.0.1", options.port, limit=1 << 22)
        print(f"{len(hostile)} {options.command} cases on 127.0.0.1:{options.port}", file=sys.stderr, flush=True)
        await listener.serve_forever()


def show(kinds):
    for kind in kinds:
        for name, want, raw in KINDS[kind]:
            print(json.dumps({"kind": kind, "id": name, "want": want, "bytes": len(raw), "hex": raw[:64].hex()}))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list").add_argument("kind", nargs="?", choices=list(KINDS))
    for kind in KINDS:
        command = commands.add_parser(kind)
        command.add_argument("port", type=int)
        command.add_argument("--out", default="")
        command.add_argument("--mut", type=int, default=0)
        command.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    if options.command == "list":
        return show([options.kind] if options.kind else list(KINDS))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options))


if __name__ == "__main__":
    main()
