import ConnectionEngine

/// Decides which of the client's own keystrokes are sent, as a value (rule LL-122).
struct TypingThrottle: Sendable {
    /// How long after one announcement no other is sent. It is shorter than ``TypingRoster/lifetime``, for which others count the user
    /// as typing, so that one announcement may be late.
    static let pause: Duration = .seconds(4)

    /// When an announcement was last sent, unless a message has followed it.
    private var told: Moment?
    /// The time until which others may count this user as typing.
    private var shownUntil: Moment?

    /// Records a keystroke.
    ///
    /// - Returns: whether to announce it.
    ///
    /// - Returns: whether to tell.
    mutating func struck(at now: Moment) -> Bool {
        if let told, now < told + Self.pause { return false }
        told = now
        shownUntil = now + TypingRoster.lifetime
        return true
    }

    /// Records that the user has stopped.
    ///
    /// - Returns: whether to announce it, because others may still count the user as typing.
    ///
    /// - Returns: whether to tell, because others may still count the user as typing.
    mutating func stopped(at now: Moment) -> Bool {
        defer { (told, shownUntil) = (nil, nil) }
        return shownUntil.map { now < $0 } ?? false
    }

    /// A message was published, which ends typing for others: the next keystroke is announced at once.
    mutating func published() { told = nil }
}
