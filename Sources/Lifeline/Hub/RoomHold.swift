import ConnectionEngine

/// A reference that all copies of one ``Room`` value and its sequences share. When the last of them is released, the hub removes the room
/// and stops storing messages for it (rule LL-111).
final class RoomHold: Sendable {
    let feed: RoomFeed
    private let hub: ClientHub

    init(_ feed: RoomFeed, in hub: ClientHub) {
        self.feed = feed
        self.hub = hub
    }

    deinit { hub.release(feed) }

    /// All members who are present; empty after the end of the room.
    var members: [Member] { feed.isEnded ? [] : feed.members.current.members }

    /// Makes a sequence of deliveries. The first sequence begins with the room's subscription, each further one with this call.
    func deliveries() -> Deliveries {
        if let first = feed.takeFirst() {
            return Deliveries(stream: first, channel: feed.channel, start: feed.start, clock: hub.clock, hold: self)
        }
        let later = feed.items.stream()
        return Deliveries(stream: later, channel: feed.channel, start: hub.clock.now(), clock: hub.clock, hold: self)
    }

    /// The users who are typing; empty after the end of the room.
    var typingUsers: [String] { feed.isEnded ? [] : feed.typing.users }

    func typingChanges() -> TypingUsers { TypingUsers(stream: feed.typingChanges.stream(), hold: self) }

    func reactions() -> Reactions {
        Reactions(stream: feed.reactions.stream(), start: hub.clock.now(), clock: hub.clock, hold: self)
    }

    func presenceChanges() -> PresenceChanges {
        let stream = feed.presence.stream()
        // The stream is opened before the members are read. A change between the two is in the members and in the stream; the sequence
        // ignores it in the stream, because its members already contain it.
        let start = feed.members.current
        return PresenceChanges(stream: stream, channel: feed.channel, start: start) { self.feed.members.current.members }
    }
}
