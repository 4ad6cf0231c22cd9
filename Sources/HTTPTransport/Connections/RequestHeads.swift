import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

/// Makes the heads of requests to one origin, and checks the requests (rules HT-3 and HT-7).
struct RequestHeads: Sendable {
    private let host: HTTPHeaders
    private let fault: ConnectionFailure?

    init(_ endpoint: HTTPEndpoint) {
        host = ["Host": endpoint.authority]
        fault = endpoint.fault
    }

    /// Makes the head of a request. `Content-Length` is derived from the body; the caller's `Content-Length` and `Transfer-Encoding` are
    /// left out.
    ///
    /// - Throws: category `badRequest` for an invalid request, for example line breaks in the target or a header, an invalid port, or a
    ///   missing host.
    func head(for exchange: HTTPExchange) throws(ConnectionFailure) -> HTTPRequestHead {
        if let fault { throw fault }
        guard exchange.target.utf8.first == UInt8(ascii: "/"), exchange.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConnectionFailure(
                .badRequest, "Percent-encode the path and query of the request: begin with /, and use ASCII without spaces.")
        }
        guard Self.isMethod(exchange.method) else {
            throw ConnectionFailure(
                .badRequest, "The request method must consist of capital letters, and must not be CONNECT or TRACE.")
        }
        var headers = host
        for header in exchange.headers {
            guard !header.name.isEmpty else { throw ConnectionFailure(.badRequest, "A header of the request has no name.") }
            guard HTTPText.isToken(header.name), HTTPText.isFieldValue(header.value) else {
                throw ConnectionFailure(
                    .badRequest, "A header has an invalid character, such as a line break, in its name or value.")
            }
            switch header.name.lowercased() {
            case "host":
                throw ConnectionFailure(.badRequest, "The header Host cannot be set, because it is derived from the URL.")
            case "content-length", "transfer-encoding": continue
            default: headers.add(name: header.name, value: header.value)
            }
        }
        if !exchange.body.isEmpty || !["GET", "HEAD", "DELETE"].contains(exchange.method) {
            headers.add(name: "Content-Length", value: String(exchange.body.count))
        }
        return HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: exchange.method), uri: exchange.target, headers: headers)
    }

    /// Whether a method is valid: capital letters only. `CONNECT` and `TRACE` are refused, because HTTP has special rules for the
    /// bodies of their requests and answers.
    private static func isMethod(_ method: String) -> Bool {
        !method.isEmpty && method.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && method != "CONNECT" && method != "TRACE"
    }
}

/// Checks which characters may be part of a header (RFC 9110, 5.5 and 5.6.2).
enum HTTPText {
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}

extension HTTPEndpoint {
    /// The host without the brackets that an IPv6 address has in a URL.
    var bareHost: String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    private var bracketedHost: String { bareHost.contains(":") ? "[\(bareHost)]" : bareHost }

    /// The value of the `Host` header: the host, and the port unless it is the default one.
    var authority: String {
        port == (usesTLS ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
    }

    /// The reason why this endpoint is invalid; nil for a valid one.
    var fault: ConnectionFailure? {
        let forbidden = "/?#@%\\\"<>^`{|}[]"
        let host = bareHost
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !forbidden.utf8.contains($0) }) else {
            return ConnectionFailure(.badRequest, "The host name of the server is missing or malformed.")
        }
        // A host with a colon must be an IPv6 address.
        if host.utf8.contains(UInt8(ascii: ":")), (try? SocketAddress(ipAddress: host, port: 0)) == nil {
            return ConnectionFailure(.badRequest, "The host name of the server is missing or malformed.")
        }
        guard (1...65535).contains(port) else {
            return ConnectionFailure(.badRequest, "The port is out of range. A port is a number from 1 to 65535.")
        }
        return nil
    }
}
