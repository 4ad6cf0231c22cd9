from pytest_fixtures import proxied, server, started  # noqa: F401
