import ServerValues

/// Decides when the store of applications is read again and when a deadline makes another list valid: a value (rules AR-5 and AR-11).
struct ApplicationWatch: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        /// Reads the store and applies what has changed.
        case read
        /// Applies the applications again.
        case apply
    }

    /// After this time without a reading a shared store is read again, so that a lost notification is made good.
    static let interval = Duration.seconds(5)

    /// Whether other servers write to the store.
    let isShared: Bool
    /// When the store was read, or a reading failed.
    private(set) var lastRead: MonotonicInstant
    /// When an earlier secret ends next, in seconds since 1970.
    var nextEnd: Int?
    /// Whether the present applications could not be applied.
    var mustApply = false
    private var isNotified = false
    private var isBusy = false

    init(isShared: Bool, at now: MonotonicInstant) {
        (self.isShared, lastRead) = (isShared, now)
    }

    /// Another server has changed something.
    mutating func notify() { isNotified = true }

    /// The work that is due; nil for none, and while earlier work goes on. The caller does it and calls ``end(_:at:)``.
    mutating func next(at now: MonotonicInstant, unixSeconds: Int) -> Work? {
        guard !isBusy else { return nil }
        if isShared, isNotified || now.since(lastRead) >= Self.interval {
            (isNotified, isBusy) = (false, true)
            return .read
        }
        guard mustApply || nextEnd.map({ $0 <= unixSeconds }) == true else { return nil }
        isBusy = true
        return .apply
    }

    /// The work has ended.
    mutating func end(_ work: Work, at now: MonotonicInstant) {
        isBusy = false
        if work == .read { lastRead = now }
    }
}
