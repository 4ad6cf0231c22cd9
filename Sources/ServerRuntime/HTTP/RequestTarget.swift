import WireCoding

/// The target of a request line: its path and query, split and percent-decoded.
///
/// A value that is independent of routes. The server never uses a path to open a file, so `..` and encoded slashes are only text (rule
/// SV-7).
package struct RequestTarget: Hashable, Sendable {
    /// The path as received.
    package var rawPath: String
    /// The query as received, without the question mark before it.
    package var rawQuery: String
    /// The parts of the path between slashes, each percent-decoded separately: an encoded slash stays inside its part.
    package var segments: [String]
    /// The parameters of the query, in the order of the request.
    package var parameters: [Parameter]

    package struct Parameter: Hashable, Sendable {
        package var name: String
        package var value: String
    }

    /// The largest accepted length of a target in bytes, which is PubNub's limit.
    package static let maximumBytes = 32_768

    package init(parsing target: String) throws(HTTPProblem) {
        var target = target
        self = try target.withUTF8 { bytes in
            Result { () throws(HTTPProblem) in try RequestTarget(parsing: UnsafeRawBufferPointer(bytes)) }
        }.get()
    }

    package init(parsing bytes: UnsafeRawBufferPointer) throws(HTTPProblem) {
        guard bytes.count <= Self.maximumBytes else { throw .targetTooLong }
        guard let start = Self.startOfPath(bytes) else { throw .malformedTarget }
        guard !bytes.clamped(from: start).contains(UInt8(ascii: "#")) else { throw .malformedTarget }
        let mark = bytes.clamped(from: start).firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        rawPath = String(decoding: bytes.clamped(from: start, to: mark), as: UTF8.self)
        rawQuery = String(decoding: bytes.clamped(from: mark).dropFirst(), as: UTF8.self)
        segments = []
        for part in bytes.clamped(from: start, to: mark).dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        {
            segments.append(try Self.decoded(part, plusIsSpace: false))
        }
        parameters = []
        for pair in bytes.clamped(from: mark).dropFirst().split(separator: UInt8(ascii: "&")) {
            let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            parameters.append(
                Parameter(
                    name: try Self.decoded(pair[..<equals], plusIsSpace: true),
                    value: try Self.decoded(pair[equals...].dropFirst(), plusIsSpace: true)))
        }
    }

    /// Returns the parts of the path without decoding. This works for every target, even a malformed one, so that its service can be
    /// determined.
    package static func rawSegments(of bytes: UnsafeRawBufferPointer) -> [String] {
        bytes.clamped(from: startOfPath(bytes) ?? 0).prefix { $0 != UInt8(ascii: "?") }.dropFirst()
            .split(separator: UInt8(ascii: "/"), maxSplits: 7, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the index of the path's first byte: 0, or after the host if the target has the absolute form, which RFC 9112 (3.2.2)
    /// requires servers to accept.
    package static func startOfPath(_ bytes: UnsafeRawBufferPointer) -> Int? {
        if bytes.first == UInt8(ascii: "/") { return 0 }
        guard bytes.starts(with: "http://".utf8) || bytes.starts(with: "https://".utf8),
            let slash = bytes.dropFirst(8).firstIndex(of: UInt8(ascii: "/"))
        else { return nil }
        return slash
    }

    /// The same target with a path that no route accepts, so that the request is answered with 404.
    package var nowhere: RequestTarget {
        var target = self
        target.segments = []
        return target
    }

    /// The path with its escapes decoded.
    package var decodedPath: String { "/" + segments.joined(separator: "/") }

    /// Returns the value of a query parameter; nil when it is missing. Throws when the parameter occurs twice.
    package func value(of name: String) throws(HTTPProblem) -> String? {
        var found: String?
        for parameter in parameters where parameter.name == name {
            if found != nil { throw .repeatedParameter }
            found = parameter.value
        }
        return found
    }

    private static func decoded(_ bytes: Slice<UnsafeRawBufferPointer>, plusIsSpace: Bool) throws(HTTPProblem) -> String {
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes), plusIsSpace: plusIsSpace) else {
            throw .targetNotText
        }
        return text
    }
}
