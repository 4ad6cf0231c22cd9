import ServerValues

/// Decides when the store of applications is read again, and when applications are applied again because a former secret has expired (rules
/// AR-5 and AR-11).
struct ApplicationWatch: Hashable, Sendable {
    enum Work: Hashable, Sendable {
        /// Read the store, and apply the applications if they have changed.
        case read
        /// Apply the present applications again, without reading the store.
        case apply
    }

    /// A shared store is read again after this time without a read, because a notification of a change may have been lost.
    static let interval = Duration.seconds(5)

    /// Whether other servers also write to the store.
    let isShared: Bool
    /// The time of the last read of the store, successful or not.
    private(set) var lastRead: MonotonicInstant
    /// The next time at which a former secret expires, in seconds since 1970; nil when none will.
    var nextEnd: Int?
    /// Whether the applications that were last read from the store must still be applied to the server. It stays true after a failed
    /// attempt to apply them.
    var mustApply = false
    private var isNotified = false
    private var isBusy = false

    init(isShared: Bool, at now: MonotonicInstant) {
        (self.isShared, lastRead) = (isShared, now)
    }

    /// Records that another server has changed an application.
    mutating func notify() { isNotified = true }

    /// The work that is due. Nil if no work is due, or earlier work is in progress. The caller does the work and then calls ``end(_:at:)``.
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

    /// Records that the work that ``next(at:unixSeconds:)`` has returned is done.
    mutating func end(_ work: Work, at now: MonotonicInstant) {
        isBusy = false
        if work == .read { lastRead = now }
    }
}
