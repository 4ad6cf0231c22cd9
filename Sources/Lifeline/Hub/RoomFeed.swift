import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Distributes the events of one room to the room's sequences. Each call of `subscribe` makes a separate feed.
final class RoomFeed: Sendable {
    private struct State {
        /// The stream of the room's first sequence. It stores elements before the first read, so that no message between the confirmation
        /// of the subscription and the start of a loop is lost.
        var first: EventStream<RoomItem>?
        var isEnded = false
        /// Whether the user has unsubscribed the room or its channel.
        var isTakenBack = false
    }

    let channel: String
    let members: SharedMemberList
    let typing: ChannelTyping
    let items: Broadcaster<RoomItem>
    let presence: Broadcaster<PresenceItem>
    let typingChanges: Broadcaster<TypingItem>
    let reactions: Broadcaster<ReactionItem>
    /// When the room was created by a call of `subscribe`.
    let start: Moment
    private let state = NIOLockedValueBox(State())

    init(
        channel: String, members: SharedMemberList, typing: ChannelTyping, backlog: Int, start: Moment,
        consumers: (any ConsumerTracker)? = nil
    ) {
        self.channel = channel
        self.members = members
        self.typing = typing
        self.start = start
        items = RoomItem.broadcaster(backlog: backlog, consumers)
        presence = PresenceItem.broadcaster(backlog: backlog, consumers)
        typingChanges = TypingItem.broadcaster(consumers)
        reactions = ReactionItem.broadcaster(backlog: backlog, consumers)
        let first = items.stream()
        state.withLockedValue { $0.first = first }
    }

    deinit { end() }

    var isEnded: Bool { state.withLockedValue { $0.isEnded } }
    var isTakenBack: Bool { state.withLockedValue { $0.isTakenBack } }

    /// Ends the room because the user has unsubscribed it.
    func takeBack() {
        state.withLockedValue { $0.isTakenBack = true }
        end()
    }

    /// Ends all sequences of the room: messages, presence changes, typing users and reactions.
    func end() {
        let first = state.withLockedValue { state in
            state.isEnded = true
            defer { state.first = nil }
            return state.first
        }
        items.finish()
        presence.finish()
        typingChanges.finish()
        reactions.finish()
        // The last reference to the stream is released here, outside of the lock, so that no other code runs under the lock.
        _ = first
    }

    /// The stream that began with the room. Only the first call returns it; later calls return nil.
    func takeFirst() -> EventStream<RoomItem>? {
        state.withLockedValue { state in
            defer { state.first = nil }
            return state.first
        }
    }
}

// Receiving the channel's events, one call at a time and in order. Only `tellTyping()` may be called from any thread.
extension RoomFeed {
    func deliver(_ deliveries: [Delivery]) {
        items.send(deliveries.map(RoomItem.delivery))
    }

    func tell(_ changes: [PresenceChange]) {
        presence.send(changes.map(PresenceItem.change))
    }

    func tell(_ change: ReactionChange) {
        reactions.send([.change(change)])
    }

    /// Announces a change of the typing users. May be called from any thread.
    func tellTyping() { typingChanges.send([.changed]) }
}
