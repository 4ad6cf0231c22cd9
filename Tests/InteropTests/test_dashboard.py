"""The Grafana dashboard: its variables, and that each query has data of a server with `--data` and of a cluster (SO-149)."""

import json
import re
import threading
import urllib.request

import pytest
from cluster_harness import Cluster, redis_program
from lifeline_harness import APP_ID, Server, free_port, rest, wait_until
from chat_client import ChatSession, ServerAPI
from prometheus_client.parser import text_string_to_metric_families
from pusher_client import PusherSocket
from test_alerts import run
from test_deploy import dashboard

STORE, CLUSTER = re.compile(r"lifeline_(store|history)_"), re.compile(r"lifeline_(cluster|redis)_")


def queries():
    return [(panel["title"], target["expr"]) for panel in dashboard()["panels"] for target in panel["targets"]]


def value(server, metric):
    """The sum of a metric's samples."""
    return sum(float(each) for each in re.findall(rf"^{metric}(?:\{{.*\}})? (\S+)$", server.get("/metrics")[1], re.MULTILINE))


def use(server, started):
    """Something for every metric of the dashboard: connections of all services, refusals, messages, a held poll, webhooks."""
    base, failed = f"http://127.0.0.1:{server.port}", value(server, "lifeline_webhook_requests_failed_total")
    with pytest.raises(Exception):
        PusherSocket(server.port, key="nobody")
    client = started(PusherSocket, server.port)
    client.subscribe("prices")
    assert server.publish("prices", "tick", "{}")
    client.wait("tick", "prices")
    api = ServerAPI(server.port)
    ChatSession(server.port, api.token("ann")).connect()
    with urllib.request.urlopen(f"{base}/publish/demo/demo/0/weather/0/%22rain%22?uuid=ann", timeout=30) as answer:
        token = json.load(answer)[2]
    urllib.request.urlopen(f"{base}/v3/history/sub-key/demo/channel/weather?max=5&uuid=ann", timeout=30).read()

    def hold():
        try:
            urllib.request.urlopen(f"{base}/v2/subscribe/demo/weather/0?tt={token}&uuid=ann&heartbeat=300", timeout=300).read()
        except OSError:
            pass  # The server has ended.

    threading.Thread(target=hold, daemon=True).start()
    wait_until(lambda: rest(server.port, "GET", f"/apps/{APP_ID}/channels")[0] == 200, 30, "the list of channels")
    wait_until(lambda: value(server, "lifeline_webhook_requests_failed_total") > failed, 60, "a webhook that fails")
    wait_until(lambda: value(server, "lifeline_held_polls") > 0, 30, "a held poll")


def used_twice(servers, started):
    """What Prometheus reads of servers after their first use and after the next: a rate needs two values."""
    told = []
    for _ in range(2):
        use(next(iter(servers.values())), started)
        told.append({name: server.get("/metrics")[1] for name, server in servers.items()})
    return told


def samples(text, instance):
    """The samples of an answer, as Prometheus would store them."""
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = {**sample.labels, "instance": instance, "job": "lifeline"}
            named = ",".join(f'{name}="{value}"' for name, value in sorted(labels.items()))
            yield f"{sample.name}{{{named}}}", sample.value


def judge(tmp_path, before, after, expected):
    """Has Prometheus' own promtool evaluate each query: an alert for each, which fires when the query has a value."""
    first = dict(each for name, text in before.items() for each in samples(text, name))
    last = dict(each for name, text in after.items() for each in samples(text, name))
    series = [{"series": name, "values": f"{first.get(name, 0):f} {value:f}x4" if name in first else f"_ {value:f}x3"} for name, value in last.items()]
    chosen = {"$__rate_interval": "5m", "$instance": next(iter(after)), "$app": ".*"}
    rules, cases = [], []
    for number, (title, expression) in enumerate(queries()):
        for name, value in chosen.items():
            expression = expression.replace(name, value)
        assert "$" not in expression, expression
        rules.append({"alert": f"q{number}", "expr": f"count(({expression}) >= 0) > 0"})
        # The failure names the query.
        has = expected(expression)
        cases.append({"eval_time": "4m", "alertname": f"q{number}", "exp_alerts": [{"exp_labels": {}}] if has else []})
    (tmp_path / "rules.yml").write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    (tmp_path / "test.yml").write_text(json.dumps({
        "rule_files": ["rules.yml"], "evaluation_interval": "1m",
        "tests": [{"interval": "1m", "input_series": series, "alert_rule_test": cases}]}))
    try:
        run("test", "rules", tmp_path / "test.yml")
    except AssertionError as error:
        wrong = sorted({int(number) for number in re.findall(r"alertname: ?q(\d+)", str(error))})
        raise AssertionError([(queries()[number], expected(queries()[number][1])) for number in wrong] or str(error)) from None


def configured(tmp_path):
    file = tmp_path / "lifeline.json"
    file.write_text(json.dumps({"apps": [{
        "id": APP_ID, "key": "app-key", "secret": "app-secret", "subscriptionCounts": True,
        "webhooks": [{"url": f"http://127.0.0.1:{free_port()}/hook", "events": ["channel_occupied"]}]}]}))
    return "--config", str(file)


def test_each_query_has_data_with_a_data_directory(tmp_path, started):
    server = started(Server, 0, *configured(tmp_path), "--data", str(tmp_path / "data"))
    judge(tmp_path, *used_twice({"a:6001": server}, started), lambda query: not CLUSTER.search(query))
    # The applications that can be chosen are those of all services.
    [names] = re.findall(r'__name__=~"([^"]*)"', next(each for each in dashboard()["templating"]["list"] if each["name"] == "app")["query"]["query"])
    found = re.findall(rf'^{names}\{{.*app="([^"]*)"', server.get("/metrics")[1], re.MULTILINE)
    assert {application for _, application in found} == {APP_ID, "demo", "app-key", "other"}


@pytest.mark.skipif(redis_program() is None, reason="needs redis-server")
@pytest.mark.parametrize("partitions", [1, 2])
def test_each_query_has_data_with_redis(tmp_path, started, partitions):
    cluster = Cluster("ab", options=(*configured(tmp_path), "--partitions", str(partitions)))
    try:
        servers = {f"{name}:6001": node for name, node in cluster.nodes.items()}
        judge(tmp_path, *used_twice(servers, started), lambda query: not STORE.search(query))
        assert len(servers) == 2, "the queries have samples of two servers"
    finally:
        cluster.end()


def test_data_source_server_and_application_are_chosen():
    variables = {each["name"]: each for each in dashboard()["templating"]["list"]}
    assert [(name, each["type"]) for name, each in variables.items()] == [("datasource", "datasource"), ("instance", "query"), ("app", "query")]
    assert variables["datasource"]["query"] == "prometheus"
    for name in ("instance", "app"):
        each = variables[name]
        assert each["multi"] and each["includeAll"] and each["allValue"] == ".*" and each["query"]["query"].endswith(f", {name})")
    for panel in dashboard()["panels"]:
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, panel["title"]
    for title, expression in queries():
        assert 'instance=~"$instance"' in expression, title
        # Every metric that knows applications is limited to the chosen ones.
        assert ('app=~"$app"' in expression) == ("_fanout_" not in expression and bool(re.search(
            r"lifeline_(connections\{|messages|events|chat|channels|subscriptions|held|slow|dead|webhook|history)", expression))), expression
