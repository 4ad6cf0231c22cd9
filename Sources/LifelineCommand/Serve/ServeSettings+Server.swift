import Foundation
import LifelineServer
import NIOCore
import ServerStorage

// Parses settings that are more than a number, a word or a boolean (rule SO-1).
extension ServeSettings {
    /// Parses a path prefix such as `/realtime`, with or without a slash at the end.
    static func pathPrefix(_ value: SettingValue) throws(CommandFailure) -> String {
        // An empty text means no prefix.
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

    /// Normalises an origin to the form that browsers send, because it is compared byte by byte: lower case, without the default port of
    /// its scheme and without a final slash.
    static func corsOrigin(_ text: String, _ value: SettingValue) throws(CommandFailure) -> String {
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

    /// Parses the address of a collector of traces, and completes it to end with `/v1/traces`.
    static func tracesEndpoint(_ value: SettingValue) throws(CommandFailure) -> String {
        var text = try value.string()
        while text.hasSuffix("/") { text.removeLast() }
        guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme), url.host?.isEmpty == false,
            url.user == nil, url.query == nil, url.fragment == nil
        else {
            let mayHavePassword = text.contains { "@?#".contains($0) }
            throw (mayHavePassword ? value.confidential : value).wrong(
                "an address such as http://127.0.0.1:4318, without a user and a query")
        }
        return text.hasSuffix("/v1/traces") ? text : text + "/v1/traces"
    }

    /// Parses an IP address, with or without brackets, or a host name.
    static func host(_ value: SettingValue) throws(CommandFailure) -> String {
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

    /// Parses the names of the services that run.
    static func services(_ value: SettingValue) throws(CommandFailure) -> Set<ServiceKind> {
        let names = try value.strings()
        let services = names.compactMap { ServiceKind(word: $0) }
        guard !services.isEmpty, services.count == names.count else {
            throw value.wrong("a list of services that run: " + ServiceKind.allCases.map(\.word).joined(separator: ", "))
        }
        return Set(services)
    }
}
