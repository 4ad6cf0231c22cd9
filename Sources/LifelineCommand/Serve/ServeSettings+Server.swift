import Foundation
import LifelineServer
import NIOCore
import RealtimeHub

// What concerns the server as a whole. Rule SO-1.
extension ServeSettings {
    /// The settings that have a default in the library, put into a configuration.
    static func server(
        _ options: ServeServerOptions, _ sources: SettingSources, _ problems: inout SettingProblems
    ) -> ServerConfiguration {
        var server = ServerConfiguration(drainTimeout: drainTimeout)
        func read<Value>(_ body: () throws(CommandFailure) -> Value?) -> Value? { problems.attempt(body).flatMap(\.self) }

        let prefix = sources.value("pathPrefix", ("--path-prefix", options.pathPrefix))
        if let path = read({ () throws(CommandFailure) in try prefix.map { value throws(CommandFailure) in try pathPrefix(value) }
        }) {
            server.pathPrefix = path
        }
        let origins = options.corsOrigin.isEmpty ? nil : options.corsOrigin.joined(separator: ",")
        if let value = sources.value("corsOrigins", ("--cors-origin", origins)),
            let found = read({ () throws(CommandFailure) in
                try value.strings().map { text throws(CommandFailure) in try corsOrigin(text, value) }
            })
        {
            server.corsOrigins = found
        }
        server.threads = read { () throws(CommandFailure) in try sources.number("threads", 1...64, ("--threads", options.threads))
        }
        let numbers: [(String, WritableKeyPath<ServerConfiguration, Int>, ClosedRange<Int>, (String, String?)?)] = [
            ("maxConnections", \.maximumConnections, 0...10_000_000, ("--max-connections", options.maxConnections)),
            (
                "maxConnectionsPerAddress", \.maximumConnectionsPerAddress, 0...10_000_000,
                ("--max-connections-per-address", options.maxConnectionsPerAddress)
            ),
            (
                "connectionRatePerAddress", \.connectionRatePerAddress, 0...1_000_000,
                ("--connection-rate-per-address", options.connectionRatePerAddress)
            ),
            ("maxMessageBytes", \.maximumMessageBytes, 1_024...16_777_216, nil),
            ("maxRequestBytes", \.maximumRequestBytes, 1_024...1_073_741_824, nil),
            ("maxPendingBytes", \.maximumPendingBytes, 16_384...1_073_741_824, nil),
            ("maxQueuedBytes", \.maximumQueuedBytes, 65_536...1_073_741_824, nil),
            ("pollQueueLength", \.pollQueueLength, 1...10_000, nil),
        ]
        for (name, field, range, option) in numbers {
            if let value = read({ () throws(CommandFailure) in try sources.number(name, range, option) }) {
                server[keyPath: field] = value
            }
        }
        let flags: [(String, WritableKeyPath<ServerConfiguration, Bool>, Bool?)] = [
            ("trustProxyHeaders", \.trustsProxyHeaders, options.trustProxyHeaders),
            ("limitLoopback", \.limitsLoopback, options.limitLoopback), ("reusePort", \.reusesPort, options.reusePort),
        ]
        for (name, field, flag) in flags {
            if let value = read({ () throws(CommandFailure) in try sources.truth(name, flag) }) { server[keyPath: field] = value }
        }
        let durations: [(String, WritableKeyPath<ServerConfiguration, Duration>, ClosedRange<Int>)] = [
            ("pongTimeout", \.pongTimeout, 1...3_600), ("requestTimeout", \.requestTimeout, 1...3_600),
            ("keepAliveTimeout", \.keepAliveTimeout, 1...86_400), ("messageTimeout", \.messageTimeout, 1...3_600),
            ("closeTimeout", \.closeTimeout, 1...3_600), ("publishTimeout", \.publishTimeout, 1...3_600),
            ("drainTimeout", \.drainTimeout, 0...3_600), ("chatHeartbeat", \.chatHeartbeat, 1...3_600),
        ]
        for (name, field, range) in durations {
            if let value = read({ () throws(CommandFailure) in try sources.number(name, range) }) {
                server[keyPath: field] = .seconds(value)
            }
        }
        if let code = read({ () throws(CommandFailure) in try sources.number("drainCode", 4_100...4_299) }) {
            server.drainCode = UInt16(code)
        }
        return server
    }

    /// `/realtime`, whether it came with a slash at the end or not.
    private static func pathPrefix(_ value: SettingValue) throws(CommandFailure) -> String {
        // An empty prefix is none.
        var text = value.isNull ? "" : try value.string()[...]
        while text.last == "/" { text.removeLast() }
        let allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/".utf8
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard text.isEmpty || text.first == "/", text.utf8.allSatisfy({ allowed.contains($0) }),
            parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." })
        else {
            throw value.wrong("a path such as /realtime, of letters, digits and - . _ ~")
        }
        return String(text)
    }

    /// As browsers write it, since it is compared byte by byte: in small letters, without the scheme's own port and without a slash.
    private static func corsOrigin(_ text: String, _ value: SettingValue) throws(CommandFailure) -> String {
        if text == "*" || text == "null" { return text }
        var origin = text.lowercased()
        if origin.hasSuffix("/") { origin.removeLast() }
        guard origin.contains("://"), !origin.contains("*"), OriginPattern(origin) != nil else {
            throw value.failure(
                "has \"\(text.prefix(60).printable)\"; it must be a list of origins such as https://example.com, or * for all.")
        }
        for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
        where origin.hasPrefix(scheme) && origin.hasSuffix(port) {
            origin.removeLast(port.count)
        }
        return origin
    }

    /// The address of a collector of traces, `/v1/traces` at its end.
    static func tracesEndpoint(_ options: ServeLogOptions, _ sources: SettingSources) throws(CommandFailure) -> String? {
        guard let value = sources.value("tracesEndpoint", ("--traces-endpoint", options.tracesEndpoint)) else { return nil }
        var text = try value.string()
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.query == nil, url.fragment == nil
        else {
            throw value.wrong("an address such as http://127.0.0.1:4318, without a user and a query")
        }
        return text.hasSuffix("/v1/traces") ? text : text + "/v1/traces"
    }

    /// An address, with or without the brackets that it has in URLs, or a name.
    static func host(_ value: SettingValue?) throws(CommandFailure) -> String {
        guard let value else { return "127.0.0.1" }
        let text = try value.string()
        let isBracketed = text.hasPrefix("[") && text.hasSuffix("]") && text.count > 2
        let host = isBracketed ? String(text.dropFirst().dropLast()) : text
        let address = String(host.prefix { $0 != "%" })
        let isAddress = (try? SocketAddress(ipAddress: address, port: 0)) != nil
        let isName = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
        guard isAddress || (isName && !isBracketed) else {
            throw value.wrong("an address or a name, without scheme and port, such as 127.0.0.1, 0.0.0.0, ::1 or ::")
        }
        return host
    }

    /// The services that run: all, unless some are named.
    static func services(_ option: String?, _ sources: SettingSources) throws(CommandFailure) -> Set<ServiceName> {
        guard let value = sources.value("services", ("--services", option)) else { return Set(ServiceName.allCases) }
        let names = try value.strings()
        let services = names.compactMap { ServiceName(word: $0) }
        guard !services.isEmpty, services.count == names.count else {
            throw value.wrong("a list of services that run: " + ServiceName.allCases.map(\.word).joined(separator: ", "))
        }
        return Set(services)
    }
}
