from pytest_fixtures import connect, proxied, server, started  # noqa: F401
