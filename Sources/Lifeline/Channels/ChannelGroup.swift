/// A channel group: a list of channels that the service stores under a name, so that one subscription covers all of them. Only PubNub has
/// channel groups (rules LL-54 to LL-56).
///
/// ```swift
/// let news = client.channelGroup("news")
/// try await news.add(["sports", "weather"])
/// let room = try await news.subscribe()
/// for await message in room.messages { print(message.channel, message.event) }
/// ```
public struct ChannelGroup: Sendable {
    /// The group's name at the service.
    public let name: String
    let core: ClientCore

    /// Subscribes to all channels of the group, including channels that are added later. Returns when the service has confirmed the
    /// subscription. ``Channel/subscribe()`` describes how subscriptions behave.
    ///
    /// A message has the name of its channel in ``Message/channel``. Its ``Message/pattern`` is a colon and the group's name, which is also
    /// the name of the room. ``Room/presence`` lists every user who is on at least one of the channels. If a channel of the group is also
    /// subscribed directly, each of its messages is delivered once: either to the group's room or to the channel's room.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no groups; otherwise as ``Channel/subscribe()``.
    public func subscribe() async throws(LifelineError) -> Room {
        try await Channel(name: core.adapter.roomName(ofGroup: name), core: core).subscribe()
    }

    /// Ends the subscription of the group, for all its rooms; see ``Channel/unsubscribe()``. Does nothing when the group is not
    /// subscribed.
    public func unsubscribe() {
        guard let room = try? core.adapter.roomName(ofGroup: name) else { return }
        Channel(name: room, core: core).unsubscribe()
    }

    /// Requests the names of the group's channels from the service, with one HTTP request. The client does not have to be connected.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no groups; the failure of the request otherwise.
    public func channels() async throws(LifelineError) -> [String] {
        try await core.adapter.channels(ofGroup: name)
    }

    /// Requests every user who is on at least one channel of the group from the service. The client does not have to be connected. The
    /// result has at most 10,000 users of each channel.
    ///
    /// - Throws: as ``channels()``.
    public func members() async throws(LifelineError) -> [Member] {
        try await core.adapter.members(of: core.adapter.roomName(ofGroup: name))
    }

    /// Adds channels to the group. The service creates the group when its first channel is added.
    ///
    /// - Parameter channels: 1 to 200 names.
    /// - Throws: as ``channels()``; ``LifelineError/Code/badRequest`` for no channel, or for more than 200.
    public func add(_ channels: [String]) async throws(LifelineError) {
        try await core.adapter.change(group: name, .add(channels))
    }

    /// Removes channels from the group.
    ///
    /// - Parameter channels: 1 to 200 names.
    /// - Throws: as ``add(_:)``.
    public func remove(_ channels: [String]) async throws(LifelineError) {
        try await core.adapter.change(group: name, .remove(channels))
    }

    /// Deletes the group at the service. Its channels themselves remain.
    ///
    /// - Throws: as ``channels()``.
    public func delete() async throws(LifelineError) {
        try await core.adapter.change(group: name, .delete)
    }
}

/// A request to change the channels of a group, or to delete the group.
enum ChannelGroupChange: Hashable, Sendable {
    case add([String])
    case remove([String])
    case delete
}

extension LifelineClient {
    /// A handle for the channel group with this name. Nothing is sent. Only PubNub has channel groups; with other services every call on a
    /// group throws ``LifelineError/Code/unsupported``.
    public func channelGroup(_ name: String) -> ChannelGroup {
        ChannelGroup(name: name, core: core)
    }
}
