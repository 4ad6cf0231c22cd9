/// The state of a channel that is subscribed or being subscribed, with its rooms. A value. Rules LL-110 and LL-111.
struct HeldChannel {
    let members = SharedMemberList()
    let typing: ChannelTyping
    /// The rooms of the channel: one for each call of `subscribe` that waits for the confirmation, and one for each room that is in use.
    var rooms: [RoomFeed] = []
    /// Whether the service has confirmed the channel since its first room was created.
    var isConfirmed = false
    /// Whether a room was released without being unsubscribed. In this case the channel stays subscribed until another of its rooms, or the
    /// channel itself, is unsubscribed.
    var isKept = false

    /// Removes a room.
    ///
    /// - Returns: false when the channel does not have the room.
    mutating func remove(_ room: RoomFeed) -> Bool {
        guard let index = rooms.firstIndex(where: { $0 === room }) else { return false }
        rooms.remove(at: index)
        return true
    }
}
