import Foundation
import Lifeline

/// The address of a service, from `--url` or `--api-url`.
struct ServiceAddress: Hashable, Sendable {
    var host: ServiceHost
    /// The prefix of all paths of the service; nil for none.
    var path: String?

    /// Parses an address: `http` and `ws` mean no TLS, `https` and `wss` mean TLS (rule CL-7).
    init(_ text: String, option: String = "--url") throws(CommandFailure) {
        let example = "Write the address like http://127.0.0.1:6001 or wss://example.com."
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            throw CommandFailure("\(option) \(text) is not an address. \(example)", .usage)
        }
        guard ["http", "https", "ws", "wss"].contains(scheme) else {
            throw CommandFailure("\(option) cannot begin with \(scheme)://. \(example)", .usage)
        }
        guard let name = parts.host, !name.isEmpty else {
            throw CommandFailure("\(option) \(text) names no host. \(example)", .usage)
        }
        guard parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil else {
            throw CommandFailure("\(option) takes scheme, host, port and path, and nothing more. \(example)", .usage)
        }
        if let port = parts.port, !(1...65_535).contains(port) {
            throw CommandFailure("The port in \(option) \(text) is not valid: a port is a number from 1 to 65535.", .usage)
        }
        let isTLS = scheme == "https" || scheme == "wss"
        host = ServiceHost(name.trimmingCharacters(in: CharacterSet(charactersIn: "[]")), port: parts.port, tls: isTLS)
        path = parts.path.isEmpty || parts.path == "/" ? nil : parts.path
    }
}
