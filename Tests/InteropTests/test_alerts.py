"""The rules of `deploy/prometheus`, and their summaries in the runbook, read and judged by Prometheus' own `promtool` (ME-12)."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from test_deploy import DEPLOY, ROOT, alerts, dashboard

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

RULES = DEPLOY / "prometheus" / "alerts.yml"


def promtool():
    """A program in the path, or the one that Scripts/setup.sh has unpacked."""
    found = shutil.which("promtool") or ROOT / "build" / "tools" / "promtool"
    assert Path(found).exists(), "promtool is missing: run Scripts/setup.sh test, or install Prometheus"
    return found


def run(*words):
    done = subprocess.run([promtool(), *map(str, words)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


# For each alert: series with which it fires (of server "a", where the rule is for each server), and such of "b" with which it does not,
# though the values are only a little different. A number is the value at all times; a pair is the first value and the growth each minute.
# The labels of the alert, apart from its severity, are the last item.
A, B = 'instance="a"', 'instance="b"'
CASES = {
    "LifelineDown": ({f'up{{job="lifeline",{A}}}': 0}, {f'up{{job="lifeline",{B}}}': 1, f'up{{job="other",{B}}}': 0}, {"job": "lifeline"}),
    "LifelineNotReady": ({f"lifeline_ready{{{A}}}": 0}, {f"lifeline_ready{{{B}}}": 1}, {}),
    "LifelineAlmostFull": (
        {f'lifeline_connections{{{A},service="pusher",app="1"}}': 50, f'lifeline_connections{{{A},service="chat",app="2"}}': 41,
         f"lifeline_connections_limit{{{A}}}": 100},
        {f'lifeline_connections{{{B},service="pusher",app="1"}}': 50, f'lifeline_connections{{{B},service="chat",app="2"}}': 40,
         f"lifeline_connections_limit{{{B}}}": 100}, {}),
    "LifelineFilesAlmostUsed": (
        {f"lifeline_process_open_files{{{A}}}": 91, f"lifeline_process_open_files_limit{{{A}}}": 100},
        {f"lifeline_process_open_files{{{B}}}": 90, f"lifeline_process_open_files_limit{{{B}}}": 100}, {}),
    "LifelineAcceptFails": ({f"lifeline_accept_failures_total{{{A}}}": (0, 1)}, {f"lifeline_accept_failures_total{{{B}}}": 7}, {}),
    "LifelineConfigurationRefused": ({f"lifeline_configuration_valid{{{A}}}": 0}, {f"lifeline_configuration_valid{{{B}}}": 1}, {}),
    "LifelineCertificateUnusable": ({f"lifeline_certificate_valid{{{A}}}": 0}, {f"lifeline_certificate_valid{{{B}}}": 1}, {}),
    # promtool's clock begins at 0; the rule is evaluated at 4,500 s.
    "LifelineCertificateExpires": (
        {f"lifeline_certificate_expires_seconds{{{A}}}": 7 * 86_400 + 800}, {f"lifeline_certificate_expires_seconds{{{B}}}": 7 * 86_400 + 4_600}, {}),
    "LifelineSlowFanOut": (
        {f'lifeline_fanout_seconds_bucket{{{A},service="chat",le="0.25"}}': (0, 98), f'lifeline_fanout_seconds_bucket{{{A},service="chat",le="0.5"}}': (0, 100),
         f'lifeline_fanout_seconds_bucket{{{A},service="chat",le="+Inf"}}': (0, 100)},
        {f'lifeline_fanout_seconds_bucket{{{B},service="chat",le="0.25"}}': (0, 99), f'lifeline_fanout_seconds_bucket{{{B},service="chat",le="0.5"}}': (0, 100),
         f'lifeline_fanout_seconds_bucket{{{B},service="chat",le="+Inf"}}': (0, 100)}, {}),
    "LifelinePublishersHeld": ({f"lifeline_publishers_held_total{{{A}}}": (0, 62)}, {f"lifeline_publishers_held_total{{{B}}}": (0, 58)}, {}),
    "LifelineServerErrors": (
        {f'lifeline_http_requests_total{{{A},route="publish",status="5xx"}}': (0, 7)},
        {f'lifeline_http_requests_total{{{B},route="publish",status="5xx"}}': (0, 5), f'lifeline_http_requests_total{{{B},route="publish",status="4xx"}}': (0, 700)},
        {"route": "publish"}),
    # This one is for a route of all servers together.
    "LifelineSlowRequests": (
        {f'lifeline_http_request_seconds_bucket{{{A},route="publish",le="1"}}': (0, 98), f'lifeline_http_request_seconds_bucket{{{A},route="publish",le="2.5"}}': (0, 100),
         f'lifeline_http_request_seconds_bucket{{{A},route="publish",le="+Inf"}}': (0, 100)},
        {f'lifeline_http_request_seconds_bucket{{{B},route="chat",le="1"}}': (0, 99), f'lifeline_http_request_seconds_bucket{{{B},route="chat",le="2.5"}}': (0, 100),
         f'lifeline_http_request_seconds_bucket{{{B},route="chat",le="+Inf"}}': (0, 100)}, {"route": "publish", "instance": None}),
    "LifelineSlowStore": (
        {f'lifeline_store_append_seconds_bucket{{{A},le="0.5"}}': (0, 98), f'lifeline_store_append_seconds_bucket{{{A},le="1"}}': (0, 100),
         f'lifeline_store_append_seconds_bucket{{{A},le="+Inf"}}': (0, 100)},
        {f'lifeline_store_append_seconds_bucket{{{B},le="0.5"}}': (0, 99), f'lifeline_store_append_seconds_bucket{{{B},le="1"}}': (0, 100),
         f'lifeline_store_append_seconds_bucket{{{B},le="+Inf"}}': (0, 100)}, {}),
    "LifelineStoreAway": (
        {f'lifeline_store_available{{{A},service="pubnub"}}': 0}, {f'lifeline_store_available{{{B},service="pubnub"}}': 1}, {"service": "pubnub"}),
    "LifelineSlowSubscribers": (
        {f'lifeline_slow_subscribers_cut_total{{{A},service="chat",app="1"}}': (0, 62)},
        {f'lifeline_slow_subscribers_cut_total{{{B},service="chat",app="1"}}': (0, 58)}, {"service": "chat", "app": "1"}),
    "LifelineRefusals": (
        {f'lifeline_connections_refused_total{{{A},service="pusher",code="4001"}}': (0, 310)},
        {f'lifeline_connections_refused_total{{{B},service="pusher",code="4001"}}': (0, 290)}, {"service": "pusher", "code": "4001"}),
    "LifelineAddressFlood": (
        {f"lifeline_connections_refused_by_address_total{{{A}}}": (0, 310)}, {f"lifeline_connections_refused_by_address_total{{{B}}}": (0, 290)}, {}),
    "LifelineWebhooksLost": (
        {f'lifeline_webhook_events_dropped_total{{{A},service="chat",app="1"}}': (0, 1)},
        {f'lifeline_webhook_events_dropped_total{{{B},service="chat",app="1"}}': 9}, {"service": "chat", "app": "1"}),
    "LifelineWebhooksWait": (
        {f'lifeline_webhook_events_queued{{{A},service="chat",app="1"}}': 1_001},
        {f'lifeline_webhook_events_queued{{{B},service="chat",app="1"}}': 1_000}, {"service": "chat", "app": "1"}),
    "LifelineRedisLost": ({f"lifeline_redis_connected{{{A}}}": 0}, {f"lifeline_redis_connected{{{B}}}": 1}, {}),
    "LifelineRedisRefusesWrites": ({f"lifeline_redis_refusing_writes{{{A}}}": 1}, {f"lifeline_redis_refusing_writes{{{B}}}": 0}, {}),
    "LifelineRedisEvicts": ({f"lifeline_redis_evicting{{{A}}}": 1}, {f"lifeline_redis_evicting{{{B}}}": 0}, {}),
    # All servers together lead once, so the neighbour is a second test.
    "LifelineLeaderMissing": ({f"lifeline_cluster_leading{{{A}}}": 0, f"lifeline_cluster_leading{{{B}}}": 0}, {}, {"instance": None}),
    "LifelineClusterLosses": ({f"lifeline_cluster_losses_total{{{A}}}": (0, 1)}, {f"lifeline_cluster_losses_total{{{B}}}": 3}, {}),
    "LifelineClusterBacklog": (
        {f"lifeline_cluster_queued_bytes{{{A}}}": 1_048_577}, {f"lifeline_cluster_queued_bytes{{{B}}}": 1_048_576}, {}),
}


def series(values, minutes):
    for name, value in values.items():
        start, growth = value if isinstance(value, tuple) else (value, 0)
        yield {"series": name, "values": f"{start}+{growth}x{minutes}"}


def judged(rule, fires, neighbour, labels):
    """The test of one alert: it fires at the end, for the first series alone, and has not before its time."""
    labels = {name: value for name, value in {"instance": "a", **labels, **rule["labels"]}.items() if value is not None}
    expected = [{"exp_labels": labels, "exp_annotations": rule["annotations"]}] if fires else []
    # Longer than the longest range of a rule and its `for`.
    minutes = 75 if rule["for"] == "1h" else 25
    cases = [{"eval_time": f"{minutes}m", "alertname": rule["alert"], "exp_alerts": expected}]
    if rule["for"] not in ("0m", "10s", "30s"):
        cases.append({"eval_time": "0m", "alertname": rule["alert"], "exp_alerts": []})
    return {"interval": "1m", "input_series": [*series(fires, minutes), *series(neighbour, minutes)], "alert_rule_test": cases}


def test_prometheus_starts_with_our_files():
    run("check", "config", DEPLOY / "prometheus" / "prometheus.yml")
    run("check", "rules", RULES)


def test_each_alert_fires_on_its_series_and_not_on_the_neighbour(tmp_path):
    rules = {rule["alert"]: rule for rule in alerts()}
    assert set(rules) == set(CASES)
    tests = [judged(rules[name], *case) for name, case in CASES.items()]
    # With one leader, and with a server that has no cluster, nothing is missing.
    tests.append(judged(rules["LifelineLeaderMissing"], {}, {f"lifeline_cluster_leading{{{A}}}": 1, f"lifeline_cluster_leading{{{B}}}": 0}, {}))
    tests.append(judged(rules["LifelineLeaderMissing"], {}, {f"lifeline_ready{{{A}}}": 1}, {}))
    file = tmp_path / "test.yml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}))
    run("test", "rules", file)


def test_the_tests_of_alerts_can_fail(tmp_path):
    [rule] = [rule for rule in alerts() if rule["alert"] == "LifelineAlmostFull"]
    _, neighbour, labels = CASES["LifelineAlmostFull"]
    file = tmp_path / "test.yml"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": [judged(rule, neighbour, {}, labels)]}))
    with pytest.raises(AssertionError, match="FAILED"):
        run("test", "rules", file)


def test_the_runbook_has_the_summaries_of_the_alerts():
    text = (ROOT / "docs" / "metrics.md").read_text()
    found = re.findall(r"^### (\w+)\n(.+) \((\w+), after (\w+)\)$", text, re.MULTILINE)
    ours = [(rule["alert"], rule["annotations"]["summary"], rule["labels"]["severity"], rule["for"]) for rule in alerts()]
    assert found == ours


def test_prometheus_can_read_what_the_dashboard_asks(tmp_path):
    asked = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    # Grafana puts the interval and the chosen value of a variable in place of these.
    plain = [re.sub(r"\$\w+", "x", expression.replace("$__rate_interval", "5m")) for expression in asked]
    file = tmp_path / "rules.yml"
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(plain)]
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    run("check", "rules", file)
