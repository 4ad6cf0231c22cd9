import NIOCore

/// The time since which the present message has been arriving. Earlier messages do not count.
struct PartialMessageClock {
    /// When the message in progress began; nil between messages.
    private(set) var since: NIODeadline?
    private var hasEnded = false

    /// A message was complete; control frames are none, since they come between the fragments of one.
    mutating func messageEnded() {
        hasEnded = true
    }

    /// A read is over.
    mutating func readEnded(hasPartialMessage: Bool, now: NIODeadline) {
        if !hasPartialMessage {
            since = nil
        } else if since == nil || hasEnded {
            since = now
        }
        hasEnded = false
    }
}
