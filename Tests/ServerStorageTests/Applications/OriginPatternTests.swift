import ServerStorage
import Testing

@Suite("Allowed origins (rule SO-10)")
struct OriginPatternTests {
    @Test(
        "Pages that a pattern means",
        arguments: [
            ("https://example.com", "https://example.com"),
            ("https://example.com", "https://example.com:443"),
            ("https://example.com:443", "https://example.com"),
            ("http://example.com", "http://example.com:80"),
            ("HTTPS://Example.COM", "https://example.com"),
            ("https://example.com/", "https://example.com"),
            ("https://example.com:8443", "https://example.com:8443"),
            ("https://*.example.com", "https://www.example.com"),
            ("https://*.example.com", "https://a.b.example.com"),
            ("*.example.com", "http://www.example.com:8080"),
            ("example.com", "https://example.com"),
            ("example.com", "http://example.com:3000"),
            ("example.com", "capacitor://example.com"),
            ("example.com:3000", "http://example.com:3000"),
            ("http://localhost:*", "http://localhost:5173"),
            ("http://localhost:*", "http://localhost"),
            ("localhost", "http://localhost:5173"),
            ("http://[::1]:3000", "http://[::1]:3000"),
            ("[::1]", "http://[::1]:3000"),
            ("http://127.0.0.1", "http://127.0.0.1"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
            ("null", "null"),
            ("*", "https://anything.example"), ("*", "null"), ("*", "not an origin"),
        ])
    func matching(pattern: String, origin: String) throws {
        let pattern = try #require(OriginPattern(pattern))
        #expect(pattern.matches(origin))
    }

    @Test(
        "Pages that it does not mean",
        arguments: [
            ("https://example.com", "http://example.com"),
            ("https://example.com", "https://example.com:8443"),
            ("https://example.com", "https://www.example.com"),
            ("https://example.com", "https://example.com.evil.example"),
            ("https://example.com", "https://evilexample.com"),
            ("https://example.com", "https://example.com@evil.example"),
            ("https://example.com", "https://evil.example/https://example.com"),
            ("https://example.com", "https://example.com/"),
            ("https://example.com", "https://example.com."),
            ("https://example.com", "example.com"),
            ("https://example.com", " https://example.com"),
            ("https://example.com", "https://example.com https://evil.example"),
            ("https://example.com", ""), ("https://example.com", "null"), ("example.com", "null"),
            ("https://*.example.com", "https://example.com"),
            ("https://*.example.com", "https://.example.com"),
            ("https://*.example.com", "https://evilexample.com"),
            ("https://*.example.com", "https://www.example.com.evil.example"),
            ("https://*.example.com", "http://www.example.com"),
            ("example.com:3000", "http://example.com"),
            ("http://localhost:*", "https://localhost:5173"),
            ("http://[::1]:3000", "http://[::1]:3001"),
            ("http://127.0.0.1", "http://127.0.0.11"),
            ("https://xn--bcher-kva.example", "https://bücher.example"),
            ("https://k.example", "https://\u{212A}.example"),
            ("null", "https://null"), ("null", "file://"),
        ])
    func other(pattern: String, origin: String) throws {
        let pattern = try #require(OriginPattern(pattern))
        #expect(!pattern.matches(origin))
    }

    @Test(
        "What is no pattern",
        arguments: [
            "", "https://", "https://example.com/path", "https://exa*ple.com", "https://*", "*.", "*example.com",
            "https://bücher.example", "https://example.com:port", "https://example.com:70000", "https://a.com:80:*",
            "https://a.com b.com", "://a.com", "1http://a.com", "https://[::1", "https://[evil]", "user@example.com",
        ])
    func invalid(text: String) {
        #expect(OriginPattern(text) == nil)
    }

    @Test("A list lets in what one of its patterns means, an empty one everybody, and one that cannot be read nobody")
    func lists() {
        #expect(OriginPattern.allow("https://b.example", by: ["https://a.example", "https://b.example"]))
        #expect(!OriginPattern.allow("https://c.example", by: ["https://a.example", "https://b.example"]))
        #expect(OriginPattern.allow("anything", by: []))
        #expect(!OriginPattern.allow("https://a.example", by: ["https://a.example/path"]))
    }
}
