"""Scenario S14 over long-poll: the certificates of the matrix, and what a client says of each."""

import concurrent.futures
import subprocess

import pytest
from lifeline_harness import AT_ONCE, GRACE, TOOLS, Server
from pubnub_scenarios import PubNubListener


@pytest.fixture(scope="module")
def matrix(tmp_path_factory):
    """The certificates and their table: name, file, host, verdict."""
    folder = tmp_path_factory.mktemp("certificates")
    subprocess.run(["bash", str(TOOLS / "certs.sh"), str(folder)], check=True, capture_output=True, timeout=120)
    rows = [line.split("\t") for line in (folder / "MATRIX.tsv").read_text().splitlines()]
    return folder, [(row[0], row[1], row[2], row[3]) for row in rows]


def test_s14_every_certificate_gets_its_verdict(started, matrix):
    folder, rows = matrix

    def judge(row):
        name, file, host, expected = row
        certificate = folder / file
        server = started(Server, 0, "--tls-cert", str(certificate), "--tls-key", str(certificate.with_suffix(".key")))
        listener = started(
            PubNubListener, f"https://{host}:{server.port}", "--channel", "room", "--ca", str(folder / "ca.pem"))
        if expected in ("ok", "crl"):
            listener.wait_subscribed("room")
            assert listener.statuses == ["connecting", "connected"], name
        else:
            said = listener.wait_status("reconnecting")
            assert said["category"] == "tlsUntrusted", (name, said)
            assert said["t"] - listener.of("status")[0]["t"] <= AT_ONCE + GRACE
            # Never faster than the cap, which is 3 s here.
            assert said["retry_in"] >= 1.5 and said["will_retry"], name
            assert listener.statuses[:2] == ["connecting", "reconnecting"], name
        listener.kill()
        server.kill()
        return name

    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        judged = list(pool.map(judge, [row for row in rows if row[2] in ("localhost", "127.0.0.1")]))
    assert len(judged) >= 20
