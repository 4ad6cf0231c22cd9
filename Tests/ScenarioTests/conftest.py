from cluster_fixtures import cluster, clusters, watch  # noqa: F401
from pytest_fixtures import proxied, proxies, server, started  # noqa: F401
