import ConnectionEngine

/// Decides which of the user's keystrokes are sent as typing messages. A value (rule LL-122).
struct TypingThrottle: Sendable {
    /// The shortest time between two typing messages. It is 2 s shorter than ``TypingRoster/lifetime``, for which others count the user as
    /// typing. A message that arrives up to 2 s late therefore still extends the indicator.
    static let pause: Duration = .seconds(4)

    /// When the last typing message was sent; nil if the user has published a message or stopped since.
    private var told: Moment?
    /// Until when others may count this user as typing; nil when they do not.
    private var shownUntil: Moment?

    /// Records a keystroke.
    ///
    /// - Returns: whether a typing message must be sent for it.
    mutating func struck(at now: Moment) -> Bool {
        if let told, now < told + Self.pause { return false }
        told = now
        shownUntil = now + TypingRoster.lifetime
        return true
    }

    /// Records that the user has stopped.
    ///
    /// - Returns: whether a message must be sent, because others may still count the user as typing.
    mutating func stopped(at now: Moment) -> Bool {
        defer { (told, shownUntil) = (nil, nil) }
        return shownUntil.map { now < $0 } ?? false
    }

    /// Records a published message. It ends the typing indicator for others, so the next keystroke is sent at once.
    mutating func published() { told = nil }
}
