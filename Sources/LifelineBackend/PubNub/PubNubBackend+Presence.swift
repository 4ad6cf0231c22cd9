import PubNubProtocol
import WireCoding

/// The users on a channel.
public struct PubNubOccupancy: Hashable, Sendable {
    /// The channel.
    public var channel: String
    /// The number of users.
    public var count: Int
    /// The users' ids, as many as the service lists in one answer.
    public var users: [String]
}

// Presence. Rule BK-8.
extension PubNubBackend {
    /// The users on channels; channels without users may be missing.
    ///
    /// - Throws: the error of the call.
    public func hereNow(on channels: [String]) async throws(BackendError) -> [PubNubOccupancy] {
        guard !channels.isEmpty else { throw .badRequest("Name at least one channel.") }
        let answer = try await make(PubNubHereNowCall(channels: channels, verbosity: .users), .always)
        return answer.channels.map { channel in
            PubNubOccupancy(channel: channel.name, count: channel.occupancy, users: (channel.users ?? []).map(\.id))
        }
    }

    /// The channels on which a user is present.
    ///
    /// - Throws: the error of the call.
    public func whereNow(_ userID: String) async throws(BackendError) -> [String] {
        try await make(PubNubWhereNowCall(userID: userID), .always)
    }

    /// Sets the state of a user on channels: a JSON object, until the user leaves.
    ///
    /// - Throws: the error of the call.
    public func setState(_ json: String, of userID: String, on channels: [String]) async throws(BackendError) {
        let state = try Self.checked(json, "The state")
        _ = try await make(PubNubSetStateCall(channels: channels, userID: userID, state: state), .beforeSending)
    }

    /// The state of a user on a channel, as a JSON object; nil when the service has none.
    ///
    /// - Throws: the error of the call.
    public func state(of userID: String, on channel: String) async throws(BackendError) -> String? {
        let states = try await make(PubNubGetStateCall(channels: [channel], userID: userID), .always)
        return states.first { $0.key.utf8.elementsEqual(channel.utf8) }?.value.text
    }
}
