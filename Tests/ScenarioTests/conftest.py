from pytest_fixtures import proxied, proxies, server, started  # noqa: F401
