/// The events that wait for slow handlers, and what happens when there are too many (rule NC-72).
struct HandlerBacklog: Sendable {
    static let most = 65_536

    private var count = 0
    /// Whether the last event that was admitted says that events are missing.
    private var hasToldLoss = false
    private let limit: Int

    init(limit: Int = most) {
        self.limit = limit
    }

    /// The events that the handlers get: all of them, or those for which there is room and one that says that others are missing.
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

    /// The handlers get this number of events now.
    mutating func took(_ number: Int) { count -= number }
}
