"""What must be true of every source file, now and of those to come."""

import functools
import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
SECRETS = r"(?:signature|digest|hmac|md5|secret|mac|tag|Signature|Digest|HMAC|MD5|Secret|MAC|Tag)"
CODES = r"(?:sign|code|mac|digest|bodyMD5|channelAuth|userAuth|authenticationCode|hash)"
# Both sides are this program's own: nobody outside can choose one of them and look at the clock.
OWN = {
    "LifelineCommand/Serve/ServeSettings+Changes.swift": "whether secrets are those of the development applications",
    "LifelineServer/Core/ServerCertificate.swift": "whether a file has changed",
    "LifelineServer/Fronts/Pusher/Webhooks/PusherWebhooks.swift": "whether the configuration has changed",
    "NexconnChatSDK/Client/InstallationStore.swift": "which of its own files belongs to a token",
}


@functools.cache
def lines():
    return [
        (file.relative_to(SOURCES).as_posix(), number, line.split("//")[0]) for file in sorted(SOURCES.rglob("*.swift"))
        for number, line in enumerate(file.read_text().splitlines(), 1)]


@functools.cache
def suspicious(code):
    """Whether a line compares what could be a secret with an operator that stops at the first difference."""
    before = rf"\b\w*{SECRETS}(?:\(\))?\s*(?:==|!=)(?!\s*(?:nil\b|\.))"
    after = rf"(?:==|!=)\s*(?:[a-z]\w*[.?]+)*(?:\w*{SECRETS}\b(?![\w.(\"])|{CODES}\()"
    return bool(re.search(before, code) or re.search(after, code))


def test_the_search_finds_what_it_is_for():
    for code in ("guard signature == expected else {", "if given.lowercased() == bodyMD5(body) {", "request.auth == sign(text, secret: s)",
                 "return digest != other", "box.tag == code", "x == application.secret", "auth == channelAuth(a)", "a.bodyMD5 == b"):
        assert suspicious(code), code
    for code in ("guard signature != nil", "$0.name != \"signature\"", "signature.count == 40", "sharedSecret == nil ? a : b",
                 "certificate.signatureAlgorithm == .sha1", "parts[3] == \"grant\"", "token == .end"):
        assert not suspicious(code), code


def test_one_function_compares_secrets():
    """X3 (rule SO-41): nothing but ConstantTime compares signatures, codes and secrets that somebody outside could guess at."""
    found = [f"{file}:{number}: {code.strip()}" for file, number, code in lines() if suspicious(code) and file not in OWN]
    assert found == []
    stale = [file for file in OWN if not any(name == file and suspicious(code) for name, _, code in lines())]
    assert stale == [], "exceptions that nothing needs any more"


def test_there_is_one_such_function():
    loops = {file for file, _, code in lines() if re.search(r"\|=[^=].*\^", code)}
    assert loops == {"WireCoding/Text/ConstantTime.swift"}
