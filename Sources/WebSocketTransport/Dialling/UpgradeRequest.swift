import ConnectionEngine
import NIOCore
import NIOHTTP1
import WebSocketFraming

/// The HTTP request that opens a WebSocket. It is checked before a connection is opened.
struct UpgradeRequest: Sendable {
    let head: HTTPRequestHead
    let handshake: ClientHandshake

    /// Makes and checks the request.
    ///
    /// - Throws: category `badRequest` for an invalid request: line breaks in the target or a header, a header that belongs to the
    ///   handshake, an invalid port, or a missing host (rule WT-4).
    init(endpoint: WebSocketEndpoint, key: WebSocketKey) throws(ConnectionFailure) {
        guard !endpoint.bareHost.isEmpty,
            endpoint.bareHost.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else {
            throw ConnectionFailure(.badRequest, "The host name of the server is missing or malformed.")
        }
        guard (1...65535).contains(endpoint.port) else {
            throw ConnectionFailure(.badRequest, "The port is out of range. A port is a number from 1 to 65535.")
        }
        guard endpoint.target.utf8.first == UInt8(ascii: "/"), endpoint.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConnectionFailure(
                .badRequest, "Percent-encode the path and query of the WebSocket URL: begin with /, and use ASCII without spaces."
            )
        }
        guard endpoint.subprotocols.allSatisfy(Self.isToken) else {
            throw ConnectionFailure(
                .badRequest, "The name of a WebSocket subprotocol is empty or has an invalid character, such as a space.")
        }
        handshake = ClientHandshake(key: key, subprotocols: endpoint.subprotocols)
        var headers = HTTPHeaders([("Host", endpoint.authority)] + handshake.requestFields)
        for header in endpoint.headers {
            guard Self.isToken(header.name), header.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                throw ConnectionFailure(
                    .badRequest, "A header has no name, or an invalid character such as a line break in its name or value.")
            }
            guard !Self.isReserved(header.name.lowercased()) else {
                throw ConnectionFailure(
                    .badRequest, "The header \(header.name) cannot be set, because the WebSocket handshake sets it.")
            }
            headers.add(name: header.name, value: header.value)
        }
        head = HTTPRequestHead(version: .http1_1, method: .GET, uri: endpoint.target, headers: headers)
    }

    /// Whether a header is set by the handshake, describes a body, which the upgrade request does not have, or is meant for a proxy. Such a
    /// header is refused, because the caller would not notice if it were left out.
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
    /// The host without the brackets that an IPv6 address has in a URL.
    var bareHost: String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// The value of the `Host` header: the host, and the port unless it is the default one.
    var authority: String {
        let name = bareHost.contains(":") ? "[\(bareHost)]" : bareHost
        return port == (usesTLS ? 443 : 80) ? name : "\(name):\(port)"
    }
}
