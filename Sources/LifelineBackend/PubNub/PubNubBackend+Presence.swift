import PubNubProtocol
import WireCoding

/// The users who are present on a channel.
public struct PubNubOccupancy: Hashable, Sendable {
    /// The channel.
    public var channel: String
    /// The number of users on the channel.
    public var count: Int
    /// The ids of the users on the channel. The service lists a limited number of them, so there may be fewer than ``count``.
    public var users: [String]
}

// Presence. Rule BK-8.
extension PubNubBackend {
    /// Requests the users on channels. Channels without users may be missing in the result.
    ///
    /// - Throws: the error of the call.
    public func hereNow(on channels: [String]) async throws(BackendError) -> [PubNubOccupancy] {
        guard !channels.isEmpty else { throw .badRequest("The list of channels is empty. Name at least one channel.") }
        let answer = try await make(PubNubHereNowCall(channels: channels, verbosity: .users), .always)
        return answer.channels.map { channel in
            PubNubOccupancy(channel: channel.name, count: channel.occupancy, users: (channel.users ?? []).map(\.id))
        }
    }

    /// Requests the names of the channels on which a user is present.
    ///
    /// - Throws: the error of the call.
    public func whereNow(_ userID: String) async throws(BackendError) -> [String] {
        try await make(PubNubWhereNowCall(userID: userID), .always)
    }

    /// Sets the state of a user on channels. The state is a JSON object, and the service keeps it until the user leaves.
    ///
    /// - Throws: the error of the call.
    public func setState(_ json: String, of userID: String, on channels: [String]) async throws(BackendError) {
        let state = try Self.checked(json, "The state")
        _ = try await make(PubNubSetStateCall(channels: channels, userID: userID, state: state), .beforeSending)
    }

    /// Requests the state of a user on a channel, a JSON object; nil when the service has none.
    ///
    /// - Throws: the error of the call.
    public func state(of userID: String, on channel: String) async throws(BackendError) -> String? {
        let states = try await make(PubNubGetStateCall(channels: [channel], userID: userID), .always)
        return states.first { $0.key.utf8.elementsEqual(channel.utf8) }?.value.text
    }
}
