import ConnectionEngine
import Identifiers

// Typing indicators. Rule LL-121.
extension ClientHub {
    /// A user types, or has stopped.
    func typing(_ user: String, _ isTyping: Bool, in channel: String) {
        change(channel) { roster, now in isTyping ? roster.began(user, at: now) : roster.stopped(user) }
    }

    /// A user who has published a message or has left is no longer typing.
    func stopTyping(_ users: [String], in channel: String) {
        change(channel) { roster, _ in users.reduce(false) { roster.stopped($1) || $0 } }
    }

    private func change(_ channel: String, _ change: (inout TypingRoster, Moment) -> Bool) {
        guard let typing = held(channel)?.typing else { return }
        let hasChanged = typing.take(change) { [weak self] in self?.tellTyping(in: channel) }
        if hasChanged { tellTyping(in: channel) }
    }

    /// Announces typing changes. May be called from any thread: they have no order relative to other events.
    private func tellTyping(in channel: String) {
        for room in rooms(of: channel) { room.tellTyping() }
    }
}
