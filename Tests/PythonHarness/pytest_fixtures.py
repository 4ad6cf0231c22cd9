"""Fixtures that end what they started."""

import pytest
from lifeline_harness import Listener, Proxy, Server, tools
from pusher_client import PusherSocket


@pytest.fixture
def started():
    """Start programs through this; they are ended afterwards, whatever happens."""
    programs = []

    def start(kind, *arguments, **options):
        program = kind(*arguments, **options)
        programs.append(program)
        return program

    yield start
    for program in reversed(programs):
        program.kill()


@pytest.fixture
def server(started):
    return started(Server)


@pytest.fixture
def proxied(started, server):
    """Server, fault proxy before it, and a way to start listeners through the proxy."""
    if tools() is None:
        pytest.skip("fault proxy and checker not found: set LIFELINE_TOOLS to their folder (see CONTRIBUTING.md)")
    proxy = started(Proxy, server.port)

    def listen(*options, **named):
        return started(Listener, proxy.url, *options, **named)

    return server, proxy, listen


@pytest.fixture
def connect(server):
    """Make connections of the Pusher protocol through this; to another server with `port`."""
    sockets = []

    def make(**options):
        sockets.append(PusherSocket(options.pop("port", server.port), **options))
        return sockets[-1]

    yield make
    for opened in sockets:
        opened.drop()
