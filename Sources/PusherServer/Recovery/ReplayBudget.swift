import ServerValues

/// The memory limit and the time limit of replays that wait for one connection, separate from the limit for new events. A value
/// without clocks (rule RV-13).
///
/// A connection that reconnects receives the events of all its channels at once, so a long queue does not mean that it reads too slowly.
struct ReplayBudget: Sendable {
    /// Replays of a connection may be at most this many times as large as the limit of bytes that wait for a connection.
    private static let share = 4
    /// While requests wait for a leader, each may reserve the remaining room divided by this number.
    private static let part = 8
    /// After the last request has been answered, the memory is reserved for this time, and until the client has received everything.
    private static let pause = Duration.seconds(2)
    /// A client that receives no byte of its replays for this time is disconnected.
    private static let stall = Duration.seconds(15)
    /// The memory is reserved for this time, plus one second for each ``bytesPerSecond``.
    private static let leastTime = Duration.seconds(10)
    private static let bytesPerSecond = 65_536

    private let limit: Int
    /// The memory reserved for every connection; what exceeds it is ``pooled``.
    private let own: Int
    /// The bytes that are reserved or being sent.
    private(set) var used = 0
    /// The bytes that are taken from the memory shared by all connections.
    private(set) var pooled = 0
    private var waiting = 0
    private var answered = MonotonicInstant(nanoseconds: .min)
    /// The total of bytes that the client has received, at the last time when it increased.
    private var taken: Int?
    private var progressed = MonotonicInstant(nanoseconds: .min)

    /// - Parameter pendingBytes: the limit of bytes that wait for a connection.
    init(pendingBytes: Int) {
        own = pendingBytes / 2
        limit = pendingBytes.multipliedReportingOverflow(by: Self.share).overflow ? .max : pendingBytes * Self.share
    }

    /// Reserves memory for one replay and returns its size.
    ///
    /// - Parameter pool: takes bytes from the memory of all connections, and returns how many it got.
    mutating func reserve(answersAtOnce: Bool, from pool: (Int) -> Int) -> Int {
        let left = max(limit - used, 0)
        let wanted = answersAtOnce ? left : left / Self.part
        let free = max(own + pooled - used, 0)
        if wanted > free { pooled += pool(wanted - free) }
        let room = min(wanted, max(own + pooled - used, 0))
        used += room
        waiting += 1
        return room
    }

    /// Records how many bytes answered a request. Returns how many bytes to return to the memory of all connections.
    mutating func settle(_ reserved: Int, with bytes: Int, at now: MonotonicInstant) -> Int {
        used -= reserved - bytes
        waiting -= 1
        answered = now
        let surplus = max(pooled - max(used - own, 0), 0)
        pooled -= surplus
        return surplus
    }

    /// Whether the reserved memory is no longer needed.
    func isOver(at now: MonotonicInstant, pendingBytes: Int) -> Bool {
        waiting == 0 && pendingBytes == 0 && now >= answered.advanced(by: Self.pause)
    }

    // MARK: Progress

    /// Records the total of bytes that the client has received, and the bytes that wait for it.
    mutating func observe(taken bytes: Int, pendingBytes: Int, at now: MonotonicInstant) {
        guard pendingBytes == 0 || taken.map({ bytes > $0 }) ?? true else { return }
        taken = bytes
        progressed = now
    }

    /// Whether the client has received nothing for too long, although bytes wait for it.
    func isStalled(at now: MonotonicInstant) -> Bool {
        taken != nil && now >= progressed.advanced(by: Self.stall)
    }

    /// Whether the client has had enough time to receive all replayed bytes.
    func isOverdue(at now: MonotonicInstant) -> Bool {
        waiting == 0 && now >= answered.advanced(by: Self.leastTime + .seconds(used / Self.bytesPerSecond))
    }
}
