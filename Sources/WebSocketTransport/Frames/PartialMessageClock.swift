import NIOCore

/// Measures for how long the current message has been arriving, not counting earlier messages.
struct PartialMessageClock {
    /// The time at which the current message began; nil between messages.
    private(set) var since: NIODeadline?
    private var hasEnded = false

    /// Records that a message is complete. Must not be called for control frames, which may arrive between the fragments of a message.
    mutating func messageEnded() {
        hasEnded = true
    }

    /// Updates the clock at the end of each read.
    mutating func readEnded(hasPartialMessage: Bool, now: NIODeadline) {
        if !hasPartialMessage {
            since = nil
        } else if since == nil || hasEnded {
            since = now
        }
        hasEnded = false
    }
}
