/// A pattern for the origins of web pages that may connect to an application: `https://example.com`, `https://*.example.com`, `example.com`
/// for any scheme and port, `http://localhost:*` for any port, `null`, or `*` for all.
///
/// An origin is the value of the `Origin` header field (RFC 6454, 6.1): scheme, host and, unless it is the scheme's default, port. Neither
/// the origin nor the pattern is decoded or completed, so a text that is not a valid origin matches only `*` (rule SO-10).
public struct OriginPattern: Hashable, Sendable {
    private enum Kind: Hashable {
        case all
        /// The origin `null`, which browsers send for pages without an origin, for example from files or in sandboxes.
        case opaque
        /// Origins with these parts. A scheme or port of nil matches any value.
        case site(scheme: String?, host: String, isWildcard: Bool, port: Int?)
    }

    private let kind: Kind

    /// Parses a pattern. Nil when `text` has a path, an asterisk at another position, or characters that an origin cannot have.
    /// International names have to be written in the form that browsers send (`xn--…`).
    public init?(_ text: String) {
        guard var text = text.lowercasedASCII else { return nil }
        if text == "*" {
            kind = .all
        } else if text == "null" {
            kind = .opaque
        } else {
            // A trailing slash is accepted, because addresses copied from browsers have one.
            if text.hasSuffix("/"), !text.hasSuffix("://") { text.removeLast() }
            var hasAnyPort = false
            if text.hasSuffix(":*") {
                text.removeLast(2)
                hasAnyPort = true
            }
            guard let parts = OriginParts(text) else { return nil }
            let isWildcard = parts.host.hasPrefix("*.")
            let host = isWildcard ? String(parts.host.dropFirst(2)) : parts.host
            guard !host.isEmpty, !host.contains("*"), !hasAnyPort || parts.port == nil else { return nil }
            let port = hasAnyPort ? nil : parts.port ?? parts.scheme.flatMap(OriginParts.defaultPort)
            kind = .site(scheme: parts.scheme, host: host, isWildcard: isWildcard, port: port)
        }
    }

    /// Whether the value of an `Origin` field matches the pattern.
    public func matches(_ origin: String) -> Bool {
        if kind == .all { return true }
        guard let origin = origin.lowercasedASCII else { return false }
        switch kind {
        case .all: return true
        case .opaque: return origin == "null"
        case .site(let scheme, let host, let isWildcard, let port):
            guard let parts = OriginParts(origin), let actual = parts.scheme, scheme == nil || scheme == actual else {
                return false
            }
            if let port, port != parts.port ?? OriginParts.defaultPort(actual) { return false }
            // An asterisk stands for one or more complete labels of the host name.
            return isWildcard ? parts.host.hasSuffix("." + host) && !parts.host.hasPrefix(".") : parts.host == host
        }
    }

    /// Whether an application with these patterns accepts a page of this origin. Without patterns, all pages are accepted; a text that is
    /// not a valid pattern matches no page.
    public static func allow(_ origin: String, by patterns: [String]) -> Bool {
        patterns.isEmpty || patterns.contains { OriginPattern($0)?.matches(origin) == true }
    }
}

extension String {
    /// The text in lower case; nil when it contains non-ASCII characters, because some letters of other alphabets have an ASCII letter as
    /// their lower case.
    fileprivate var lowercasedASCII: String? {
        utf8.allSatisfy { $0 < 0x80 } ? lowercased() : nil
    }
}

/// The scheme, host and port of an origin or of a pattern, in lower case.
private struct OriginParts {
    var scheme: String?
    var host: String
    var port: Int?

    init?(_ text: String) {
        var rest = text[...]
        if let separator = rest.firstRange(of: "://") {
            let scheme = rest[..<separator.lowerBound]
            guard let first = scheme.utf8.first, Self.isLetter(first), scheme.utf8.allSatisfy(Self.isSchemeByte) else {
                return nil
            }
            self.scheme = String(scheme)
            rest = rest[separator.upperBound...]
        }
        let end: Substring.Index
        if rest.hasPrefix("[") {
            guard let bracket = rest.firstIndex(of: "]"),
                rest[..<bracket].dropFirst().utf8.allSatisfy({ Self.isAddressByte($0) })
            else { return nil }
            end = rest.index(after: bracket)
        } else {
            end = rest.firstIndex(of: ":") ?? rest.endIndex
            guard rest[..<end].utf8.allSatisfy(Self.isHostByte) else { return nil }
        }
        host = String(rest[..<end])
        guard !host.isEmpty else { return nil }
        if end < rest.endIndex {
            let digits = rest[end...].dropFirst()
            guard rest[end] == ":", digits.utf8.count <= 5, digits.utf8.allSatisfy(Self.isDigit), let port = Int(digits),
                port <= 65_535
            else { return nil }
            self.port = port
        }
    }

    static func defaultPort(_ scheme: String) -> Int? {
        switch scheme {
        case "http", "ws": 80
        case "https", "wss": 443
        default: nil
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte) || byte == UInt8(ascii: ":")
            || byte == UInt8(ascii: ".")
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "*")
    }
}
