import ConnectionEngine

/// The parts of an absolute URL: the endpoint to connect to, and path and query.
struct RequestLocation: Hashable, Sendable {
    var endpoint: HTTPEndpoint
    /// Path and query.
    var target: String

    /// Parses a URL.
    ///
    /// - Throws: category `badRequest` for a text that is not a URL with scheme `http` or `https`, or contains control characters.
    init(_ url: String) throws(ConnectionFailure) {
        let bytes = Array(url.utf8)
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw Self.malformed }
        let usesTLS: Bool
        switch String(decoding: bytes.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased() {
        case "http": usesTLS = false
        case "https": usesTLS = true
        default: throw ConnectionFailure(.badRequest, "The URL begins with neither http:// nor https://.")
        }
        let rest = bytes.dropFirst(usesTLS ? 5 : 4)
        guard rest.starts(with: "://".utf8) else { throw Self.malformed }
        let authority = rest.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        endpoint = try Self.endpoint(authority, usesTLS: usesTLS)
        target = Self.target(bytes[authority.endIndex...].prefix { $0 != UInt8(ascii: "#") })
    }

    private static let malformed = ConnectionFailure(
        .badRequest, "The URL is malformed: it must be like https://host:port/path, without control characters.")

    private static func endpoint(_ authority: ArraySlice<UInt8>, usesTLS: Bool) throws(ConnectionFailure) -> HTTPEndpoint {
        // A user name before `@` is left out and not sent.
        let place =
            authority.lastIndex(of: UInt8(ascii: "@")).map { authority.suffix(from: authority.index(after: $0)) } ?? authority
        var host = place
        var port = place[place.endIndex...]
        let end = place.first == UInt8(ascii: "[") ? place.lastIndex(of: UInt8(ascii: "]")) : place.startIndex
        guard let end else { throw malformed }
        if let colon = place[end...].lastIndex(of: UInt8(ascii: ":")) {
            host = place[..<colon]
            port = place.suffix(from: place.index(after: colon))
        }
        guard port.count <= 5, port.allSatisfy({ (0x30...0x39).contains($0) }) else { throw malformed }
        let isAddress = host.first == UInt8(ascii: "[")
        // Without brackets, a second colon makes the host invalid.
        if !isAddress && host.contains(UInt8(ascii: ":")) || isAddress && host.last != UInt8(ascii: "]") { throw malformed }
        let number = port.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        let bare = isAddress ? host.dropFirst().dropLast() : host
        let endpoint = HTTPEndpoint(
            host: String(decoding: bare, as: UTF8.self), port: port.isEmpty ? (usesTLS ? 443 : 80) : number, usesTLS: usesTLS)
        if let fault = endpoint.fault { throw fault }
        return endpoint
    }

    /// Path and query. Bytes that are not allowed in URLs are percent-encoded.
    private static func target(_ bytes: ArraySlice<UInt8>) -> String {
        var target = bytes.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in bytes {
            if byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte) {
                target.append(byte)
            } else {
                target += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: target, as: UTF8.self)
    }
}
