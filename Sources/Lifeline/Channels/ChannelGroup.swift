/// A channel group: a list of channels that the service keeps, subscribed to as one. Only PubNub has them (rules LL-54 to LL-56).
///
/// ```swift
/// let news = client.channelGroup("news")
/// try await news.add(["sports", "weather"])
/// let room = try await news.subscribe()
/// for await message in room.messages { print(message.channel, message.event) }
/// ```
public struct ChannelGroup: Sendable {
    /// The group's name, as the service knows it.
    public let name: String
    let core: ClientCore

    /// Subscribes to all channels that the group has, now and later, and returns when the service has confirmed.
    /// ``Channel/subscribe()`` describes how subscriptions behave.
    ///
    /// Messages name the channel that they were published to in ``Message/channel``, and the group with a colon in front in
    /// ``Message/pattern``, which is also the name of the room. ``Room/presence`` lists every user who is on at least one of the
    /// channels. A message of a channel that is also subscribed directly is delivered once, to one of the two rooms.
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

    /// The channels of the group, by one request. The client does not have to be connected.
    ///
    /// - Throws: ``LifelineError/Code/unsupported`` when the service has no groups; the failure of the request otherwise.
    public func channels() async throws(LifelineError) -> [String] {
        try await core.adapter.channels(ofGroup: name)
    }

    /// Requests every user who is on at least one channel of the group from the service. The client does not have to be connected. At
    /// most 10,000 users of each channel.
    ///
    /// - Throws: as ``channels()``.
    public func members() async throws(LifelineError) -> [Member] {
        try await core.adapter.members(of: core.adapter.roomName(ofGroup: name))
    }

    /// Adds channels. The service creates the group with its first channel.
    ///
    /// - Parameter channels: 1 to 200.
    /// - Throws: as ``channels()``; ``LifelineError/Code/badRequest`` for no channel, or too many.
    public func add(_ channels: [String]) async throws(LifelineError) {
        try await core.adapter.change(group: name, .add(channels))
    }

    /// Removes channels.
    ///
    /// - Parameter channels: 1 to 200.
    /// - Throws: as ``add(_:)``.
    public func remove(_ channels: [String]) async throws(LifelineError) {
        try await core.adapter.change(group: name, .remove(channels))
    }

    /// Removes the group with all its channels.
    ///
    /// - Throws: as ``channels()``.
    public func delete() async throws(LifelineError) {
        try await core.adapter.change(group: name, .delete)
    }
}

/// A change of a channel group.
enum ChannelGroupChange: Hashable, Sendable {
    case add([String])
    case remove([String])
    case delete
}

extension LifelineClient {
    /// A channel group by name. Nothing is sent. Only PubNub has channel groups; with other services every call on a group throws
    /// ``LifelineError/Code/unsupported``.
    public func channelGroup(_ name: String) -> ChannelGroup {
        ChannelGroup(name: name, core: core)
    }
}
