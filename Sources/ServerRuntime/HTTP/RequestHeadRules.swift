import NIOHTTP1

/// Requirements of a request head beyond those of the HTTP library: its host, and how it announces the end of the body (rules SV-47 and
/// SV-48).
///
/// A proxy in front of the server may interpret an ambiguous head differently, and see one request where the server sees two. Such a head
/// is therefore refused, and the connection is closed after the answer. A pure value.
package enum RequestHeadRules {
    /// Returns why a request with this head is refused; nil when it is accepted.
    package static func problem(of head: HTTPRequestHead) -> HTTPProblem? {
        guard hasRoom(for: head.headers) else { return .headerTooLarge }
        let hosts = head.headers["host"]
        let mayHaveNoHost = head.version == .http1_0
        guard hosts.count == 1 || (hosts.isEmpty && mayHaveNoHost), hosts.allSatisfy({ isHost($0.utf8) }) else {
            return .invalidHost
        }
        let codings = head.headers["transfer-encoding"]
        guard codings.isEmpty || (codings.count == 1 && !mayHaveNoHost && isChunked(codings[0].utf8)) else {
            return .unknownTransferCoding
        }
        return nil
    }

    /// Whether the header fields are within their limits. The HTTP library cannot check this, because it has one limit for targets and
    /// fields (``RequestParser``), and targets may be longer.
    private static func hasRoom(for fields: HTTPHeaders) -> Bool {
        var total = 0
        for (name, value) in fields {
            let bytes = name.utf8.count + value.utf8.count
            total += bytes
            guard bytes <= PlainRequestHead.maximumFieldBytes, total <= PlainRequestHead.maximumFieldsBytes else { return false }
        }
        return true
    }

    /// Whether a byte can be part of a host or its port: the characters of RFC 3986, without the comma, because a comma joins two fields
    /// into one.
    package static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "%"), UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"),
            UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "="):
            true
        default: false
        }
    }

    private static func isHost(_ value: String.UTF8View) -> Bool {
        trimmed(value).allSatisfy(isHostByte)
    }

    private static func isChunked(_ value: String.UTF8View) -> Bool {
        trimmed(value).map { $0 | 0x20 }.elementsEqual("chunked".utf8)
    }

    /// Removes the spaces and tabs around a value.
    private static func trimmed(_ value: String.UTF8View) -> Substring.UTF8View {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var rest = value[...]
        while let first = rest.first, isSpace(first) { rest = rest.dropFirst() }
        while let last = rest.last, isSpace(last) { rest = rest.dropLast() }
        return rest
    }
}
