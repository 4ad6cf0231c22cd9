/// The members who are present in a channel, kept up to date by the client.
public struct Presence: Sendable {
    let hold: RoomHold
    let core: ClientCore

    /// The present members, in the order in which they joined. While the connection is lost this is the list from before the loss;
    /// after the end of the room the list is empty.
    public var members: [Member] { hold.members }

    /// The changes of the members from now on. After a reconnect the sequence delivers only the differences between the members before and
    /// after the outage. Each read of the property returns an independent sequence.
    public var changes: PresenceChanges { hold.presenceChanges() }
}
