"""The files of `deploy/`: their syntax, and that every metric and label in them is told by a server (docs/metrics.md)."""

import ipaddress
import json
import re
from pathlib import Path

import pytest
from cluster_harness import Cluster, redis_program
from lifeline_harness import APP_ID, rest, wait_until
from prometheus_client.parser import text_string_to_metric_families

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
# Families that need a webhook, TLS or a data directory; their names and labels are compared with the documentation instead.
NEEDS_MORE = ("webhook", "certificate", "store_", "history_")
# Labels that Prometheus adds.
ADDED = {"instance", "job", "le"}
FUNCTIONS_OF_PROMETHEUS = {"up"}


def alerts():
    [group] = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"]
    return group["rules"]


def dashboard():
    return json.loads((DEPLOY / "grafana" / "dashboards" / "lifeline.json").read_text())


def expressions():
    found = [rule["expr"] for rule in alerts()]
    for panel in dashboard()["panels"]:
        found += [target["expr"] for target in panel["targets"]]
    return found


def labels(text):
    """Labels that an expression groups by, matches on, or joins on; and those of a legend."""
    names = set()
    for group in re.findall(r"(?:by|on) \(([^)]*)\)", text):
        names |= {name.strip() for name in group.split(",")}
    for selector in re.findall(r"\{([^{}]*)\}", text):
        names |= set(re.findall(r"(\w+)\s*[=!]", selector))
    return names - ADDED


def documented():
    rows = re.findall(r"^\| `(lifeline_\w+)` \| (\w+) \| ([^|]*)\|", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE)
    return {name: (kind, set(re.findall(r"`(\w+)`", names))) for name, kind, names in rows}


def base(name):
    return re.sub(r"_(bucket|sum|count)$", "", name)


def told(text):
    """Names of families and their labels, as a server tells them."""
    found = {}
    for family in text_string_to_metric_families(text):
        name = family.name + ("_total" if family.type == "counter" else "")
        found[name] = {label for sample in family.samples for label in sample.labels} - {"le"}
    return found


def test_metrics_and_labels_are_documented():
    known = documented()
    for expression in expressions():
        names = set(re.findall(r"\blifeline_\w+", expression))
        assert names or "up{" in expression, expression
        allowed = set()
        for name in names:
            assert base(name) in known, f"{name} is not in docs/metrics.md"
            kind, has = known[base(name)]
            assert (base(name) != name) == (kind == "histogram"), f"{name} is a {kind}"
            allowed |= has
        assert labels(expression) <= allowed, f"{expression} has labels {labels(expression) - allowed}"
    for panel in dashboard()["panels"]:
        for target in panel["targets"]:
            shown = set(re.findall(r"{{(\w+)}}", target["legendFormat"])) - ADDED
            allowed = set().union(*(known[base(n)][1] for n in re.findall(r"\blifeline_\w+", target["expr"])))
            assert shown <= allowed, f"{panel['title']} shows {shown - allowed}"


@pytest.mark.skipif(redis_program() is None, reason="needs redis-server")
def test_metrics_and_labels_are_told_by_a_cluster():
    cluster = Cluster(names=("a",), options=("--partitions", "2"))
    try:
        node = cluster.nodes["a"]
        rest(node.port, "POST", f"/apps/{APP_ID}/events", {"name": "e", "channel": "c", "data": "d"})
        used = {base(n) for e in expressions() for n in re.findall(r"\blifeline_\w+", e)}
        used = {name for name in used if not any(word in name for word in NEEDS_MORE)}

        def missing():
            found = told(node.get("/metrics")[1])
            # Counted by code, so there is none before the first.
            return sorted(used - set(found) - {"lifeline_connections_refused_total", "lifeline_connections_closed_total"})

        wait_until(lambda: not missing(), 30, lambda: f"metrics of dashboard and alerts; without {missing()}")
        known, found = documented(), told(node.get("/metrics")[1])
        for name in used & set(found):
            assert found[name] == known[name][1], name
    finally:
        cluster.end()


def test_every_alert_has_its_section_in_the_runbook():
    sections = re.findall(r"^### (\w+)$", (ROOT / "docs" / "metrics.md").read_text(), re.MULTILINE)
    assert [rule["alert"] for rule in alerts()] == sections
    for rule in alerts():
        assert rule["annotations"]["runbook"] == f"docs/metrics.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("warning", "critical") and re.fullmatch(r"\d+[smh]", rule["for"])
        assert rule["expr"].count("(") == rule["expr"].count(")")


def test_compose_files_can_be_read_and_name_what_is_there():
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    services = compose["services"]
    assert {"lifeline", "redis", "node-a", "node-b", "node-c", "prometheus", "grafana", "caddy"} == set(services)
    assert {services[f"node-{n}"]["environment"]["LIFELINE_NODE"] for n in "abc"} == {"a", "b", "c"}
    # The console believes Caddy alone, which is where it says that it is (CO-87).
    [subnet] = compose["networks"]["default"]["ipam"]["config"]
    proxy = services["caddy"]["networks"]["default"]["ipv4_address"]
    admin = services["lifeline"]["environment"]
    assert admin["LIFELINE_ADMIN_TRUST_PROXY"] == proxy and ipaddress.ip_address(proxy) in ipaddress.ip_network(subnet["subnet"])
    assert f"lifeline:{admin['LIFELINE_ADMIN_PORT']}" in services["caddy"]["command"] and not any("6002" in port for port in services["lifeline"]["ports"])
    # Either the one server or the cluster.
    profiles = {name: service.get("profiles", []) for name, service in services.items()}
    assert profiles["lifeline"] == ["single"] and all(profiles[name] == ["cluster"] for name in ("redis", "node-a", "node-b", "node-c"))
    images = {service["image"] for service in services.values()}
    assert all(re.fullmatch(r"[a-z]+(/[a-z]+)?(:v?[\d.]+)?", image) for image in images), f"an image of a certain host: {images}"
    for service in services.values():
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            assert (DEPLOY / source).exists() if source.startswith(".") else source in compose["volumes"]
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
    prometheus = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text())
    assert all((DEPLOY / "prometheus" / name).exists() for name in prometheus["rule_files"])
    [scrape] = prometheus["scrape_configs"]
    assert scrape["job_name"] == "lifeline" and set(scrape["dns_sd_configs"][0]["names"]) <= set(services)
    for path in (DEPLOY / "grafana" / "provisioning").rglob("*.yaml"):
        assert yaml.safe_load(path.read_text())["apiVersion"] == 1


def test_the_image_runs_as_a_user_of_its_own_and_is_looked_after():
    lines = (DEPLOY / "Containerfile").read_text().replace("\\\n", " ").splitlines()
    words = [line.split()[0] for line in lines if line and not line.startswith("#")]
    assert set(words) <= {"FROM", "RUN", "WORKDIR", "COPY", "USER", "ENV", "EXPOSE", "VOLUME", "HEALTHCHECK", "STOPSIGNAL", "ENTRYPOINT", "CMD"}
    assert words.count("FROM") == 1 and words.index("USER") < words.index("ENTRYPOINT") and "HEALTHCHECK" in words
    for line in lines:
        if line.startswith(("ENTRYPOINT", "CMD")):
            assert json.loads(line.split(" ", 1)[1])
    [base] = [line.split()[1] for line in lines if line.startswith("FROM")]
    assert re.fullmatch(r"debian:\w+-slim", base)
    # It is the package of `make dist` that is installed, with the user that the package makes.
    assert any(line.startswith("COPY build/dist/lifeline_*.deb") for line in lines) and "USER lifeline" in lines
    assert "useradd" in (DEPLOY / "package" / "postinst").read_text()
