import ConnectionEngine
import Testing

@testable import HTTPTransport

/// Rule HT-3: which URLs can be asked, and for what.
@Suite struct RequestLocationTests {
    @Test(arguments: [
        ("http://host", "host", 80, false, "/"), ("HTTPS://host/", "host", 443, true, "/"),
        ("http://host:8080/a/b?c=d#e", "host", 8080, false, "/a/b?c=d"), ("http://host?q=1", "host", 80, false, "/?q=1"),
        ("http://host#f", "host", 80, false, "/"), ("http://host:/a", "host", 80, false, "/a"),
        ("http://[::1]:81/", "::1", 81, false, "/"), ("https://[2001:db8::7]", "2001:db8::7", 443, true, "/"),
        ("http://user:pass@host/", "host", 80, false, "/"), ("http://a@b@host/", "host", 80, false, "/"),
        ("http://host/a%2Fb%20c", "host", 80, false, "/a%2Fb%20c"), ("http://host/a b", "host", 80, false, "/a%20b"),
        ("http://host/é?ü=\"", "host", 80, false, "/%C3%A9?%C3%BC=%22"), ("http://host/a@b:c", "host", 80, false, "/a@b:c"),
    ])
    func `A URL is taken apart`(url: String, host: String, port: Int, usesTLS: Bool, target: String) throws {
        let location = try RequestLocation(url)
        #expect(location.endpoint == HTTPEndpoint(host: host, port: port, usesTLS: usesTLS) && location.target == target)
    }

    @Test(arguments: [
        "", "http", "http:", "http:/host", "http:host", "//host/", "ftp://host/", "http://", "http:///a", "http://:80/",
        "http://host:0/", "http://host:65536/", "http://host:99999999999999999999/", "http://host:8a/", "http://host:-1/",
        "http://a:b:c/", "http://[::1/", "http://::1/", "http://[::1]a/", "http://[::1]a:80/", "http://[host]:80x/",
        "http://h\\o/",
        "http://ho st/", "http://hö/", "http://h%6Fst/", "http://host/\r\nX: y", "http://host/\u{0}", "http://host\t/",
        "http://h|/",
        "http://[zz::1]/",
    ])
    func `What is no URL of HTTP is refused`(url: String) {
        let failure = #expect(throws: ConnectionFailure.self) { try RequestLocation(url) }
        #expect(failure?.category == .badRequest)
    }
}
