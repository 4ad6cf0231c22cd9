"""The chart of `deploy/helm/lifeline`, rendered by Helm's own engine, against the plain manifests and the schemas of Kubernetes (rules SO-121 and SO-122)."""

import json
import re
from pathlib import Path

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
# Helm 4 as a library, which PyPI has for some platforms only; and the schemas of Kubernetes.
helm = pytest.importorskip("helm_python", reason="helm-python-sdk is not installed")
kubernetes_validate = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")

ROOT = Path(__file__).parents[2]
CHART = ROOT / "deploy" / "helm" / "lifeline"
PLAIN = ROOT / "deploy" / "kubernetes"
# The oldest version that the chart asks for, and the newest whose schemas there are.
VERSIONS = ("1.25.0", "1.37.0")
# Of the Prometheus operator: its schema is not among those of Kubernetes.
FOREIGN = {"ServiceMonitor"}
APPLICATION = {"apps": [{"id": "1", "key": "k", "secret": "a-secret"}]}


def documents(text):
    return [document for document in yaml.safe_load_all(text) if document]


def plain():
    return [document for name in ("lifeline.yaml", "autoscaling.yaml") for document in documents((PLAIN / name).read_text())]


def render(**values):
    with helm.Chart.load(str(CHART)) as chart:
        files = chart.render(values, name="lifeline", namespace="realtime")
    return [document for name, text in sorted(files.items()) if name.endswith(".yaml") for document in documents(text)]


