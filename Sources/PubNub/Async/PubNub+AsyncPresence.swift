import Foundation
import PubNubProtocol
import WireCoding

/// Who is on a channel. An addition to the Cocoa SDK.
public struct PNPresentUsers: Hashable, Sendable {
    /// How many there are.
    public let occupancy: Int
    /// Who they are; empty when only the number was asked for.
    public let users: [String]
    /// The state of those who have one, as JSON text by user.
    public let states: [String: String]

    init(_ channel: PubNubHereNow.Channel) {
        occupancy = channel.occupancy
        users = (channel.users ?? []).map(\.id)
        let pairs = (channel.users ?? []).compactMap { user in user.state.map { (user.id, $0.text) } }
        states = Dictionary(pairs) { $1 }
    }
}

// Who is where, and what users tell of themselves, with async functions: an addition to the Cocoa SDK. None of them uses the callback
// queue.
extension PubNub {
    /// Who is on channels and on groups' channels, by channel; anywhere when neither is given.
    public func hereNow(
        on channels: [String] = [], inGroups groups: [String] = [], verbosity: PNHereNowVerbosityLevel = .state
    ) async throws(PNCallError) -> [String: PNPresentUsers] {
        let call = PubNubHereNowCall(channels: channels, groups: groups, verbosity: verbosity.verbosity)
        return Dictionary(try await answer(to: call).channels.map { ($0.name, PNPresentUsers($0)) }) { $1 }
    }

    /// On which channels a user is; the client's own by default.
    public func whereNow(_ user: String? = nil) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubWhereNowCall(userID: user ?? uuid()))
    }

    /// Sets a user's state on channels and on groups' channels; the client's own user by default.
    ///
    /// - Parameter state: has to encode as an object.
    public func setState(
        _ state: some Encodable & Sendable, on channels: [String], inGroups groups: [String] = [], of user: String? = nil
    ) async throws(PNCallError) {
        let text = try json(state)
        let set = try await answer(
            to: PubNubSetStateCall(channels: channels, groups: groups, userID: user ?? uuid(), state: text))
        if user == nil || user == uuid() { remember(set, of: channels + groups) }
    }

    /// A user's state on a channel as JSON text, `{}` for none; that of the client's own user by default.
    public func state(on channel: String, of user: String? = nil) async throws(PNCallError) -> String {
        try await answer(to: PubNubGetStateCall(channels: [channel], userID: user ?? uuid()))[channel]?.text ?? "{}"
    }
}

// Channel groups with async functions, an addition to the Cocoa SDK.
extension PubNub {
    /// The names of all groups of the keyset.
    public func allChannelGroups() async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListGroupsCall())
    }

    /// A group's channels.
    public func channels(inGroup group: String) async throws(PNCallError) -> [String] {
        try await answer(to: PubNubListGroupCall(group: group))
    }

    /// Adds channels to a group, at most 200 at once.
    public func add(_ channels: [String], toGroup group: String) async throws(PNCallError) {
        try await answer(to: PubNubChangeGroupCall(group: group, .add, channels: channels))
    }

    /// Removes channels from a group, at most 200 at once.
    public func remove(_ channels: [String], fromGroup group: String) async throws(PNCallError) {
        try await answer(to: PubNubChangeGroupCall(group: group, .remove, channels: channels))
    }

    /// Removes a group with all its channels.
    public func removeGroup(_ group: String) async throws(PNCallError) {
        try await answer(to: PubNubRemoveGroupCall(group: group))
    }
}
