/// Limits how many passwords are hashed at the same time, and queues further password checks. The queue's size is bounded (rule CO-13).
struct HashingQueue<Attempt> {
    /// How many passwords are hashed at the same time. Each hash needs 16 MiB.
    static var atATime: Int { 2 }
    /// The largest number of queued password checks: half for known visitors, half for others.
    static var capacity: Int { 32 }

    private(set) var running = 0
    private var known: [Attempt] = []
    private var strangers: [Attempt] = []

    /// The number of queued password checks.
    var count: Int { known.count + strangers.count }

    enum Verdict {
        case begin
        case wait
        case full
    }

    /// Adds a password check, which begins at once, is queued, or is refused because the queue is full.
    ///
    /// - Parameter isKnown: whether the visitor is known. Checks for known visitors begin first, and half of the queue is reserved for
    ///   them.
    mutating func add(_ attempt: Attempt, isKnown: Bool) -> Verdict {
        guard running >= Self.atATime else {
            running += 1
            return .begin
        }
        guard (isKnown ? known.count : strangers.count) < Self.capacity / 2 else { return .full }
        if isKnown { known.append(attempt) } else { strangers.append(attempt) }
        return .wait
    }

    /// Records that a password has been hashed. Returns the queued password check that begins now; nil for none.
    mutating func next() -> Attempt? {
        if !known.isEmpty { return known.removeFirst() }
        if !strangers.isEmpty { return strangers.removeFirst() }
        running -= 1
        return nil
    }
}

extension HashingQueue: Sendable where Attempt: Sendable {}
