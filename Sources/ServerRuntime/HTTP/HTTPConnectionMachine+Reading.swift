import ServerValues

// Decides what a connection reads next, and whether it reads from the socket at all.
extension HTTPConnectionMachine {
    /// The received bytes and parsed parts that a connection has not handled yet.
    struct Waiting: Hashable, Sendable {
        /// Whether there are received bytes that were not parsed yet.
        var hasBytes = false
        /// Whether there are parts of a request that the parser has returned and the connection has not handled.
        var hasParts = false
        var hasParser = false
        /// Whether the HTTP library's parser has to read every request, also those that ``PlainRequestHead`` could read.
        var needsParser = false
    }

    /// The next step of a connection that reads what has arrived.
    enum Step: Hashable, Sendable {
        /// Read nothing until the next event of the connection.
        case stop
        /// Read nothing, and drop the received bytes.
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

    /// Whether the next byte, unless it is part of a line end, begins a new request.
    var isBetweenRequests: Bool { phase == .idle && pieces == 0 }

    /// Pauses reading from the socket while too many received bytes wait (rule PV-2) or the peer does not read its answers.
    mutating func updateReading(unreadBytes: Int, isWritable: Bool) -> Effect? {
        let mustPause = !isWritable || unreadBytes > Self.maximumUnreadBytes
        guard mustPause != isReadingPaused else { return nil }
        isReadingPaused = mustPause
        return .setReading(!mustPause)
    }

    /// The reason why the library's parser has failed.
    enum ParserFailure: Hashable, Sendable, CaseIterable {
        /// The bytes are not valid HTTP.
        case syntax
        /// The head of a request is larger than the parser's limit.
        case overflow
        /// An error that is not about the client's bytes; the connection is closed without an answer.
        case other
    }

    mutating func parserFailed(_ failure: ParserFailure, at now: MonotonicInstant) -> Effect? {
        guard failure != .other else { return .close }
        switch phase {
        case .answering, .holding, .upgrading: return .close
        case .idle:
            // Begins a new request, so that the refusal does not use properties of the previous one.
            gotHead(at: now)
            return .refuse(failure == .overflow ? .headTooLarge : .malformed)
        case .reading: return .refuse(failure == .overflow ? .headTooLarge : .malformed)
        case .closing, .ended: return nil
        }
    }
}
