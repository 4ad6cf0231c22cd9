import ConnectionEngine
import Foundation
import PusherProtocol

/// The address of a client, as PusherSwift's URL and as the engine's endpoint.
enum PusherAddress {
    static let clientName = "pusher-websocket-swift"
    static let version = "10.1.10"
    static let protocolVersion = 7

    /// The URL `wss://host:port/app/KEY?client=…&version=…&protocol=7`. The key is percent-encoded and keeps its letter case.
    static func url(key: String, options: PusherClientOptions) -> String {
        let scheme = options.useTLS ? "wss" : "ws"
        let host = bracketed(options.host)
        let key = key.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? key
        return "\(scheme)://\(host):\(options.port)\(normalized(options.path))/app/\(key)"
            + "?client=\(clientName)&version=\(version)&protocol=\(protocolVersion)"
    }

    /// The endpoint of a URL with the scheme `ws`, `wss`, `http` or `https`; nil for any other text.
    static func endpoint(url: String) -> WebSocketEndpoint? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host, !host.isEmpty
        else { return nil }
        guard ["ws", "wss", "http", "https"].contains(scheme) else { return nil }
        let usesTLS = scheme == "wss" || scheme == "https"
        let port = parts.port ?? (usesTLS ? 443 : 80)
        guard (1...65_535).contains(port) else { return nil }
        let path = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
        return WebSocketEndpoint(
            host: host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: port, usesTLS: usesTLS,
            target: path + query, subprotocols: [PusherMemory.subprotocol])
    }

    /// The host as a URL needs it: an IPv6 address gets brackets, any other host is unchanged.
    private static func bracketed(_ host: String) -> String {
        host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
    }

    /// The path with one leading slash and without a trailing slash; empty for nil.
    private static func normalized(_ path: String?) -> String {
        guard let path else { return "" }
        let parts = path.split(separator: "/")
        return parts.isEmpty ? "" : "/" + parts.joined(separator: "/")
    }
}

extension CharacterSet {
    /// The characters that never need percent-encoding in a URL (RFC 3986, section 2.3).
    static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
