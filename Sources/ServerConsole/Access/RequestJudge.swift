import NIOCore
import NIOHTTP1
import WireCoding

/// Decides whether a request comes from the console's own page (rules CO-16 and CO-17).
package struct RequestJudge: Hashable, Sendable {
    /// The host names under which the console is available, in addition to IP addresses and `localhost`.
    package let names: Set<String>

    package init(names: [String] = []) {
        self.names = Set(names.map { $0.lowercased() })
    }

    package static let cookie = "lifeline_console"
    package static let secureCookie = "__Host-lifeline_console"
    package static let tokenField = "x-lifeline-token"

    /// Whether the header field `Host` names this server. A foreign domain that resolves to the server's address is refused (DNS
    /// rebinding).
    package func allowsHost(_ headers: HTTPHeaders) -> Bool {
        let hosts = headers["host"]
        guard hosts.count == 1, let host = Self.host(of: hosts[0]) else { return false }
        if host == "localhost" || names.contains(host) { return true }
        return (try? SocketAddress(ipAddress: host, port: 0)) != nil
    }

    /// The host of a `Host` field without its port, in lower case; nil for an invalid field.
    private static func host(of field: String) -> String? {
        let text = field.lowercased()
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { return nil }
            return String(text.prefix(upTo: end).dropFirst())
        }
        let host = text.prefix { $0 != ":" }
        return host.isEmpty ? nil : String(host)
    }

    /// Whether a call that makes changes comes from a page of the console's own origin, according to the browser's header fields. Programs
    /// other than browsers do not send these fields and are accepted, because an attacker cannot make them send another user's cookie.
    package func isFromOwnPage(_ headers: HTTPHeaders) -> Bool {
        let sites = headers["sec-fetch-site"]
        guard sites.count <= 1, sites.first.map({ $0 == "same-origin" }) ?? true else { return false }
        let origins = headers["origin"]
        guard origins.count <= 1 else { return false }
        guard let origin = origins.first else { return true }
        guard let host = headers.first(name: "host") else { return false }
        return ["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    }

    /// Whether a call contains the token of its session, and a body of a type that no HTML form can send.
    package func isMeant(_ headers: HTTPHeaders, token: String) -> Bool {
        let tokens = headers[Self.tokenField]
        return tokens.count == 1 && ConstantTime.areEqual(tokens[0], token) && isJSON(headers)
    }

    package func isJSON(_ headers: HTTPHeaders) -> Bool {
        let types = headers["content-type"]
        guard types.count == 1 else { return false }
        return types[0].lowercased().split(separator: ";").first.map { $0.filter { $0 != " " } } == "application/json"
    }

    /// The session id in the request's cookie. Nil if the request has no session cookie, or several.
    package func session(_ headers: HTTPHeaders, usesTLS: Bool) -> String? {
        let name = usesTLS ? Self.secureCookie : Self.cookie
        var found: String?
        for pair in headers["cookie"].flatMap({ $0.split(separator: ";") }) {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].filter({ $0 != " " }) == name else { continue }
            // Several session cookies are refused, because an attacker who can set cookies for the host, but not read them, could have
            // added one.
            guard found == nil else { return nil }
            found = String(parts[1])
        }
        guard let found, found.utf8.count == 64,
            found.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        return found
    }

    /// The header field that sets the cookie of a session, or deletes it if `id` is nil.
    package func cookie(_ id: String?, usesTLS: Bool) -> (name: String, value: String) {
        let name = usesTLS ? Self.secureCookie : Self.cookie
        // A cookie whose name begins with `__Host-` must have the path `/`.
        let path = usesTLS ? "/; Secure" : "/console"
        return ("set-cookie", "\(name)=\(id ?? ""); Path=\(path); HttpOnly; SameSite=Strict\(id == nil ? "; Max-Age=0" : "")")
    }
}
