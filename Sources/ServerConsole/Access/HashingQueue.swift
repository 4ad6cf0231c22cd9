/// Which passwords are hashed now, and which wait for it: a value of bounded size (rule CO-13).
struct HashingQueue<Attempt> {
    /// The number of passwords that are hashed at a time. Each takes 16 MiB.
    static var atATime: Int { 2 }
    /// Attempts that wait.
    static var capacity: Int { 32 }

    private(set) var running = 0
    private var known: [Attempt] = []
    private var strangers: [Attempt] = []

    /// How many attempts wait.
    var count: Int { known.count + strangers.count }

    enum Verdict {
        case begin
        case wait
        case full
    }

    /// Adds an attempt. It is not kept when it may begin at once.
    ///
    /// - Parameter isKnown: whether the attempt goes before those of strangers, whose number does not concern it.
    mutating func add(_ attempt: Attempt, isKnown: Bool) -> Verdict {
        guard running >= Self.atATime else {
            running += 1
            return .begin
        }
        guard (isKnown ? known.count : strangers.count) < Self.capacity / 2 else { return .full }
        if isKnown { known.append(attempt) } else { strangers.append(attempt) }
        return .wait
    }

    /// A password has been hashed: the attempt that begins now.
    mutating func next() -> Attempt? {
        if !known.isEmpty { return known.removeFirst() }
        if !strangers.isEmpty { return strangers.removeFirst() }
        running -= 1
        return nil
    }
}

extension HashingQueue: Sendable where Attempt: Sendable {}
