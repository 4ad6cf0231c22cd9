import Testing
import WebSocketFraming

@testable import ServerRuntime

@Suite("Where a WebSocket comes from (rules SO-10 and SO-12)")
struct RequestOriginTests {
    private func visitor(_ fields: [HeaderField], usesTLS: Bool = false, trusted: Bool) -> RequestOrigin {
        RequestOrigin(fields, usesTLS: usesTLS, address: "10.0.0.1", trustsProxyHeaders: trusted)
    }

    @Test("A proxy that is trusted says who the client is and how it came")
    func proxy() {
        let visitor = visitor([("X-Forwarded-For", "203.0.113.7"), ("X-FORWARDED-PROTO", "https")], trusted: true)
        #expect(visitor == RequestOrigin([], usesTLS: true, address: "203.0.113.7", trustsProxyHeaders: false))
    }

    @Test("Nobody else does: a client could claim anything")
    func untrusted() {
        let claimed = visitor([("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Proto", "https")], trusted: false)
        #expect(claimed.address == "10.0.0.1")
        #expect(!claimed.usesTLS)
    }

    @Test(
        "Of several values the last one counts, which the proxy added to what the client claimed",
        arguments: [
            [("X-Forwarded-For", "1.1.1.1, 2.2.2.2 ,\t3.3.3.3 ")],
            [("X-Forwarded-For", "1.1.1.1"), ("x-forwarded-for", "2.2.2.2, 3.3.3.3")],
        ] as [[HeaderField]])
    func lastHop(fields: [HeaderField]) {
        #expect(visitor(fields, trusted: true).address == "3.3.3.3")
    }

    @Test(
        "The last protocol counts as well",
        arguments: [("https", true), ("wss", true), ("http, HTTPS", true), ("https, http", false), ("", false)])
    func lastProtocol(value: String, usesTLS: Bool) {
        #expect(visitor([("X-Forwarded-Proto", value)], trusted: true).usesTLS == usesTLS)
        // What the proxy says counts more than the way from the proxy to here.
        #expect(visitor([("X-Forwarded-Proto", value)], usesTLS: true, trusted: true).usesTLS == usesTLS)
    }

    @Test(
        "What is no address does not get into the log",
        arguments: [
            "", "unknown", "1.1.1.1\u{1B}[2J", "a b", "1.2.3.4\nfake line", String(repeating: "1", count: 65), "1.1.1.1,",
        ])
    func notAnAddress(value: String) {
        #expect(visitor([("X-Forwarded-For", value)], trusted: true).address == nil)
    }

    @Test("Addresses of both kinds, with ports too", arguments: ["2001:db8::1", "[2001:db8::1]:443", "203.0.113.7:1234"])
    func addresses(value: String) {
        #expect(visitor([("X-Forwarded-For", value)], trusted: true).address == value)
    }

    @Test("Origins are taken as they are, and two of them are none that a list could name")
    func origins() {
        #expect(visitor([], trusted: false).origin == nil)
        #expect(visitor([("Origin", "https://a.example")], trusted: false).origin == "https://a.example")
        #expect(visitor([("Origin", "")], trusted: false).origin?.isEmpty == true)
        let two = visitor([("Origin", "https://a.example"), ("origin", "https://a.example")], trusted: false)
        #expect(two.origin == "https://a.example https://a.example")
    }
}
