import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// The events of one room, from the service to the room's consumers. Each call of `subscribe` has a separate one.
final class RoomFeed: Sendable {
    private struct State {
        /// Stores elements until the first consumer reads, so that nothing is lost between the confirmation and the loop.
        var first: EventStream<RoomItem>?
        var isEnded = false
        /// Whether the user has ended the room.
        var isTakenBack = false
    }

    let channel: String
    let members: SharedMemberList
    let typing: ChannelTyping
    let items: Broadcaster<RoomItem>
    let presence: Broadcaster<PresenceItem>
    let typingChanges: Broadcaster<TypingItem>
    let reactions: Broadcaster<ReactionItem>
    /// When the room was requested.
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

    /// Marks the room as ended by the user.
    func takeBack() {
        state.withLockedValue { $0.isTakenBack = true }
        end()
    }

    /// Ends all sequences of the room.
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
        // Released here, outside of the lock.
        _ = first
    }

    /// The sequence that began with the room, once.
    func takeFirst() -> EventStream<RoomItem>? {
        state.withLockedValue { state in
            defer { state.first = nil }
            return state.first
        }
    }
}

// Receives the events of the service, one call at a time and in order. Only `tellTyping()` may be called from any thread.
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

    /// Announces a change of the typing users. From any thread.
    func tellTyping() { typingChanges.send([.changed]) }
}
