import ConnectionEngine
import Identifiers

// Applying typing indicators to a channel's list of typing users. Rule LL-121.
extension ClientHub {
    /// Records that a user has begun or stopped typing in a channel.
    func typing(_ user: String, _ isTyping: Bool, in channel: String) {
        change(channel) { roster, now in isTyping ? roster.began(user, at: now) : roster.stopped(user) }
    }

    /// Removes users from the typing users, because they have published a message or left the channel.
    func stopTyping(_ users: [String], in channel: String) {
        change(channel) { roster, _ in users.reduce(false) { roster.stopped($1) || $0 } }
    }

    private func change(_ channel: String, _ change: (inout TypingRoster, Moment) -> Bool) {
        guard let typing = held(channel)?.typing else { return }
        let hasChanged = typing.take(change) { [weak self] in self?.tellTyping(in: channel) }
        if hasChanged { tellTyping(in: channel) }
    }

    /// Announces a change of the typing users to the channel's rooms. May be called from any thread, because typing changes have no order
    /// relative to other events.
    private func tellTyping(in channel: String) {
        for room in rooms(of: channel) { room.tellTyping() }
    }
}
