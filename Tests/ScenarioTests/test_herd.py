"""Many clients while a server stops or is replaced, on real sockets (rules SV-37 to SV-39)."""

import asyncio
import signal
import time

import pytest
from lifeline_harness import Server

pytestmark = pytest.mark.alone
COUNT = 150


async def pusher(port):
    """A connection that has been greeted."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(
        b"GET /app/app-key?protocol=7 HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
    await reader.readuntil(b"pusher:connection_established")
    await reader.readuntil(b"}")
    return reader, writer


async def farewell(reader, writer):
    """Waits for the farewell, answers its close frame, and gives the code and when it came."""
    text = await reader.readuntil(b'"message"')
    at = time.monotonic()
    writer.write(b"\x88\x80\0\0\0\0")
    await writer.drain()
    await reader.read()
    writer.close()
    return int(text.split(b'"code":')[1].split(b",")[0]), at


async def ask(reader, writer, target):
    writer.write(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    return head, await reader.readexactly(length)


async def polling(port, user):
    """A connection on which a poll is held, and the poll's answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    _, body = await ask(reader, writer, f"/v2/subscribe/demo/room/0?tt=0&uuid={user}")
    cursor = body.split(b'"t":"')[1].split(b'"')[0].decode()
    return asyncio.create_task(answered(reader, writer, f"/v2/subscribe/demo/room/0?tt={cursor}&uuid={user}"))


async def answered(reader, writer, target):
    head, _ = await ask(reader, writer, target)
    writer.close()
    return head, time.monotonic()


def peak(moments, window):
    moments = sorted(moments)
    return max(sum(1 for other in moments if moment <= other <= moment + window) for moment in moments)


def test_a_stop_tells_clients_one_after_the_other(started):
    server = started(Server)

    async def scenario():
        links = [await pusher(server.port) for _ in range(COUNT)]
        polls = [await polling(server.port, f"u{number}") for number in range(COUNT)]
        ends = [asyncio.create_task(farewell(*link)) for link in links]
        await asyncio.sleep(0)
        server.process.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(asyncio.gather(*ends), 30), await asyncio.wait_for(asyncio.gather(*polls), 30)

    told, answers = asyncio.run(scenario())
    assert {code for code, _ in told} == {4100}
    assert all(head.startswith(b"HTTP/1.1 200") for head, _ in answers)
    for moments in ([at for _, at in told], [at for _, at in answers]):
        # 37 a second; the rest is for a busy machine. All at once would be 150.
        assert max(moments) - min(moments) > 2
        assert peak(moments, 0.1) <= 45 and peak(moments, 1) <= 100
    assert server.end() == 0


def test_a_server_that_is_replaced_refuses_nobody(started):
    old = started(Server, 0, "--reuse-port")
    new = started(Server, old.port, "--reuse-port")

    async def back(link):
        code, _ = await farewell(*link)
        again = await pusher(old.port)
        again[1].close()
        return code

    async def scenario():
        # The system gives each of the two servers some of them.
        links = [await pusher(old.port) for _ in range(40)]
        waiting = [asyncio.create_task(back(link)) for link in links]
        await asyncio.sleep(0)
        old.process.send_signal(signal.SIGTERM)
        done, still = await asyncio.wait(waiting, timeout=6)
        for task in still:
            task.cancel()
        return [task.result() for task in done]

    codes = asyncio.run(scenario())
    assert codes and set(codes) == {4200}
    assert old.end() == 0
    assert new.process.poll() is None
    assert new.end() == 0
