import ConnectionEngine

/// Decides which of the client's own keystrokes are sent, as a value (rule LL-122).
struct TypingThrottle: Sendable {
    /// How long no further keystroke is told after one: others count it for ``TypingRoster/lifetime``, so there is time for one to be late.
    static let pause: Duration = .seconds(4)

    /// When a keystroke was last sent, unless a message has followed it.
    private var told: Moment?
    /// The time until which others may count this user as typing.
    private var shownUntil: Moment?

    /// A key was struck.
    ///
    /// - Returns: whether to tell.
    mutating func struck(at now: Moment) -> Bool {
        if let told, now < told + Self.pause { return false }
        told = now
        shownUntil = now + TypingRoster.lifetime
        return true
    }

    /// The user has stopped.
    ///
    /// - Returns: whether to tell, because others may still count the user as typing.
    mutating func stopped(at now: Moment) -> Bool {
        defer { (told, shownUntil) = (nil, nil) }
        return shownUntil.map { now < $0 } ?? false
    }

    /// A message was published, which ends typing for others: the next keystroke begins it anew.
    mutating func published() { told = nil }
}