def of(found, kind, name="lifeline"):
    [document] = [each for each in found if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return document


# What the plain manifests have, as values of the chart.
FULL = {
    "image": {"repository": "registry.example/lifeline"}, "redis": of(plain(), "Secret")["stringData"]["redis"],
    "configuration": json.loads(of(plain(), "Secret")["stringData"]["lifeline.json"]),
    "ingress": {"enabled": True, "host": "realtime.example.com", "tlsSecret": "realtime-example-com"},
    "autoscaling": {"enabled": True}, "monitoring": {"enabled": True}}
SMALL = {"image": {"repository": "lifeline"}, "replicas": 1, "configuration": APPLICATION}
OTHER = {
    "image": {"repository": "lifeline", "tag": "x", "pullSecrets": [{"name": "pull"}]}, "existingSecret": "mine", "podAnnotations": {"a": "b"},
    "env": [{"name": "LIFELINE_LOG_LEVEL", "value": "info"}], "nodeSelector": {"disk": "fast"}, "tolerations": [{"key": "k", "operator": "Exists"}],
    "service": {"type": "LoadBalancer", "port": 8080, "annotations": {"c": "d"}}, "monitoring": {"enabled": True, "labels": {"release": "prometheus"}},
    "ingress": {"enabled": True, "host": "example.com", "annotations": {}}, "drainTimeout": 90, "pause": 10}


def without_labels(value, secret=False):
    """A document without what the chart has besides: labels of its own, the checksum of the Secret, and what is the default anyway."""
    if isinstance(value, list):
        return [without_labels(each) for each in value]
    if not isinstance(value, dict):
        return value
    value = {key: without_labels(each) for key, each in value.items() if key not in ("labels", "matchLabels")}
    annotations = {key: each for key, each in (value.pop("annotations", None) or {}).items() if key != "checksum/secret"}
    if annotations:
        value["annotations"] = annotations
    if value.get("imagePullPolicy") == "IfNotPresent":
        del value["imagePullPolicy"]
    if value.get("type") == "ClusterIP":
        del value["type"]
    if "lifeline.json" in value:
        value["lifeline.json"] = json.loads(value["lifeline.json"])
    if set(value) <= {"app.kubernetes.io/name", "app.kubernetes.io/instance"}:
        return {}
    return {key: each for key, each in value.items() if each != {} or key == "emptyDir"}


def test_the_chart_gives_the_plain_manifests():
    """SO-121: what is checked of one (test_kubernetes.py) is true of the other."""
    rendered = {(each["kind"], each["metadata"]["name"]): without_labels(each) for each in render(**FULL)}
    expected = {(each["kind"], each["metadata"]["name"]): without_labels(each) for each in plain()}
    # The autoscaler chooses how many there are.
    assert expected[("StatefulSet", "lifeline")]["spec"].pop("replicas") == 3
    assert rendered == expected
    assert of(render(**{**FULL, "autoscaling": {}}), "StatefulSet")["spec"]["replicas"] == 3


@pytest.mark.parametrize("values", [FULL, SMALL, OTHER], ids=["full", "small", "other"])
@pytest.mark.parametrize("version", VERSIONS)
def test_manifests_have_the_form_that_kubernetes_wants(values, version):
    """SO-121: by the schemas of Kubernetes, in which nothing is allowed that they do not name."""
    found = render(**values)
    assert len(found) >= 4
    for each in found:
        if each["kind"] not in FOREIGN:
            assert kubernetes_validate.validate(each, version, strict=True) == version.removesuffix(".0")


@pytest.mark.parametrize("version", VERSIONS)
def test_the_plain_manifests_have_it_too(version):
    for each in plain():
        if each["kind"] not in FOREIGN:
            assert kubernetes_validate.validate(each, version, strict=True) == version.removesuffix(".0")


@pytest.mark.parametrize("values", [FULL, SMALL, OTHER], ids=["full", "small", "other"])
def test_labels_find_what_they_are_to_find(values):
    """SO-121: services, the disruption budget, the spread and the monitor select the servers of their own release."""
    found = render(**values)
    stateful = of(found, "StatefulSet")
    labels = stateful["spec"]["template"]["metadata"]["labels"]
    spread = stateful["spec"]["template"]["spec"]["topologySpreadConstraints"][0]["labelSelector"]["matchLabels"]
    selectors = [stateful["spec"]["selector"]["matchLabels"], spread, of(found, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"]]
    selectors += [of(found, "Service", name)["spec"]["selector"] for name in ("lifeline", "lifeline-nodes")]
    assert all(selector == {"app.kubernetes.io/name": "lifeline", "app.kubernetes.io/instance": "lifeline"} for selector in selectors)
    assert selectors[0].items() <= labels.items()
    assert stateful["spec"]["serviceName"] == of(found, "Service", "lifeline-nodes")["metadata"]["name"]
    for monitor in (each for each in found if each["kind"] == "ServiceMonitor"):
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        services = [each for each in found if each["kind"] == "Service" and wanted <= each["metadata"]["labels"].items()]
        assert [each["metadata"]["name"] for each in services] == ["lifeline-nodes"]


def test_settings_reach_the_servers():
    """SO-121: one server has no Redis and needs no secret of it; a Secret of one's own takes the place of the chart's; times go together."""
    small, other = render(**SMALL), render(**OTHER)
    def variables(found):
        [container] = of(found, "StatefulSet")["spec"]["template"]["spec"]["containers"]
        return {each["name"]: each.get("value", each.get("valueFrom")) for each in container["env"]}

    assert not {"LIFELINE_REDIS", "LIFELINE_NODE", "LIFELINE_DRAIN_CODE"} & set(variables(small))
    assert json.loads(of(small, "Secret")["stringData"]["lifeline.json"]) == APPLICATION and "redis" not in of(small, "Secret")["stringData"]
    assert [each for each in other if each["kind"] == "Secret"] == []
    assert variables(other)["LIFELINE_REDIS"] == {"secretKeyRef": {"name": "mine", "key": "redis"}} and variables(other)["LIFELINE_LOG_LEVEL"] == "info"
    pod = of(other, "StatefulSet")["spec"]["template"]["spec"]
    assert pod["volumes"][0]["secret"]["secretName"] == "mine"
    assert pod["terminationGracePeriodSeconds"] == 10 + 90 + 25 and variables(other)["LIFELINE_DRAIN_TIMEOUT"] == "90"
    assert pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "10"]
    documented = (ROOT / "docs" / "operations" / "settings.md").read_text()
    assert [name for name in variables(render(**FULL)) if f"`{name}`" not in documented] == []
    # Another Secret is another pod.
    first, second = (of(render(**{**SMALL, "configuration": {**APPLICATION, "logLevel": level}}), "StatefulSet")["spec"]["template"] for level in ("info", "debug"))
    assert first != second


@pytest.mark.parametrize("values,said", [
    ({}, "configuration is empty"),
    ({**SMALL, "replicas": 2}, "Several servers need a Redis"),
    ({**SMALL, "autoscaling": {"enabled": True}}, "Several servers need a Redis"),
    ({**SMALL, "image": {}}, "image.repository is empty"),
    ({**SMALL, "ingress": {"enabled": True}}, "ingress.host is empty"),
    ({**SMALL, "replica": 1}, "replica"),
    ({**SMALL, "drainTimeout": "30s"}, "drainTimeout"),
])
def test_values_that_would_not_work_are_refused(values, said):
    """SO-122: before anything is installed, with what to do; a value that does not exist is none of the chart's."""
    with helm.Chart.load(str(CHART)) as chart, pytest.raises(Exception) as refusal:
        chart.validate_schema(values)
        chart.render(values, name="lifeline", namespace="realtime")
    assert said in str(refusal.value)


def test_the_chart_is_well_kept():
    """Helm's own linter has nothing to say but about an icon; the version is the program's; every value is described by the schema."""
    found = helm.lint(str(CHART), SMALL, strict=True)
    assert [each["error"] for each in found["messages"]] == ["icon is recommended"] and found["errors"] == []
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    [version] = re.findall(r'current = "([^"]+)"', (ROOT / "Sources/WireCoding/PackageVersion.swift").read_text())
    assert chart["appVersion"] == version

    def names(values, path=()):
        for key, value in values.items():
            yield (*path, key)
            if isinstance(value, dict) and path + (key,) not in {("resources",), ("configuration",)} and key not in ("annotations", "podAnnotations", "labels", "nodeSelector"):
                yield from names(value, (*path, key))

    schema = json.loads((CHART / "values.schema.json").read_text())

    def described(part, path=()):
        for key, each in part.get("properties", {}).items():
            yield (*path, key)
            if path == ():
                yield from described(each, (key,))

    assert set(names(yaml.safe_load((CHART / "values.yaml").read_text()))) == {each for each in described(schema) if each != ("global",)}
