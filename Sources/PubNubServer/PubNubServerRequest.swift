import PubNubProtocol
import RealtimeHub
import ServerRuntime

/// A request of the PubNub API with everything that its answer depends on.
struct PubNubServerRequest: Sendable {
    var method: String
    var target: RequestTarget
    /// As it came: possibly compressed.
    var body: [UInt8]
    /// The header field `If-Match`.
    var ifMatch: String?
    /// The server as the client reaches it: `https://example.com/prefix`. Only the files service needs it; nil for a request without a host.
    var base: String?
    /// Names the address that the request comes from; nil where it is not known or not limited.
    var client: String?

    /// A query parameter; the last one when it is repeated, nil when it is missing. Unknown ones are nobody's business.
    func parameter(_ name: String) -> String? {
        target.parameters.last { $0.name == name }?.value
    }

    /// Names between commas in a query parameter.
    func list(_ name: String) -> [String] {
        parameter(name).map(PubNubAddress.list) ?? []
    }

    /// A switch, in each of the spellings that libraries use: `true`, `1`, or `false`, `0`; nil for anything else.
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

    /// Who asks.
    var user: String? { parameter("uuid") }
    /// An auth key or an access token.
    var auth: String? { parameter("auth") }
    var groups: [String] { list("channel-group") }
}
