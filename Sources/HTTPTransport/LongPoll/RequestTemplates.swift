import AsyncHTTPClient
import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

/// Makes the HTTP library's requests. Parsing a URL is slow, so that there is one of each method only; the connection puts the
/// target in its place.
struct RequestTemplates {
    private let url: Result<String, ConnectionFailure>
    private let authority: String
    private var templates: [String: HTTPClient.Request] = [:]

    init(_ endpoint: HTTPEndpoint, through proxy: HTTPProxy?) {
        authority = endpoint.authority
        url = Result { () throws(ConnectionFailure) in
            if proxy != nil, endpoint.usesTLS, endpoint.isAddress { throw .unverifiableAddress }
            return try endpoint.base
        }
    }

    /// A request with the number of its exchange.
    ///
    /// - Throws: category `badRequest` for what cannot be asked for: line breaks in the target or a header, a port out of range,
    ///   no host (rule HT-7).
    mutating func request(for exchange: HTTPExchange, number: UInt64) throws(ConnectionFailure) -> HTTPClient.Request {
        guard exchange.target.utf8.first == UInt8(ascii: "/"), exchange.target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ConnectionFailure(.badRequest, "The request target is not percent-encoded.")
        }
        var request = try template(exchange.method)
        request.headers.add(name: PendingExchanges.field, value: String(number))
        for header in exchange.headers {
            guard !header.name.isEmpty else { throw ConnectionFailure(.badRequest, "A header has no name.") }
            request.headers.add(name: header.name, value: header.value)
        }
        if !exchange.body.isEmpty { request.body = .byteBuffer(ByteBuffer(bytes: exchange.body)) }
        return request
    }

    private mutating func template(_ method: String) throws(ConnectionFailure) -> HTTPClient.Request {
        if let template = templates[method] { return template }
        guard !method.isEmpty, method.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) else {
            throw ConnectionFailure(.badRequest, "The method is malformed.")
        }
        do {
            let template = try HTTPClient.Request(
                url: url.get(), method: HTTPMethod(rawValue: method), headers: ["Host": authority])
            templates[method] = template
            return template
        } catch let failure as ConnectionFailure {
            throw failure
        } catch {
            throw ConnectionFailure(.badRequest, "The host is missing or malformed.")
        }
    }
}

extension HTTPEndpoint {
    /// The host without the brackets that IPv6 addresses have in URLs.
    private var bareHost: String {
        host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether the host is an address and not a name.
    var isAddress: Bool { (try? SocketAddress(ipAddress: bareHost, port: 0)) != nil }

    private var bracketedHost: String { bareHost.contains(":") ? "[\(bareHost)]" : bareHost }

    /// The value of `Host`.
    var authority: String {
        port == (usesTLS ? 443 : 80) ? bracketedHost : "\(bracketedHost):\(port)"
    }

    /// The URL of every connection.
    var base: String {
        get throws(ConnectionFailure) {
            let forbidden = "/?#@%\\\"<>^`{|}"
            guard !bareHost.isEmpty, bareHost.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !forbidden.utf8.contains($0) }) else {
                throw ConnectionFailure(.badRequest, "The host is missing or malformed.")
            }
            guard (1...65535).contains(port) else { throw ConnectionFailure(.badRequest, "The port is out of range.") }
            return "\(usesTLS ? "https" : "http")://\(bracketedHost):\(port)/"
        }
    }
}
