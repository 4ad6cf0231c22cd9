"""Fixtures that end what they started."""

import pytest
from chat_client import ChatSession, ServerAPI
from lifeline_harness import Listener, Proxy, Server
from pusher_client import PusherSocket


@pytest.fixture
def started():
    """Start programs through this; they are ended afterwards, whatever happens."""
    programs, problems = [], []

    def start(kind, *arguments, **options):
        program = kind(*arguments, **options)
        programs.append(program)
        return program

    yield start
    for program in reversed(programs):
        try:
            program.kill()
        except Exception as problem:  # The others are to be ended all the same.
            problems.append(problem)
    if problems:
        raise problems[0]


@pytest.fixture
def server(started):
    return started(Server)


@pytest.fixture
def proxies(started):
    """Start fault proxies through this, each before a port."""
    return lambda port: started(Proxy, port)


@pytest.fixture
def proxied(started, server, proxies):
    """Server, fault proxy before it, and a way to start listeners through the proxy."""
    proxy = proxies(server.port)

    def listen(*options, **named):
        return started(Listener, proxy.url, *options, **named)

    return server, proxy, listen


@pytest.fixture
def connect(server, started):
    """Make connections of the Pusher protocol through this; to another server with `port`."""
    def make(**options):
        return started(PusherSocket, options.pop("port", server.port), **options)

    return make


@pytest.fixture
def api(server):
    """The server API of the chat application."""
    api = ServerAPI(server.port)
    yield api
    api.close()


@pytest.fixture
def online(server, api):
    """Connects a chat user, who is disconnected afterwards."""
    sessions = []

    def connect(user, **options):
        session = ChatSession(server.port, api.token(user), **options)
        sessions.append(session)
        session.connect()
        session.wait(lambda: session.caught_up, what="the end of the packages")
        return session

    yield connect
    for session in sessions:
        session.drop()
