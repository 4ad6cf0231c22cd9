// A partial copy needs a leader that answers requests for messages; a leader of an earlier version does not. While the leader does not
// answer requests, or it is unknown whether it does, the copy keeps the messages of all queues (rule CB-58).
extension MessageStreams {
    /// Whether messages of all channels and patterns are kept, so that no messages have to be requested from the leader.
    package var keepsAll: Bool { coverage == nil || coverage?.allSince != nil }

    /// Keeps the messages of all channels and patterns from now on, because the leader has changed. Readers that lack earlier messages
    /// wait. As soon as it is known whether the leader answers requests for messages, call ``keepOnly(_:at:)`` or ``stopRequesting()``.
    package mutating func keepAll() {
        guard coverage != nil else { return }
        coverage?.isAlone = false
        if coverage?.allSince == nil { coverage?.allSince = visible }
    }

    /// Keeps the messages of all channels and patterns from now on, because the leader does not answer requests for messages. Readers that
    /// lack earlier messages get a gap report.
    package mutating func stopRequesting() {
        keepAll()
        coverage?.isAlone = true
    }

    /// Ends the effect of ``keepAll()`` and ``stopRequesting()``, because the leader answers requests for messages. The messages of queues
    /// without readers are dropped, except those of queues whose readers have left only recently.
    ///
    /// - Parameter names: the queues that have readers.
    package mutating func keepOnly(_ names: some Sequence<StreamName>, at now: UInt64) {
        guard var kept = coverage, let since = kept.allSince else { return }
        for name in names { kept.insert(name, since: since, at: now) }
        (kept.allSince, kept.isAlone) = (nil, false)
        coverage = kept
        for name in channels.names where !kept.contains(.channel(name)) { channels.remove(name) }
        for name in patterns.names where !kept.contains(.pattern(name)) { patterns.remove(name) }
    }
}
