import ConnectionEngine
import NIOCore
import NIOHTTP1
import WebSocketFraming

/// The request that opens a WebSocket, checked before a connection is opened.
struct UpgradeRequest: Sendable {
    let head: HTTPRequestHead
    let handshake: ClientHandshake

    /// - Throws: category `badRequest` for an invalid request: line breaks in the target or a header, a header that belongs to the
    /// handshake, a port out of range, no host (rule WT-4).
    init(endpoint: WebSocketEndpoint, key: WebSocketKey) throws(ConnectionFailure) {
        guard !endpoint.bareHost.isEmpty,
            endpoint.bareHost.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw ConnectionFailure(.badRequest, "The host is missing or malformed.")
        }
        guard (1...65535).contains(endpoint.port) else { throw ConnectionFailure(.badRequest, "The port is out of range.") }
        guard endpoint.target.utf8.first == UInt8(ascii: "/"), endpoint.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConnectionFailure(.badRequest, "The request target is not percent-encoded.")
        }
        guard endpoint.subprotocols.allSatisfy(Self.isToken) else {
            throw ConnectionFailure(.badRequest, "A subprotocol has a malformed name.")
        }
        handshake = ClientHandshake(key: key, subprotocols: endpoint.subprotocols)
        var headers = HTTPHeaders([("Host", endpoint.authority)] + handshake.requestFields)
        for header in endpoint.headers {
            guard Self.isToken(header.name), header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw ConnectionFailure(.badRequest, "A header has a malformed name or value.")
            }
            guard !Self.isReserved(header.name.lowercased()) else {
                throw ConnectionFailure(.badRequest, "The header \(header.name) belongs to the handshake and cannot be set.")
            }
            headers.add(name: header.name, value: header.value)
        }
        head = HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.target, headers: headers)
    }

    /// Whether a header field belongs to the handshake itself or to another recipient. Such a field is refused, because dropping it
    /// silently would make the caller assume that it was sent.
    private static func isReserved(_ name: String) -> Bool {
        name.hasPrefix("sec-websocket-") || reserved.contains(name)
    }

    private static let reserved: Set = [
        "host", "connection", "upgrade", "content-length", "transfer-encoding", "te", "trailer", "expect", "proxy-authorization",
        "proxy-connection",
    ]

    /// Whether `text` is a token of HTTP (RFC 9110, 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        let marks = "!#$%&'*+-.^_`|~"
        return !text.isEmpty
            && text.unicodeScalars.allSatisfy {
                $0.isASCII
                    && ($0.properties.isAlphabetic || $0.properties.numericType != nil || marks.unicodeScalars.contains($0))
            }
    }
}

extension WebSocketEndpoint {
    /// The host without the brackets that IPv6 addresses have in URLs.
    var bareHost: String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The value of `Host`.
    var authority: String {
        let name = bareHost.contains(":") ? "[\(bareHost)]" : bareHost
        return port == (usesTLS ? 443 : 80) ? name : "\(name):\(port)"
    }
}
