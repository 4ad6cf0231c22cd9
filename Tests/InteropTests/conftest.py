from pytest_fixtures import connect, proxied, proxies, server, started  # noqa: F401
