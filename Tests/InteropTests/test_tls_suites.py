"""Which suites of TLS 1.2 `lifeline serve` takes (rule SO-74)."""

import json
import socket
import ssl
import subprocess

import pytest
from lifeline_harness import Server


@pytest.fixture(scope="module", params=["rsa", "ec"])
def encrypted(request, tmp_path_factory):
    """A server with a certificate of each kind: key exchange with the certificate's own key needs RSA."""
    folder = tmp_path_factory.mktemp(request.param)
    key = ["rsa:2048"] if request.param == "rsa" else ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
    subprocess.run(["openssl", "req", "-x509", "-newkey", *key, "-nodes", "-days", "2", "-subj", "/CN=localhost", "-keyout", "key.pem",
                    "-out", "cert.pem"], cwd=folder, check=True, capture_output=True)
    config = folder / "lifeline.json"
    config.write_text(json.dumps({"tls": {"cert": str(folder / "cert.pem"), "key": str(folder / "key.pem")}}))
    server = Server(0, "--config", str(config))
    yield request.param, server.port
    server.kill()


def handshake(port, suites=None, version=ssl.TLSVersion.TLSv1_2):
    """Version and suite that the server agreed to; an error of the server is one of this function."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = context.maximum_version = version
    if suites:
        context.set_ciphers(suites + ":@SECLEVEL=0")
    with socket.create_connection(("127.0.0.1", port), timeout=30) as plain, context.wrap_socket(plain) as wire:
        wire.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        assert wire.recv(65_536).startswith(b"HTTP/1.1 200 ")
        return wire.version(), wire.cipher()[0]


@pytest.mark.parametrize("suites", [
    "AES128-SHA", "AES256-SHA", "AES128-SHA256", "AES256-SHA256", "AES128-GCM-SHA256", "AES256-GCM-SHA384", "ECDHE-RSA-AES128-SHA",
    "ECDHE-RSA-AES256-SHA", "ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA",
    "ECDHE-ECDSA-AES128-SHA256", "DHE-RSA-AES128-GCM-SHA256", "kRSA", "CBC"])
def test_suites_without_forward_secrecy_or_authenticated_encryption_are_refused(encrypted, suites):
    if suites == "CBC":
        suites = "ECDHE+AES:!AESGCM:!AESCCM"
    # The server says so itself; another error would be one of this client, or of a server that has gone.
    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        handshake(encrypted[1], suites)


@pytest.mark.parametrize("suite", ["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"])
def test_modern_suites_are_taken(encrypted, suite):
    kind, port = encrypted
    name = f"ECDHE-{'RSA' if kind == 'rsa' else 'ECDSA'}-{suite}"
    assert handshake(port, name) == ("TLSv1.2", name)
    # Beside an old one that the client likes better, too.
    assert handshake(port, f"AES128-SHA:ECDHE-RSA-AES128-SHA:{name}") == ("TLSv1.2", name)
    assert handshake(port, version=ssl.TLSVersion.TLSv1_3)[0] == "TLSv1.3"
