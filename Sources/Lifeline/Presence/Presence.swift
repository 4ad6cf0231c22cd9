/// Who is present in a channel.
public struct Presence: Sendable {
    let feed: RoomFeed

    /// Who is there now, as far as the client knows, in the order of arrival. Empty after the subscription has ended; what was
    /// known last while the connection is lost.
    public var members: [Member] { feed.isEnded ? [] : feed.members }

    /// Who comes and goes from now on. After a reconnect it is the difference only. Each call gives an independent sequence.
    public var changes: PresenceChanges { feed.presenceChanges() }
}
