import PubNubProtocol
import ServerRuntime

/// A request of the PubNub API: its method, target, body and the header fields that answers depend on.
struct PubNubServerRequest: Sendable {
    var method: String
    var target: RequestTarget
    /// The body as received, possibly compressed.
    var body: [UInt8]
    /// The header field `If-Match`.
    var ifMatch: String?
    /// The address of the server that the client uses, such as `https://example.com/prefix`. Only the files service needs it; nil for a
    /// request without a host.
    var base: String?
    /// The client's IP address; nil when it is unknown or not limited.
    var client: String?

    /// The value of a query parameter; nil when the parameter is missing. If it is repeated, the last value is used.
    func parameter(_ name: String) -> String? {
        target.parameters.last { $0.name == name }?.value
    }

    /// The comma-separated names in a query parameter; empty when the parameter is missing.
    func list(_ name: String) -> [String] {
        parameter(name).map(PubNubAddress.list) ?? []
    }

    /// A Boolean query parameter. Client libraries write `true` or `1`, and `false` or `0`; nil for any other value.
    func flag(_ name: String) -> Bool? {
        switch parameter(name) {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    /// The timetoken in a query parameter; nil when it is missing or not a number.
    func timetoken(_ name: String) -> Timetoken? {
        parameter(name).flatMap { Timetoken($0) }
    }

    /// The id of the user who sends the request, from the parameter `uuid`.
    var user: String? { parameter("uuid") }
    /// The auth key or access token of the request, from the parameter `auth`.
    var auth: String? { parameter("auth") }
    var groups: [String] { list("channel-group") }
}
