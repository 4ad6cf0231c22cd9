import Configuration
import LifelineServer
import NIOCore
import RealtimeHub

// What concerns the server as a whole. Rule SO-1.
extension ServeSettings {
    /// The settings that have a default in the library, put into a configuration.
    static func server(
        _ options: ServeServerOptions, _ reader: ConfigReader
    ) async throws(CommandFailure) -> ServerConfiguration {
        var server = ServerConfiguration(drainTimeout: drainTimeout)
        if let prefix = try await string(options.pathPrefix, "pathPrefix", in: reader) {
            server.pathPrefix = try Self.pathPrefix(prefix)
        }
        server.trustsProxyHeaders =
            try await truth(options.trustProxyHeaders, "trustProxyHeaders", in: reader) ?? server.trustsProxyHeaders
        if let origins = try await strings(options.corsOrigin, "corsOrigins", in: reader) {
            server.corsOrigins = try origins.map { text throws(CommandFailure) in try corsOrigin(text) }
        }
        server.threads = try await number(options.threads, "threads", 1...64, in: reader)
        if let value = try await number(options.maxConnections, "maxConnections", 0...10_000_000, in: reader) {
            server.maximumConnections = value
        }
        if let value = try await number(
            options.maxConnectionsPerAddress, "maxConnectionsPerAddress", 0...10_000_000, in: reader)
        {
            server.maximumConnectionsPerAddress = value
        }
        if let value = try await number(options.connectionRatePerAddress, "connectionRatePerAddress", 0...1_000_000, in: reader) {
            server.connectionRatePerAddress = value
        }
        server.limitsLoopback = try await truth(options.limitLoopback, "limitLoopback", in: reader) ?? server.limitsLoopback
        if let value = try await number(nil, "maxMessageBytes", 1_024...16_777_216, in: reader) {
            server.maximumMessageBytes = value
        }
        if let value = try await number(nil, "maxRequestBytes", 1_024...1_073_741_824, in: reader) {
            server.maximumRequestBytes = value
        }
        if let value = try await number(nil, "maxPendingBytes", 16_384...1_073_741_824, in: reader) {
            server.maximumPendingBytes = value
        }
        if let value = try await number(nil, "maxQueuedBytes", 65_536...1_073_741_824, in: reader) {
            server.maximumQueuedBytes = value
        }
        if let value = try await number(nil, "pollQueueLength", 1...10_000, in: reader) { server.pollQueueLength = value }
        if let value = try await number(nil, "drainCode", 4_100...4_299, in: reader) { server.drainCode = UInt16(value) }
        server.reusesPort = try await truth(options.reusePort, "reusePort", in: reader) ?? server.reusesPort
        let durations: [(ConfigKey, WritableKeyPath<ServerConfiguration, Duration>, ClosedRange<Int>)] = [
            ("pongTimeout", \.pongTimeout, 1...3_600), ("requestTimeout", \.requestTimeout, 1...3_600),
            ("keepAliveTimeout", \.keepAliveTimeout, 1...86_400), ("messageTimeout", \.messageTimeout, 1...3_600),
            ("closeTimeout", \.closeTimeout, 1...3_600), ("publishTimeout", \.publishTimeout, 1...3_600),
            ("drainTimeout", \.drainTimeout, 0...3_600),
            ("chatHeartbeat", \.chatHeartbeat, 1...3_600),
        ]
        for (key, field, range) in durations {
            if let value = try await number(nil, key, range, in: reader) { server[keyPath: field] = .seconds(value) }
        }
        return server
    }

    /// `/realtime`, whether it came with a slash at the end or not.
    private static func pathPrefix(_ text: String) throws(CommandFailure) -> String {
        var text = text[...]
        while text.last == "/" { text.removeLast() }
        let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard text.isEmpty || text.first == "/", text.utf8.allSatisfy({ allowed.contains($0) }),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else {
            throw CommandFailure(
                "The setting pathPrefix must be a path such as /realtime, of letters, digits and - . _ ~.", .usage)
        }
        return String(text)
    }

    /// As browsers write it, since it is compared byte by byte: in small letters, without the scheme's own port and without a slash.
    private static func corsOrigin(_ text: String) throws(CommandFailure) -> String {
        if text == "*" || text == "null" { return text }
        var origin = text.lowercased()
        if origin.hasSuffix("/") { origin.removeLast() }
        guard origin.contains("://"), !origin.contains("*"), OriginPattern(origin) != nil else {
            throw CommandFailure(
                "The setting corsOrigins must be a list of origins such as https://example.com, or * for all.", .usage)
        }
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        return origin
    }

    /// An address, with or without the brackets that it has in URLs, or a name.
    static func host(_ text: String) throws(CommandFailure) -> String {
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 2
        let host = isBracketed ? String(text.dropFirst().dropLast()) : text
        let address = String(host.prefix { $0 != "%" })
        let isAddress = (try? SocketAddress(ipAddress: address, port: 0)) != nil
        let isName = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        guard isAddress || (isName && !isBracketed) else {
            throw CommandFailure(
                "The setting host must be an address or a name, without scheme and port: 127.0.0.1, 0.0.0.0, ::1, ::.", .usage)
        }
        return host
    }

    /// The services that run: all, unless some are named.
    static func services(_ option: String?, _ reader: ConfigReader) async throws(CommandFailure) -> Set<ServiceName> {
        let given = option.map { $0.split(separator: ",").map(\.trimmingSpaces) }
        let set: [String]? = if let given { given } else { try await strings([], "services", in: reader) }
        guard let names = set else { return Set(ServiceName.allCases) }
        let services = names.compactMap { ServiceName(rawValue: $0) }
        guard !services.isEmpty, services.count == names.count else {
            let known = ServiceName.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure("The setting services must be a list of services that run: \(known).", .usage)
        }
        return Set(services)
    }

    static func strings(
        _ option: [String], _ key: ConfigKey, in reader: ConfigReader
    ) async throws(CommandFailure) -> [String]? {
        if !option.isEmpty { return option }
        let found: [String]?
        do {
            found = try await reader.fetchStringArray(forKey: key)
        } catch {
            throw CommandFailure("The setting \(key) must be a list of strings.", .usage)
        }
        return found.map { $0.map(\.trimmingSpaces).filter { !$0.isEmpty } }
    }
}
