/// The members who are present in a channel, kept up to date by the client.
public struct Presence: Sendable {
    let hold: RoomHold
    let core: ClientCore

    /// The present members, as far as the client knows, in the order of arrival. While the connection is lost it is the last known
    /// list; after the end of the room it is empty.
    public var members: [Member] { hold.members }

    /// The changes from now on. After a reconnect it has only the differences to the former members. Each read of the property gives an
    /// independent sequence.
    public var changes: PresenceChanges { hold.presenceChanges() }
}
