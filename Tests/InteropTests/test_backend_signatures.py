"""BK-10: PyPI's `pusher` and `LifelineBackend` make byte-equal signatures of the same input, call by call.

`pusher-signatures.json` has what the vendor's library makes; the Swift tests (`PusherSignatureTableTests`) compare the backend with it, and
this file compares it with the library that is installed. `python test_backend_signatures.py` prints it anew.
"""

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path
from unittest import mock

import pusher
from pusher.http import make_query_string

FILE = Path(__file__).parent / "pusher-signatures.json"
KEY, SECRET, APP_ID, TIME = "278d425bdf160c739803", "7ad3773142a6692b25b8", "3", 1_353_088_179
MASTER_KEY = base64.b64encode(bytes(range(32))).decode()

# Data are texts, so that both sides send the same.
CALLS = {
    "trigger": lambda p: p.trigger.make_request(["project-3"], "foo", '{"some":"data"}'),
    "trigger to many": lambda p: p.trigger.make_request([f"room-{n}" for n in range(100)], "foo", "1"),
    "trigger with a socket id": lambda p: p.trigger.make_request(["a", "private-b"], "foo", "text", "1234.5678"),
    "trigger beyond ASCII": lambda p: p.trigger.make_request(["presence-a"], "größe", '{"name":"Zoë 👋 \\u2028"}'),
    "batch": lambda p: p.trigger_batch.make_request(
        [{"channel": "a", "name": "one", "data": "1"}, {"channel": "private-b", "name": "two", "data": '{"n":2}', "socket_id": "1.2"}]),
    "send to a user": lambda p: p.trigger.make_request("#server-to-user-ann", "note", "hello"),
    "channels": lambda p: p.channels_info.make_request(),
    "channels with attributes": lambda p: p.channels_info.make_request("presence-", ["user_count"]),
    "channel": lambda p: p.channel_info.make_request("presence-a"),
    "channel with attributes": lambda p: p.channel_info.make_request("presence-A_b=@,.;", ["user_count", "subscription_count"]),
    "users": lambda p: p.users_info.make_request("presence-a"),
    "terminate": lambda p: p.terminate_user_connections.make_request("ann"),
}
GRANTS = [
    ("private-a", "1.2", None), ("private-A_b=@,.;", "123456789.987654321", None), ("private-cache-a", "1.2", None),
    ("private-encrypted-orders", "1234.1234", None), ("presence-a", "1.2", {"user_id": "ann"}),
    ("presence-a", "1.2", {"user_id": "zoë", "user_info": {"name": "Zoë 👋", "age": 7}}),
]
USERS = [{"id": "ann"}, {"id": "zoe", "user_info": {"name": "Zoë 👋"}, "watchlist": ["ben", "cat"]}]
WEBHOOKS = ['{"time_ms":1353088179000,"events":[]}',
            '{"time_ms": 1353088179000, "events": [{"name": "channel_occupied", "channel": "größe"}]}']


def table():
    library = pusher.Pusher(app_id=APP_ID, key=KEY, secret=SECRET, host="h", ssl=False, encryption_master_key_base64=MASTER_KEY)
    requests = []
    with mock.patch("time.time", return_value=TIME):
        for name, make in CALLS.items():
            request = make(library._pusher_client)
            signed = {"auth_key", "auth_signature", "auth_timestamp", "auth_version", "body_md5"}
            requests.append({
                "name": name, "method": request.method, "path": request.path, "body": request.body.decode(),
                "parameters": {k: v for k, v in sorted(request.query_params.items()) if k not in signed},
                "query": make_query_string(request.query_params)})
    grants = []
    for channel, socket, member in GRANTS:
        grant = library.authenticate(channel, socket, member)
        secret = grant.get("shared_secret")
        grants.append({"channel": channel, "socket": socket, "data": grant.get("channel_data"), "auth": grant["auth"],
                       "secret": secret.decode() if isinstance(secret, bytes) else secret})
    users = []
    for user in USERS:
        grant = library.authenticate_user("1.2", user)
        users.append({"socket": "1.2", "data": grant["user_data"], "auth": grant["auth"]})
    webhooks = []
    for body in WEBHOOKS:
        signature = hmac.new(SECRET.encode(), body.encode(), hashlib.sha256).hexdigest()
        with mock.patch("time.time", return_value=TIME):
            assert library.validate_webhook(KEY, signature, body) == json.loads(body)
        webhooks.append({"body": body, "signature": signature})
    return {"requests": requests, "grants": grants, "users": users, "webhooks": webhooks}


def test_the_table_is_what_the_vendors_library_makes():
    assert json.loads(FILE.read_text()) == table()


if __name__ == "__main__":
    json.dump(table(), sys.stdout, indent=1, ensure_ascii=True)
    print()
