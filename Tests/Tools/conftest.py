from pytest_fixtures import started  # noqa: F401
