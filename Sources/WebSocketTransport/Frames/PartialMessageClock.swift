import NIOCore

/// Measures how long the present message has been arriving, regardless of earlier messages.
struct PartialMessageClock {
    /// When the message in progress began; nil between messages.
    private(set) var since: NIODeadline?
    private var hasEnded = false

    /// A message was completed. Not called for control frames, which may arrive between the fragments of a message.
    mutating func messageEnded() {
        hasEnded = true
    }

    /// Called at the end of a read.
    mutating func readEnded(hasPartialMessage: Bool, now: NIODeadline) {
        if !hasPartialMessage {
            since = nil
        } else if since == nil || hasEnded {
            since = now
        }
        hasEnded = false
    }
}
