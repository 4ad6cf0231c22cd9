/// A channel that is subscribed or being subscribed, with its rooms. A value. Rules LL-110 and LL-111.
struct HeldChannel {
    let members = SharedMemberList()
    let typing: ChannelTyping
    /// One for each call of `subscribe` that waits for the confirmation, or whose room is in use.
    var rooms: [RoomFeed] = []
    /// Whether the service has confirmed the channel since the first room asked for it.
    var isConfirmed = false
    /// Whether a room was released without having been unsubscribed. The channel stays subscribed then until a room of it, or the channel
    /// itself, is unsubscribed.
    var isKept = false

    /// Removes a room.
    ///
    /// - Returns: whether it was there.
    mutating func remove(_ room: RoomFeed) -> Bool {
        guard let index = rooms.firstIndex(where: { $0 === room }) else { return false }
        rooms.remove(at: index)
        return true
    }
}
