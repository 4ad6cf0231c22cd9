import PubNubProtocol
import ServerRuntime

/// A request of the PubNub API with everything that its answer depends on.
struct PubNubServerRequest: Sendable {
    var method: String
    var target: RequestTarget
    /// The body as received, possibly compressed.
    var body: [UInt8]
    /// The header field `If-Match`.
    var ifMatch: String?
    /// The server's address for the client: `https://example.com/prefix`. Only the files service uses it; nil for a request without
    /// a host.
    var base: String?
    /// The address that the request comes from; nil when it is not known or not limited.
    var client: String?

    /// A query parameter: its last value when it is repeated, nil when it is missing. Unknown parameters are ignored.
    func parameter(_ name: String) -> String? {
        target.parameters.last { $0.name == name }?.value
    }

    /// Names between commas in a query parameter.
    func list(_ name: String) -> [String] {
        parameter(name).map(PubNubAddress.list) ?? []
    }

    /// A Boolean parameter in each of the spellings that client libraries use: `true`, `1`, or `false`, `0`; nil for anything else.
    func flag(_ name: String) -> Bool? {
        switch parameter(name) {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    /// A timetoken; nil when it is missing or no number.
    func timetoken(_ name: String) -> Timetoken? {
        parameter(name).flatMap { Timetoken($0) }
    }

    /// The user id of the client that sends the request.
    var user: String? { parameter("uuid") }
    /// An auth key or an access token.
    var auth: String? { parameter("auth") }
    var groups: [String] { list("channel-group") }
}
