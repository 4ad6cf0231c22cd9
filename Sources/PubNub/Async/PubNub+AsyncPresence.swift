import Foundation
import PubNubProtocol
import WireCoding

/// The users who are present on a channel. An addition to the Cocoa SDK.
public struct PNPresentUsers: Hashable, Sendable {
    /// The number of users.
    public let occupancy: Int
    /// The users' ids; empty when only the number was requested.
    public let users: [String]
    /// The users' presence states as JSON text, by user id. Users without a state are left out.
    public let states: [String: String]

    init(_ channel: PubNubHereNow.Channel) {
        occupancy = channel.occupancy
        users = (channel.users ?? []).map(\.id)
        let pairs = (channel.users ?? []).compactMap { user in user.state.map { (user.id, $0.text) } }
        states = Dictionary(pairs) { $1 }
    }
}

// Async functions for presence and users' states, an addition to the Cocoa SDK. They do not use the callback queue.
extension PubNub {
    /// Fetches the users who are present on `channels` and on the channels of `groups`, by channel. Without channels and groups, the answer
    /// covers all channels.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func hereNow(
        on channels: [String] = [], inGroups groups: [String] = [], verbosity: PNHereNowVerbosityLevel = .state
    ) async throws(PNCallError) -> [String: PNPresentUsers] {
        let call = PubNubHereNowCall(channels: channels, groups: groups, verbosity: verbosity.verbosity)
        return Dictionary(try await answer(to: call).channels.map { ($0.name, PNPresentUsers($0)) }) { $1 }
    }

    /// Fetches the channels on which a user, by default the client's own user, is present.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func whereNow(_ user: String? = nil) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubWhereNowCall(userID: user ?? uuid()))
    }

    /// Sets the presence state of a user, by default the client's own user, on channels and on the channels of groups.
    ///
    /// - Parameters:
    ///   - state: a value that is encoded as a JSON object.
    ///   - channels: the channels' names.
    ///   - groups: the channel groups' names.
    ///   - user: the user's id; nil for the client's own user.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func setState(
        _ state: some Encodable & Sendable, on channels: [String], inGroups groups: [String] = [], of user: String? = nil
    ) async throws(PNCallError) {
        let text = try json(state)
        let set = try await answer(
            to: PubNubSetStateCall(channels: channels, groups: groups, userID: user ?? uuid(), state: text))
        if user == nil || user == uuid() { remember(set, of: channels + groups) }
    }

    /// Fetches the state of a user, by default the client's own user, on a channel. The result is JSON text, `{}` for no state.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func state(on channel: String, of user: String? = nil) async throws(PNCallError) -> String {
        try await answer(to: PubNubGetStateCall(channels: [channel], userID: user ?? uuid()))[channel]?.text ?? "{}"
    }
}

// Async functions for channel groups, an addition to the Cocoa SDK.
extension PubNub {
    /// Fetches the names of all channel groups of the keyset.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func allChannelGroups() async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListGroupsCall())
    }

    /// Fetches the names of the channels in a group.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func channels(inGroup group: String) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListGroupCall(group: group))
    }

    /// Adds channels to a group, at most 200 at once.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func add(_ channels: [String], toGroup group: String) async throws(PNCallError) {
        try await answer(to: PubNubChangeGroupCall(group: group, .add, channels: channels))
    }

    /// Removes channels from a group, at most 200 at once.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func remove(_ channels: [String], fromGroup group: String) async throws(PNCallError) {
        try await answer(to: PubNubChangeGroupCall(group: group, .remove, channels: channels))
    }

    /// Removes a channel group together with its list of channels.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func removeGroup(_ group: String) async throws(PNCallError) {
        try await answer(to: PubNubRemoveGroupCall(group: group))
    }
}
