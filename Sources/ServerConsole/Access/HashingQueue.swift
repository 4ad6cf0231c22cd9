/// The passwords that are being hashed, and the attempts that wait for it: a value of bounded size (rule CO-13).
struct HashingQueue<Attempt> {
    /// The number of passwords that are hashed at the same time. Each takes 16 MiB.
    static var atATime: Int { 2 }
    /// The largest number of waiting attempts.
    static var capacity: Int { 32 }

    private(set) var running = 0
    private var known: [Attempt] = []
    private var strangers: [Attempt] = []

    /// The number of waiting attempts.
    var count: Int { known.count + strangers.count }

    enum Verdict {
        case begin
        case wait
        case full
    }

    /// Adds an attempt. It is not queued when it may start at once.
    ///
    /// - Parameter isKnown: whether the visitor is known. Known visitors go before strangers, and the number of strangers does not
    ///   affect them.
    mutating func add(_ attempt: Attempt, isKnown: Bool) -> Verdict {
        guard running >= Self.atATime else {
            running += 1
            return .begin
        }
        guard (isKnown ? known.count : strangers.count) < Self.capacity / 2 else { return .full }
        if isKnown { known.append(attempt) } else { strangers.append(attempt) }
        return .wait
    }

    /// Records that a password has been hashed; returns the attempt that starts now.
    mutating func next() -> Attempt? {
        if !known.isEmpty { return known.removeFirst() }
        if !strangers.isEmpty { return strangers.removeFirst() }
        running -= 1
        return nil
    }
}

extension HashingQueue: Sendable where Attempt: Sendable {}
