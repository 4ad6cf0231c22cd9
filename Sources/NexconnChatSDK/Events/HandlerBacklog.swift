/// Counts the events that wait for slow handlers, and drops further events when there are too many (rule NC-72).
struct HandlerBacklog: Sendable {
    static let most = 65_536

    private var count = 0
    /// Whether the last admitted event is the `messagesMissed` that announces dropped events.
    private var hasToldLoss = false
    private let limit: Int

    init(limit: Int = most) {
        self.limit = limit
    }

    /// Returns the events that the handlers get. If too many events wait, further events are dropped, and the handlers get one event
    /// `messagesMissed` in their place.
    mutating func admit(_ events: [NCEvent]) -> [NCEvent] {
        let room = max(limit - count, 0)
        var admitted = Array(events.prefix(room))
        if !admitted.isEmpty { hasToldLoss = false }
        if admitted.count < events.count, !hasToldLoss {
            admitted.append(.messagesMissed(MessagesMissedEvent(channelIdentifier: nil)))
            hasToldLoss = true
        }
        count += admitted.count
        return admitted
    }

    /// Records that the handlers are being called with this number of events, which no longer wait.
    mutating func took(_ number: Int) { count -= number }
}
