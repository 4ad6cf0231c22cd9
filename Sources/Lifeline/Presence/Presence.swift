/// The members who are present in a channel, kept up to date by the client.
public struct Presence: Sendable {
    let feed: RoomFeed

    /// The present members, as far as the client knows, in the order of arrival. While the connection is lost it is the last known
    /// list; after the end of the subscription it is empty.
    public var members: [Member] { feed.isEnded ? [] : feed.members }

    /// The changes from now on. After a reconnect it has only the differences to the former members. Each read of the property gives an
    /// independent sequence.
    public var changes: PresenceChanges { feed.presenceChanges() }
}
