import NIOCore
import NIOHTTP1
import ServerConsole
import ServerRuntime
import Testing

@Suite("The way of a request to the admin port (CO-87 and CO-88)")
struct RequestPassageTests {
    private func settings(_ proxies: [String] = [], usesTLS: Bool = false, trusts: Bool = false) throws -> ConsoleSettings {
        var settings = ConsoleSettings()
        settings.proxies = try proxies.map { try #require(ProxyNetwork($0)) }
        (settings.usesTLS, settings.trustsProxyHeaders) = (usesTLS, trusts)
        return settings
    }

    private func passage(
        _ headers: [(String, String)], from peer: String, _ settings: ConsoleSettings
    ) throws -> RequestPassage? {
        RequestPassage(HTTPHeaders(headers), from: try SocketAddress(ipAddress: peer, port: 7), settings)
    }

    private let secure = [("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "203.0.113.7")]

    @Test func `CO-87: a request that came to a proxy over TLS counts as one over TLS, for the address that the proxy names`()
        throws
    {
        let settings = try settings(["10.0.0.0/8"])
        let found = try #require(try passage(secure, from: "10.1.2.3", settings))
        #expect(found.usesTLS && found.shownAddress == "203.0.113.7" && found.address == RemoteAddress(named: "203.0.113.7"))
        // The proxy wrote the last value; those before it may be the client's own.
        let last = [
            ("X-Forwarded-Proto", "http"), ("X-Forwarded-Proto", "http, https"), ("X-Forwarded-For", "127.0.0.1, 198.51.100.9"),
        ]
        #expect(try passage(last, from: "10.1.2.3", settings)?.shownAddress == "198.51.100.9")
        #expect(try passage([("X-Forwarded-Proto", "HTTPS")], from: "10.1.2.3", settings)?.shownAddress == "10.1.2.3")
        // A text that is not an address counts as an unknown address.
        let odd = try #require(try passage(secure.prefix(1) + [("X-Forwarded-For", "unknown")], from: "10.1.2.3", settings))
        #expect(odd.usesTLS && odd.address == nil && odd.shownAddress == nil)
    }

    @Test func `CO-88: with proxies, requests of other machines without TLS are refused, whatever their header fields say`()
        throws
    {
        let settings = try settings(["10.0.0.0/8"])
        #expect(try passage([], from: "10.1.2.3", settings) == nil)
        #expect(try passage(secure, from: "192.168.0.1", settings) == nil)
        #expect(try passage([], from: "192.168.0.1", settings) == nil)
        #expect(try passage(secure, from: "::2", settings) == nil)
        for insecure in ["http", "", "wss-not", "https, http"] {
            #expect(try passage([("X-Forwarded-Proto", insecure)], from: "10.1.2.3", settings) == nil, "\(insecure)")
        }
    }

    @Test func `CO-88: requests of this machine are taken as before, and their header fields count only if it is a proxy`() throws
    {
        for peer in ["127.0.0.1", "::1"] {
            let direct = try #require(try passage(secure, from: peer, settings(["10.0.0.0/8"])))
            #expect(!direct.usesTLS && direct.shownAddress == peer)
            #expect(try passage([], from: peer, settings([peer]))?.usesTLS == false)
            #expect(try passage(secure, from: peer, settings([peer]))?.usesTLS == true)
            #expect(try passage([("X-Forwarded-Proto", "http")], from: peer, settings([peer])) == nil)
        }
        #expect(try passage(secure, from: "127.0.0.1", settings(trusts: true))?.shownAddress == "203.0.113.7")
        #expect(try passage(secure, from: "10.1.2.3", settings(trusts: true))?.shownAddress == "10.1.2.3")
    }

    @Test func `CO-88: with a certificate of its own the port takes everybody over TLS`() throws {
        let settings = try settings(["10.0.0.0/8"], usesTLS: true)
        for peer in ["10.1.2.3", "192.168.0.1", "127.0.0.1"] {
            #expect(try passage([], from: peer, settings)?.usesTLS == true)
        }
        #expect(try passage(secure, from: "10.1.2.3", settings)?.shownAddress == "203.0.113.7")
        #expect(try passage([("X-Forwarded-Proto", "http")], from: "10.1.2.3", settings) == nil)
    }
}
