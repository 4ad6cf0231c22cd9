import ServerValues

/// The memory limit and the time limit of the replays for one connection. They are separate from the limit of bytes that new events may
/// take. A value without clocks (rule RV-13).
///
/// A connection that reconnects receives the missed events of all its channels at once, so a large number of waiting bytes does not show
/// that the client reads too slowly.
struct ReplayBudget: Sendable {
    /// All replays of one connection together may take this many times the limit of bytes that wait for a connection.
    private static let share = 4
    /// A replay that waits for a leader's answer may reserve the remaining memory divided by this number.
    private static let part = 8
    /// How long memory stays reserved after the last request for a replay has been answered, even if the client has received all bytes.
    private static let pause = Duration.seconds(2)
    /// A client that receives none of the waiting bytes for this time is disconnected.
    private static let stall = Duration.seconds(15)
    /// How long a client may take for its replays: this time, plus one second for each ``bytesPerSecond`` bytes.
    private static let leastTime = Duration.seconds(10)
    private static let bytesPerSecond = 65_536

    private let limit: Int
    /// The number of bytes that each connection has for itself. Bytes beyond it are taken from the shared memory and counted in ``pooled``.
    private let own: Int
    /// The number of bytes of replays that are reserved or being sent.
    private(set) var used = 0
    /// The number of bytes that are taken from the memory shared by all connections.
    private(set) var pooled = 0
    private var waiting = 0
    private var answered = MonotonicInstant(nanoseconds: .min)
    /// The total number of bytes that the client had received when ``observe(taken:pendingBytes:at:)`` last noted progress; nil before its
    /// first call.
    private var taken: Int?
    private var progressed = MonotonicInstant(nanoseconds: .min)

    /// Makes a budget without reserved bytes.
    ///
    /// - Parameter pendingBytes: the limit of bytes that wait for a connection.
    init(pendingBytes: Int) {
        own = pendingBytes / 2
        limit = pendingBytes.multipliedReportingOverflow(by: Self.share).overflow ? .max : pendingBytes * Self.share
    }

    /// Reserves memory for one replay and returns its size.
    ///
    /// - Parameter pool: takes bytes from the memory shared by all connections, and returns the number that it could take.
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

    /// Records the number of bytes with which a request was answered. Returns the number of bytes to give back to the shared memory.
    mutating func settle(_ reserved: Int, with bytes: Int, at now: MonotonicInstant) -> Int {
        used -= reserved - bytes
        waiting -= 1
        answered = now
        let surplus = max(pooled - max(used - own, 0), 0)
        pooled -= surplus
        return surplus
    }

    /// Whether all requests are answered and all bytes received, so that the reserved memory can be released.
    func isOver(at now: MonotonicInstant, pendingBytes: Int) -> Bool {
        waiting == 0 && pendingBytes == 0 && now >= answered.advanced(by: Self.pause)
    }

    // MARK: Progress

    /// Records how many bytes the client has received in total, and how many are waiting.
    mutating func observe(taken bytes: Int, pendingBytes: Int, at now: MonotonicInstant) {
        guard pendingBytes == 0 || taken.map({ bytes > $0 }) ?? true else { return }
        taken = bytes
        progressed = now
    }

    /// Whether the client has received none of the waiting bytes for too long.
    func isStalled(at now: MonotonicInstant) -> Bool {
        taken != nil && now >= progressed.advanced(by: Self.stall)
    }

    /// Whether the client has had enough time to receive all replayed bytes.
    func isOverdue(at now: MonotonicInstant) -> Bool {
        waiting == 0 && now >= answered.advanced(by: Self.leastTime + .seconds(used / Self.bytesPerSecond))
    }
}
