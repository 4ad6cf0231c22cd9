"""The manifests of `deploy/kubernetes`: their syntax and references, and that what they say of the server is true of the program."""

import json
import re
from pathlib import Path

import pytest
from lifeline_harness import Server

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
FILES = ("lifeline.yaml", "autoscaling.yaml")
# What the schemas of Kubernetes ask for at least, of the kinds that are used here.
VERSIONS = {"Secret": "v1", "Service": "v1", "StatefulSet": "apps/v1", "PodDisruptionBudget": "policy/v1", "Ingress": "networking.k8s.io/v1",
            "HorizontalPodAutoscaler": "autoscaling/v2", "ServiceMonitor": "monitoring.coreos.com/v1"}


def documents(*names):
    return [document for name in names or FILES for document in yaml.safe_load_all((FOLDER / name).read_text())]


def only(kind, name=None):
    [found] = [each for each in documents() if each["kind"] == kind and name in (None, each["metadata"]["name"])]
    return found


@pytest.fixture
def container():
    [found] = only("StatefulSet")["spec"]["template"]["spec"]["containers"]
    return found


def variables(container):
    return {each["name"]: each.get("value") for each in container["env"]}


def test_kinds_versions_and_names():
    found = documents()
    assert {each["kind"] for each in found} == set(VERSIONS)
    for each in found:
        assert each["apiVersion"] == VERSIONS[each["kind"]], each["kind"]
        assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", each["metadata"]["name"])
    assert len({(each["kind"], each["metadata"]["name"]) for each in found}) == len(found)


def test_what_is_named_is_there(container):
    spec = only("StatefulSet")["spec"]
    labels = spec["template"]["metadata"]["labels"]
    assert spec["selector"]["matchLabels"].items() <= labels.items()
    for kind in ("Service", "PodDisruptionBudget"):
        for each in documents():
            if each["kind"] == kind:
                selector = each["spec"]["selector"]
                assert selector.get("matchLabels", selector).items() <= labels.items(), each["metadata"]["name"]
    only("Service", spec["serviceName"])
    secret = only("Secret")
    assert {each["valueFrom"]["secretKeyRef"]["key"] for each in container["env"] if "secretKeyRef" in each.get("valueFrom", {})} <= set(
        secret["stringData"])
    volumes = {each["name"] for each in spec["template"]["spec"]["volumes"]}
    assert {each["name"] for each in container["volumeMounts"]} == volumes
    [rule] = only("Ingress")["spec"]["rules"]
    backend = rule["http"]["paths"][0]["backend"]["service"]
    assert backend["port"]["name"] in {port["name"] for port in only("Service", backend["name"])["spec"]["ports"]}
    assert only("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"] == only("StatefulSet")["metadata"]["name"]
    monitored = only("ServiceMonitor")["spec"]
    service = only("Service", "lifeline-nodes")
    assert monitored["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert {each["port"] for each in monitored["endpoints"]} <= {port["name"] for port in service["spec"]["ports"]}


def test_times_fit(container):
    pod = only("StatefulSet")["spec"]["template"]["spec"]
    pause = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    drain = float(variables(container)["LIFELINE_DRAIN_TIMEOUT"])
    # Five seconds for webhooks, and something to spare.
    assert pod["terminationGracePeriodSeconds"] >= pause + drain + 5 + 5
    # The balancer has to notice within the pause.
    ready = container["readinessProbe"]
    annotations = only("Ingress")["metadata"]["annotations"]
    assert int(annotations["nginx.ingress.kubernetes.io/proxy-read-timeout"]) > 280
    assert ready["periodSeconds"] * ready["failureThreshold"] <= 10


def test_the_server_takes_these_settings_and_answers_at_these_paths(container, started, tmp_path):
    config = tmp_path / "lifeline.json"
    config.write_text(only("Secret")["stringData"]["lifeline.json"])
    given = {name: value for name, value in variables(container).items() if value is not None and name not in ("LIFELINE_HOST", "LIFELINE_PORT")}
    documented = (ROOT / "docs" / "operations" / "settings.md").read_text()
    for name in variables(container):
        assert f"`{name}`" in documented, name
    # Without a Redis there is one server, which needs no name.
    server = started(Server, 0, "--config", str(config), env=given)
    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        assert server.get(container[probe]["httpGet"]["path"])[0] == 200, probe
    assert "lifeline_connections_limit" in server.get("/metrics")[1]
    [key] = [app["key"] for app in json.loads(config.read_text())["apps"]]
    assert server.get(f"/apps/1/channels?auth_key={key}")[0] == 401


def test_the_metric_of_the_autoscaler_is_one_of_the_servers():
    [metric] = only("HorizontalPodAutoscaler")["spec"]["metrics"]
    assert f"`{metric['pods']['metric']['name']}`" in (ROOT / "docs" / "metrics.md").read_text()
