from pytest_fixtures import api, connect, online, proxied, proxies, server, started  # noqa: F401
