import Identifiers
import WireCoding

// Permissions and presence.
extension TestService {
    /// From now on the service refuses subscriptions to a channel; existing subscriptions stay.
    ///
    /// Pusher refuses with 4009 or by the authorisation endpoint. PubNub answers 403, and its clients try again. Chat refuses to let a
    /// client enter an open channel or use a group, with an error.
    public func deny(_ channel: String) {
        core.change { state in state.channel(channel) { $0.isDenied = true } }
    }

    /// Reverts ``deny(_:)``.
    public func allow(_ channel: String) {
        core.change { state in state.channel(channel) { $0.isDenied = false } }
    }

    /// Another user joins a channel: a presence channel of Pusher, any channel of PubNub, or an open channel of chat. A user who joins a
    /// group of chat becomes a member.
    ///
    /// - Parameters:
    ///   - user: the member's id.
    ///   - channel: the channel, as the app names it.
    ///   - info: the member's data as JSON text; nil for none.
    /// - Throws: ``TestServiceError/Code/wrongMember`` when the user is present already.
    public func join(_ user: String, to channel: String, info: String? = nil) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            guard !state.channel(channel, { $0.has(user) }) else {
                throw TestServiceError(.wrongMember, "User \(user) is on channel \(channel) already.")
            }
            state.arrive(TestMember(id: user, info: info), on: channel)
        }
    }

    /// A present member changes the data that other users see. PubNub's clients get an event, as after `Presence.setOwnData(_:)`. The
    /// protocols of Pusher and chat have no such event; their clients get the new data with later requests and subscriptions.
    ///
    /// - Parameters:
    ///   - user: the id of the member.
    ///   - channel: the channel, as the app names it.
    ///   - info: the data as a JSON object.
    /// - Throws: ``TestServiceError/Code/wrongMember`` when the user is not present, ``TestServiceError/Code/unencodable`` for a text that
    ///   is not a JSON object.
    public func update(_ user: String, on channel: String, info: String) async throws(TestServiceError) {
        guard (try? JSONText(info))?.kind == .object else {
            throw TestServiceError(.unencodable, "The member's data (info) must be a JSON object.")
        }
        try await act { (state) throws(TestServiceError) in
            guard state.update(TestMember(id: user, info: info), on: channel) else {
                throw TestServiceError(.wrongMember, "User \(user) is not on channel \(channel).")
            }
        }
    }

    /// Another user types on a channel, as with `Typing.keystroke()`: on private and presence channels of Pusher, on any channel of PubNub,
    /// and on `direct:USER` of chat, where the typing user is always `USER`. Clients show it for 6 s of the service's time.
    ///
    /// - Throws: ``TestServiceError/Code/notSubscribed`` when no client was ever subscribed to the channel.
    public func startTyping(_ user: String, on channel: String) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            try state.requireSubscriber(of: channel)
            state.setTyping(true, of: user, on: channel)
        }
    }

    /// Another user has stopped typing, as with `Typing.stop()`. Chat has no such message, so its clients are not notified.
    ///
    /// - Throws: ``TestServiceError/Code/notSubscribed`` when no client was ever subscribed to the channel.
    public func stopTyping(_ user: String, on channel: String) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            try state.requireSubscriber(of: channel)
            state.setTyping(false, of: user, on: channel)
        }
    }

    /// Removes another user from a channel, as if the user had left it.
    ///
    /// - Throws: ``TestServiceError/Code/wrongMember`` when the user is not present.
    public func leave(_ user: String, from channel: String) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            let members = state.channel(channel) { $0.members.map(\.id) }
            guard members.contains(where: { $0.isExactly(user) }) else {
                let present =
                    members.isEmpty
                    ? "The channel has no members." : "The channel's members are: \(members.joined(separator: ", "))."
                throw TestServiceError(.wrongMember, "User \(user) is not on channel \(channel). \(present)")
            }
            state.depart(user, from: channel)
        }
    }

    /// The ids of the members of a channel, including clients of the service, in the order in which they joined.
    public func members(of channel: String) -> [String] {
        core.read { $0.channels[Identifier(ServiceState.plain(channel))]?.members.map(\.id) ?? [] }
    }
}
