import RealtimeHub

/// How much of the past may wait for one connection beside what is new. A value without clocks (rule RV-13).
///
/// A connection that comes back gets the events of all its channels at once, which is no sign that it reads too slowly.
struct ReplayBudget: Sendable {
    /// So many times what may wait for a connection.
    private static let share = 4
    /// When requests wait for a leader, each of them may get this part of what is left.
    private static let part = 8
    /// After the last request has been answered, the room is kept for so long, and until the client has taken everything.
    private static let pause = Duration.seconds(2)

    private let limit: Int
    /// Bytes that are reserved or on their way.
    private(set) var used = 0
    private var waiting = 0
    private var answered = MonotonicInstant(nanoseconds: .min)

    /// - Parameter pendingBytes: what may wait for a connection.
    init(pendingBytes: Int) {
        limit = pendingBytes.multipliedReportingOverflow(by: Self.share).overflow ? .max : pendingBytes * Self.share
    }

    /// Reserves room for one replay and says how much.
    mutating func reserve(answersAtOnce: Bool) -> Int {
        let left = max(limit - used, 0)
        let room = answersAtOnce ? left : left / Self.part
        used += room
        waiting += 1
        return room
    }

    /// A request has been answered with so many bytes.
    mutating func settle(_ reserved: Int, with bytes: Int, at now: MonotonicInstant) {
        used -= reserved - bytes
        waiting -= 1
        answered = now
    }

    /// Whether the room is needed no longer.
    func isOver(at now: MonotonicInstant, pendingBytes: Int) -> Bool {
        waiting == 0 && pendingBytes == 0 && now >= answered.advanced(by: Self.pause)
    }
}
