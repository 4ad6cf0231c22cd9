"""The OpenAPI descriptions that `lifeline serve` answers with, against the server itself (rules SV-87 to SV-89).

Schemathesis makes requests of the descriptions, valid and invalid ones, and judges the answers by them.
"""

import hashlib
import hmac
import json
import random
import re
import time
import urllib.parse
from pathlib import Path

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from lifeline_harness import APP_ID, KEY, SECRET, Server
from chat_client import APP_KEY, APP_SECRET, ServerAPI
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, load_all_checks

FILES = Path(__file__).resolve().parents[2] / "Sources" / "ServerDescriptions" / "Files"
NAMES = ("pusher", "chat", "server")
# Words of paths that have to be known, so that something else than "no such application" is tried.
KNOWN = {"app_id": APP_ID, "key": KEY}
# The same for fields of chat's calls. Whoever and whatever is named here is made before each operation.
NAMED = {
    "userId": "ann", "fromUserId": "ann", "toUserIds": ["bob"], "groupIds": ["g"], "toGroupIds": ["g"],
    "channelId": "c", "toChannelIds": ["c"], "memberUserIds": ["bob"], "newOwnerId": "bob", "content": '{"text":"x"}',
    "metadata": {"k": "v"}, "keys": ["k"]}
# WebSockets: 426 without an upgrade.
NEVER_ANSWERED = {"/app/{key}", "/nexconn/v1"}


def description(name):
    """A description without the paths of the admin port, which name their server; ServerDescriptionTests.swift compares those."""
    told = json.loads((FILES / f"{name}.json").read_text())
    return {**told, "paths": {path: item for path, item in told["paths"].items() if "servers" not in item}}


def operations(name):
    """Method and path of each operation."""
    return [(method.upper(), path) for path, item in description(name)["paths"].items() for method in item if method != "parameters"]


def filled(path):
    """A path with values for its parameters."""
    return re.sub(r"\{(\w+)\}", lambda match: KNOWN.get(match.group(1), "presence-a"), path)


class PusherSignature(requests.auth.AuthBase):
    """Signs a request as Pusher's HTTP API wants it."""

    def __call__(self, request):
        url = urllib.parse.urlsplit(request.url)
        pairs = [(name, value) for name, value in urllib.parse.parse_qsl(url.query, keep_blank_values=True)
                 if not name.lower().startswith("auth_") and name.lower() != "body_md5"]
        body = request.body.encode() if isinstance(request.body, str) else request.body or b""
        pairs += [("auth_key", KEY), ("auth_timestamp", str(int(time.time()))), ("auth_version", "1.0")]
        if body:
            pairs.append(("body_md5", hashlib.md5(body).hexdigest()))
        text = "&".join(f"{name.lower()}={value}" for name, value in sorted(pairs, key=lambda pair: pair[0].lower()))
        text = f"{request.method}\n{url.path}\n{text}"
        pairs.append(("auth_signature", hmac.new(SECRET.encode(), text.encode(), hashlib.sha256).hexdigest()))
        request.url = urllib.parse.urlunsplit(url._replace(query=urllib.parse.urlencode(pairs)))
        return request


class ChatSignature(requests.auth.AuthBase):
    """Signs a call of chat's server API."""

    def __call__(self, request):
        nonce, stamp = f"{random.getrandbits(80):x}", str(int(time.time() * 1000))
        request.headers.update({
            "App-Key": APP_KEY, "Nonce": nonce, "Timestamp": stamp,
            "Signature": hashlib.sha1((APP_SECRET + nonce + stamp).encode()).hexdigest()})
        return request


SIGNATURES = {"pusher": PusherSignature(), "chat": ChatSignature(), "server": None}


def names(path, body, sent):
    """Values of fields with which a call of chat is taken: the other end, its last message, and those whom the call is about."""
    end, message = {"GROUP": ("g", sent[1]), "CHATROOM": ("c", sent[2]), "OPEN": ("c", sent[2])}.get(
        body.get("channelType", "GROUP" if path.startswith("/v4/group-channel") else "PERSON"), ("bob", sent[0]))
    user = {"/v4/group-channel/join": "cat", "/v4/group-channel/admin/remove": "dan"}.get(path, "bob")
    return {**NAMED, "targetId": end, "messageId": message, "messageIds": [message], "userIds": [user], "groupId": "h" if path.endswith("group-channel/create") else "g"}


def populate(api):
    for path, body in (("user/reactivate", {"userIds": ["ann", "bob"]}), ("group-channel/dismiss", {"groupId": "g"}), ("open-channel/destroy", {"channelId": "c"})):
        api.call(path, body)
    for user in ("ann", "bob"):
        api.token(user)
    api.result("group-channel/create", {"userId": "ann", "groupId": "g", "groupName": "G", "memberUserIds": ["bob", "dan"]})
    api.result("group-channel/admin/add", {"groupId": "g", "userIds": ["dan"]})
    api.result("open-channel/create", {"channelId": "c"})
    api.result("open-channel/metadata/batch/set", {"channelId": "c", "userId": "ann", "metadata": {"k": "v"}})
    message = {"fromUserId": "ann", "messageType": "text", "content": '{"text":"x"}'}
    for path, receivers in (("direct", {"toUserIds": ["bob"]}), ("group", {"toGroupIds": ["g"]}), ("open", {"toChannelIds": ["c"]})):
        yield api.result(f"{path}-channel/message/send", {**message, **receivers})["messages"][0]["messageId"]


