import ConnectionEngine

/// The reason why a request failed, with the service's description. All errors of this protocol have this type.
///
/// `failure.reason` and `information` are safe to show, because neither contains the client's tokens, keys or payloads.
public struct PubNubProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The failure's category, the HTTP status, and details from the transport.
    public var failure: ConnectionFailure
    /// The text of the service's answer, from `message`, `error`, `error_message` or `error.message` with its details; nil for none.
    public var information: String?
    /// The channels to which access was denied (`payload.channels`).
    public var channels: [String]
    /// The groups to which access was denied, with their leading colon (`payload.channel-groups`).
    public var channelGroups: [String]
    /// The member `payload` of the answer as JSON text, if it lists neither denied channels nor denied groups; otherwise nil.
    public var payload: String?

    public init(
        _ failure: ConnectionFailure, information: String? = nil, channels: [String] = [], channelGroups: [String] = [],
        payload: String? = nil
    ) {
        self.failure = failure
        self.information = information
        self.channels = channels
        self.channelGroups = channelGroups
        self.payload = payload
    }

    /// The error for an answer with elements that could not be read and were left out (rule PX-50).
    public static func unreadable(_ count: Int) -> PubNubProblem {
        let reason = "\(count) of the messages in the service's answer could not be read and were left out."
        return PubNubProblem(ConnectionFailure(.malformedResponse, reason, origin: .server), information: reason)
    }

    public var category: StatusCategory { failure.category }

    /// The failure with the text of the service's answer in its reason, for callers that get only the failure (rule PX-54).
    var told: ConnectionFailure {
        guard failure.httpStatus != nil, let information, !information.isEmpty else { return failure }
        var failure = failure
        failure.reason += " It says: \(information.prefix(300))"
        return failure
    }

    public var description: String {
        information.map { "\(failure) – \($0)" } ?? failure.description
    }
}
