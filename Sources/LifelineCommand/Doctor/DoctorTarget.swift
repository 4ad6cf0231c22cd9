import Foundation
import Lifeline
import NIOCore
import TransportCommon
import WireCoding

/// The target of the examination, from the command line.
struct DoctorTarget: Sendable {
    var service: ServiceKind
    var host: String
    var port: Int
    var usesTLS: Bool
    /// The prefix of the service's own paths, such as `/realtime`; empty for none.
    var prefix: String
    var key: String
    /// Whether a key other than the default was given.
    var hasOwnKey: Bool
    var secret: String?
    var appID: String
    /// PubNub's publish key.
    var publishKey = "demo"
    /// The access token for PubNub or chat; nil when none was given.
    var token: String?
    /// The user for whom the chat server issues a token.
    var user: String?
    /// The channel to use; nil for a new one.
    var channel: String?
    var proxy: HTTPProxy?

    private static let example = "Write the address like https://example.com, ws://127.0.0.1:6001/app/KEY, or --cluster eu."

    /// - Throws: a usage error for a missing, invalid or contradictory address (rule CL-31).
    init(
        service: ServiceKind = .pusher, url: String?, cluster: String? = nil, key: String? = nil, secret: String? = nil,
        appID: String = "1001", channel: String? = nil, proxy: String? = nil
    ) throws(CommandFailure) {
        let address: Address
        switch (url, cluster) {
        case (let url?, nil): address = try Self.read(url)
        case (nil, let cluster?):
            guard service == .pusher else { throw CommandFailure("--cluster is for pusher.", .usage) }
            guard !cluster.isEmpty, cluster.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }) else {
                throw CommandFailure("--cluster \(cluster) is not a name of a cluster. Write it like --cluster eu.", .usage)
            }
            address = Address(host: "ws-\(cluster).pusher.com", port: 443, usesTLS: true, prefix: "", key: nil)
        case (nil, nil): throw CommandFailure("Say what to examine. \(Self.example)", .usage)
        case (.some, .some): throw CommandFailure("The URL and --cluster exclude each other. Give one of them.", .usage)
        }
        if let inURL = address.key, let key, inURL != key {
            throw CommandFailure("The key \(inURL) in the URL differs from the key of --key. Give only one key.", .usage)
        }
        self.service = service
        (host, port, usesTLS, prefix) = (address.host, address.port, address.usesTLS, address.prefix)
        hasOwnKey = (address.key ?? key) != nil
        self.key = address.key ?? key ?? (service == .pubnub ? "demo" : "app-key")
        self.secret = secret
        self.appID = appID
        self.channel = channel
        self.proxy = try proxy.map { text throws(CommandFailure) in try Self.readProxy(text) }
    }

    private struct Address {
        var host: String
        var port: Int
        var usesTLS: Bool
        var prefix: String
        var key: String?
    }

    /// Reads an address: `http`, `https`, `ws` or `wss`; a path that ends in `/app/KEY` has the key. The query is accepted, so that an
    /// address can be copied from a browser.
    private static func read(_ text: String) throws(CommandFailure) -> Address {
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            throw CommandFailure("\(Finding.quote(text)) is not an address. \(example)", .usage)
        }
        guard ["http", "https", "ws", "wss"].contains(scheme) else {
            throw CommandFailure("An address cannot begin with \(scheme):. \(example)", .usage)
        }
        let host = (parts.host ?? "").trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        guard !host.isEmpty else { throw CommandFailure("The address names no host. \(example)", .usage) }
        guard parts.user == nil, parts.password == nil else {
            throw CommandFailure("The address must not hold credentials. \(example)", .usage)
        }
        let usesTLS = scheme == "https" || scheme == "wss"
        let port = parts.port ?? (usesTLS ? 443 : 80)
        guard (1...65_535).contains(port) else {
            throw CommandFailure("The port in the URL is not valid. A port is a number from 1 to 65535.", .usage)
        }
        var path = parts.path.split(separator: "/").map(String.init)
        var key: String?
        if path.count >= 2, path[path.count - 2] == "app" {
            key = path.removeLast()
            path.removeLast()
        }
        return Address(host: host, port: port, usesTLS: usesTLS, prefix: path.map { "/" + $0 }.joined(), key: key)
    }

    /// `http://[USER:PASSWORD@]HOST:PORT`, or `HOST:PORT`.
    static func readProxy(_ text: String) throws(CommandFailure) -> HTTPProxy {
        let wrong = CommandFailure("--proxy takes http://HOST:PORT or http://USER:PASSWORD@HOST:PORT.", .usage)
        let url = text.contains("://") ? text : "http://\(text)"
        guard let parts = URLComponents(string: url), parts.scheme == "http", let host = parts.host, !host.isEmpty else {
            throw wrong
        }
        let port = parts.port ?? 3128
        guard (1...65_535).contains(port) else { throw wrong }
        return HTTPProxy(
            host: host.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: port,
            credentials: parts.user.map { HTTPProxy.Credentials(user: $0, password: parts.password ?? "") })
    }

    // MARK: Derived values

    /// Whether the URL of a PubNub server has a path prefix. No client of this package can connect there, because PubNub clients accept
    /// only a host and a port (rule SO-123).
    var isPubNubBelowPath: Bool { service == .pubnub && !prefix.isEmpty }
    var isAddress: Bool { (try? SocketAddress(ipAddress: host, port: port)) != nil }
    private var bracketed: String { host.contains(":") ? "[\(host)]" : host }
    /// Host and port.
    var authority: String { "\(bracketed):\(port)" }
    /// The value of the header `Host`.
    var hostHeader: String { port == (usesTLS ? 443 : 80) ? bracketed : authority }
    /// The path that Pusher clients connect to.
    var appPath: String { "\(prefix)/app/\(PercentEncoding.encode(key))" }
    var serviceHost: ServiceHost { ServiceHost(host, port: port, tls: usesTLS) }

    /// The base URL of Pusher's HTTP API. Pusher's own servers have separate hosts for the API and for WebSockets: `api-eu.pusher.com` and
    /// `ws-eu.pusher.com`.
    var api: String {
        let isPushers = host.hasPrefix("ws-") && host.hasSuffix(".pusher.com")
        let name = isPushers ? "api-" + host.dropFirst(3) : bracketed
        return "\(usesTLS ? "https" : "http")://\(name):\(port)\(prefix)"
    }

    /// The result of the step `configuration`, which makes no connection.
    var verdict: StepVerdict {
        let words = [
            service.word, usesTLS ? "TLS" : "no TLS", authority, service == .pusher ? appPath : "key \(key)",
            hasOwnKey ? nil : "the default key",
        ].compactMap { $0 }.joined(separator: ", ")
        if key.isEmpty || key.contains(where: { $0.isWhitespace || "\"'`<>".contains($0) }) { return .failed(.malformedKey) }
        if let secret, ConstantTime.areEqual(secret, key) { return .failed(.secretIsKey) }
        if host.hasPrefix("api-"), host.hasSuffix(".pusher.com") {
            return .failed(.apiHost(host, instead: "ws-" + host.dropFirst(4)))
        }
        if host == "pusher.com" || host == "api.pusherapp.com" {
            return .failed(.apiHost(host, instead: "ws-CLUSTER.pusher.com"))
        }
        if usesTLS ? port == 80 : port == 443 { return .noted(words, .portAndScheme(port: port, usesTLS: usesTLS)) }
        if !usesTLS, NetworkMonitor.concerns(host: host) { return .noted(words, .unencrypted(host: host)) }
        return .passed(words)
    }
}