@pytest.fixture(scope="module")
def shared():
    server = Server()
    yield server
    server.kill()


@pytest.mark.parametrize("name", NAMES)
def test_the_server_answers_with_the_descriptions(shared, name):
    """SV-87: at /openapi, readable for scripts of pages, with the bytes of the repository."""
    answer = requests.get(f"{shared.url}/openapi/{name}.json", timeout=20)
    assert (answer.status_code, answer.headers["content-type"], answer.content) == (200, "application/json", (FILES / f"{name}.json").read_bytes())
    assert answer.headers["access-control-allow-origin"] == "*"
    assert requests.head(f"{shared.url}/openapi/{name}.json", timeout=20).headers["content-length"] == str(len(answer.content))
    OpenAPIV31SpecValidator(answer.json()).validate()


def test_other_names_are_unknown_and_the_prefix_counts(started):
    """SV-87: there are three descriptions, below the server's prefix; their address of the server is relative, so it has the prefix, too."""
    server = started(Server, 0, "--path-prefix", "/here")
    assert [requests.get(f"http://127.0.0.1:{server.port}{path}", timeout=20).status_code for path in (
        "/here/openapi/pusher.json", "/here/openapi/pubnub.json", "/here/openapi", "/here/openapi/", "/here/openapi/pusher.json/", "/openapi/pusher.json")] == [200] + 5 * [404]
    for name in NAMES:
        url = f"http://127.0.0.1:{server.port}/here/openapi/{name}.json"
        assert urllib.parse.urljoin(url, description(name)["servers"][0]["url"]) == f"http://127.0.0.1:{server.port}/here/"


@pytest.mark.parametrize("name", NAMES)
def test_each_path_has_the_methods_of_its_description(shared, name):
    """SV-88: another method is refused with a list of those that there are, and a longer or a shorter path is another one."""
    described = operations(name)
    templates = {re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) for _, path in described}
    with requests.Session() as session:
        for path in {path for _, path in described}:
            methods = {method for method, its in described if its == path}
            refusal = session.put(shared.url + filled(path), timeout=20)
            assert refusal.status_code == 405, path
            assert set(refusal.headers["allow"].split(", ")) - {"OPTIONS"} == methods | ({"HEAD"} if "GET" in methods else set()), path
            # Without a signature: what is not known is 404 before anybody asks who it is.
            method = "POST" if "POST" in methods else "GET"
            assert session.request(method, shared.url + filled(path), timeout=20).status_code != 404, path
            for other in (path + "/x", path.rstrip("/") + "x", path.rpartition("/")[0]):
                if other.startswith("/") and not any(re.fullmatch(template, other) for template in templates):
                    assert session.request(method, shared.url + filled(other), timeout=20).status_code == 404, other


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_as_described(shared, name):
    """SV-88: status, content type, header fields and body of every answer, to requests that are valid and to others."""
    load_all_checks()
    checks = CHECKS.get_by_names([
        "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance", "response_schema_conformance"])
    schema = schemathesis.openapi.from_dict(description(name))
    schema.config.update(base_url=shared.url)
    schema.config.generation.update(with_security_parameters=False)
    statuses, api = {}, ServerAPI(shared.port)
    with requests.Session() as session:
        for operation in (result.ok() for result in schema.get_all_operations()):
            sent = list(populate(api)) if name == "chat" else []

            def ask(case):
                if name == "chat" and case.meta.generation.mode == GenerationMode.POSITIVE and isinstance(case.body, dict):
                    known = names(case.operation.path, case.body, sent)
                    case.body = {field: known.get(field, value) for field, value in case.body.items()}
                known = {**KNOWN, "channel_name": "presence-a"} if case.operation.path.endswith("/users") else KNOWN
                case.path_parameters = {field: known.get(field, value) for field, value in (case.path_parameters or {}).items()}
                answer = case.call(session=session, auth=SIGNATURES[name])
                case.validate_response(answer, checks=checks)
                if case.meta.generation.mode == GenerationMode.POSITIVE:
                    statuses.setdefault((case.method.upper(), case.operation.path), set()).add(answer.status_code)

            for mode, count in ((GenerationMode.POSITIVE, 4), (GenerationMode.NEGATIVE, 3)):
                limits = settings(
                    max_examples=count, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
                try:
                    seed(1)(limits(given(operation.as_strategy(generation_mode=mode))(ask)))()
                except Unsatisfiable:
                    # What has no parameters and no body cannot be asked in a wrong way.
                    assert mode == GenerationMode.NEGATIVE
    api.close()
    assert set(statuses) == set(operations(name))
    # Signatures are right, and so are enough of the calls: otherwise little but refusals would have been judged.
    answered = {path for (_, path), seen in statuses.items() if 200 in seen}
    assert sorted({path for _, path in operations(name)} - answered - NEVER_ANSWERED) == []
    if name != "server":
        assert 401 not in {status for seen in statuses.values() for status in seen}, statuses
