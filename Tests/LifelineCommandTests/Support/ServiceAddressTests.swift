import Lifeline
import Testing

@testable import LifelineCommand

@Suite("--url")
struct ServiceAddressTests {
    @Test(
        "CL-7: http, https, ws and wss are taken; the scheme says whether there is TLS",
        arguments: [
            ("http://127.0.0.1:6001", ServiceHost("127.0.0.1", port: 6001, tls: false), nil),
            ("WSS://example.com", ServiceHost("example.com", port: 443, tls: true), nil),
            ("ws://example.com/", ServiceHost("example.com", port: 80, tls: false), nil),
            ("https://[::1]:8443/a/b", ServiceHost("::1", port: 8443, tls: true), "/a/b"),
        ] as [(String, ServiceHost, String?)])
    func taken(text: String, host: ServiceHost, path: String?) throws {
        let address = try ServiceAddress(text)
        #expect(address.host == host)
        #expect(address.path == path)
    }

    @Test(
        "CL-7: everything else is wrong usage and says how to write it",
        arguments: [
            "example.com", "ftp://example.com", "http://", "http://u:p@example.com", "http://h/?a=1", "http://h:0",
            "http://h:70000",
            "", "http://h#x",
        ])
    func refused(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try ServiceAddress(text) }
        #expect(failure?.kind == .usage)
    }
}
