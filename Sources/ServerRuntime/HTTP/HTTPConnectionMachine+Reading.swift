import ServerValues

// What a connection reads next, and whether it reads from the socket at all.
extension HTTPConnectionMachine {
    /// What a connection could read.
    struct Waiting: Hashable, Sendable {
        /// Whether received bytes wait that nobody has read.
        var hasBytes = false
        /// Whether parts wait that the parser has returned.
        var hasParts = false
        var hasParser = false
        /// Whether every request has to be read by the parser.
        var needsParser = false
    }

    /// The next step of a connection that reads what has arrived.
    enum Step: Hashable, Sendable {
        /// Nothing can be read before something else happens.
        case stop
        /// As ``stop``, and the received bytes are dropped.
        case drop
        case takePart, feedParser, startParser, readPlain
    }

    func nextStep(_ waiting: Waiting) -> Step {
        switch phase {
        case .closing: return .drop
        case .answering, .holding, .ended: return .stop
        case .idle, .reading, .upgrading: break
        }
        if waiting.hasParts { return .takePart }
        guard waiting.hasBytes else { return .stop }
        if waiting.hasParser { return .feedParser }
        return waiting.needsParser ? .startParser : .readPlain
    }

    /// Whether a part from the parser has to wait behind the request that is being answered, or behind other parts.
    func mustWait(behindParts hasParts: Bool) -> Bool {
        switch phase {
        case .answering, .holding: true
        case .idle: hasParts
        case .reading, .upgrading, .closing, .ended: false
        }
    }

    /// Whether the next byte that is no line end begins a request.
    var isBetweenRequests: Bool { phase == .idle && pieces == 0 }

    /// Reading from the socket pauses while too many bytes wait (rule PV-2), or the peer does not read.
    mutating func updateReading(unreadBytes: Int, isWritable: Bool) -> Effect? {
        let mustPause = !isWritable || unreadBytes > Self.maximumUnreadBytes
        guard mustPause != isReadingPaused else { return nil }
        isReadingPaused = mustPause
        return .setReading(!mustPause)
    }

    /// What is wrong with bytes that the parser has refused.
    enum ParserFailure: Hashable, Sendable, CaseIterable {
        /// The bytes are not valid HTTP.
        case syntax
        /// A head is too large.
        case overflow
        /// Something else has failed.
        case other
    }

    mutating func parserFailed(_ failure: ParserFailure, at now: MonotonicInstant) -> Effect? {
        guard failure != .other else { return .close }
        switch phase {
        case .answering, .holding, .upgrading: return .close
        case .idle:
            // Resets the facts about the previous request.
            gotHead(at: now)
            return .refuse(failure == .overflow ? .headTooLarge : .malformed)
        case .reading: return .refuse(failure == .overflow ? .headTooLarge : .malformed)
        case .closing, .ended: return nil
        }
    }
}
